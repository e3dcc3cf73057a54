import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeliveryQueue, PendingDelivery } from '../store.ts'
import { createWindow, type Entry } from './window.ts'

// A queue whose rows change while pages of it are being read: nothing is forgotten, and nothing comes back.

type Row = PendingDelivery & { isRetry: boolean }

const size = 4

/** A queue in which all rows are heads or retries, and whose pages arrive on request. */
const createQueue = () => {
  const rows = new Map<string, Row>()
  const pages: Array<() => void> = []
  const later = <Page>(page: Page): Promise<Page> => new Promise((resolve) => pages.push(() => resolve(page)))
  const store: Pick<DeliveryQueue, 'readHeads' | 'readRetries'> = {
    readHeads: ({ after, limit }) => {
      const fresh = [...rows.values()].filter(({ isRetry, position }) => !isRetry && position > after)
      fresh.sort((left, right) => left.position - right.position)
      const heads = fresh.slice(0, limit).map((row) => ({ ...row }))
      const isEnd = fresh.length <= limit
      return later({ heads, after: heads.at(-1)?.position ?? after, isEnd })
    },
    readRetries: ({ limit }) => {
      const all = [...rows.values()].filter(({ isRetry }) => isRetry)
      all.sort((left, right) => left.dueAt - right.dueAt || left.position - right.position)
      return later({ retries: all.slice(0, limit).map((row) => ({ ...row })), isEnd: all.length <= limit })
    },
  }
  return { rows, pages, window: createWindow({ queue: 'q', store, isEmpty: false, getSize: () => size }) }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

test('a window neither forgets a delivery nor brings one back, whatever happens while it reads', async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom(
        ...['append', 'reported', 'late', 'take', 'finish', 'retry', 'back', 'restart'],
        ...['read', 'read', 'arrive', 'arrive', 'take', 'retry', 'sent again'],
      ),
      fc.nat(20),
    ),
    { maxLength: 80, size: 'max' },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { rows, pages, window } = createQueue()
      const taken: Entry[] = []
      const attempted: string[] = []
      let next = 100
      const append = (position: number, isHead = true): void => {
        const row = { id: `d${position}`, position, dueAt: position, turn: 0, isRetry: false }
        if (rows.has(row.id)) return
        rows.set(row.id, row)
        if (isHead) window.add(row)
        else window.lookFrom(position)
      }
      const read = (): void => {
        if (window.needsReading()) void window.read()
      }
      const arrive = async (): Promise<void> => {
        pages.shift()?.()
        await settle()
      }
      const take = (): void => {
        const entry = window.take()
        if (entry === undefined) return
        // A store makes the same comparison when it loads deliveries.
        expect(taken.some(({ id }) => id === entry.id)).toBe(false)
        const row = rows.get(entry.id)
        expect(row?.turn, `${entry.id} is no longer what is held`).toBe(entry.turn)
        attempted.push(entry.id)
        taken.push(entry)
      }
      const finish = (): void => {
        const entry = taken.shift()
        if (entry === undefined) return
        if (rows.get(entry.id)?.turn === entry.turn) rows.delete(entry.id)
        window.end(entry, null, null)
      }
      /** Delivers a row and sends it again. The window learns of the resend first. */
      const sendAgain = (): void => {
        const row = rows.get(taken[0]?.id ?? '')
        if (row === undefined || row.turn !== taken[0]?.turn) return
        rows.set(row.id, { ...row, turn: row.turn + 2, isRetry: false })
        window.restart()
      }
      for (const [step, number] of list) {
        if (step === 'append') append(next++)
        if (step === 'reported') append(next++, false)
        if (step === 'late') append(50 + number, number % 2 === 0)
        if (step === 'read') read()
        if (step === 'arrive') await arrive()
        if (step === 'take') take()
        if (step === 'finish') finish()
        if (step === 'sent again') sendAgain()
        const isCurrent = rows.get(taken[0]?.id ?? '')?.turn === taken[0]?.turn
        if (step === 'back' && isCurrent) {
          const entry = taken.shift()
          if (entry !== undefined) window.putBack(entry)
        }
        if (step === 'retry' && isCurrent) {
          const entry = taken.shift()
          const row = entry && rows.get(entry.id)
          if (entry === undefined || row === undefined) continue
          const retry = { ...row, turn: row.turn + 1, dueAt: row.dueAt + number, isRetry: true }
          rows.set(row.id, retry)
          window.end(entry, retry, null)
        }
        if (step === 'restart') window.restart()
      }
      for (let turn = 0; turn < 500 && rows.size > 0; turn++) {
        read()
        await arrive()
        take()
        finish()
      }
      expect([...rows.keys()]).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('a window reads again from the position of a late commit', async () => {
  const { rows, pages, window } = createQueue()
  for (const position of [10, 20]) {
    const row = { id: `d${position}`, position, dueAt: position, turn: 0, isRetry: false }
    rows.set(row.id, row)
  }
  const read = async (): Promise<void> => {
    void window.read()
    pages.shift()?.()
    await settle()
  }
  await read()
  expect([window.take()?.id, window.take()?.id]).toEqual(['d10', 'd20'])
  rows.set('d15', { id: 'd15', position: 15, dueAt: 15, turn: 0, isRetry: false })
  window.lookFrom(15)
  await read()
  expect([window.take()?.id, window.take()]).toEqual(['d15', undefined])
})

test('a page does not bring back a delivery that ended while it was read', async () => {
  const { rows, pages, window } = createQueue()
  rows.set('d1', { id: 'd1', position: 1, dueAt: 1, turn: 0, isRetry: false })
  void window.read()
  pages.shift()?.()
  await settle()
  const taken = window.take()
  window.restart()
  void window.read()
  if (taken !== undefined) window.end(taken, null, null)
  pages.shift()?.()
  await settle()
  expect([taken?.id, window.take()]).toEqual(['d1', undefined])
})

for (const order of ['before', 'after'] as const) {
  test(`a delivery that was sent again is held, if its page arrives ${order} the end of its last attempt`, async () => {
    const { rows, pages, window } = createQueue()
    const row = { id: 'd1', position: 1, dueAt: 1, turn: 0, isRetry: false }
    rows.set('d1', row)
    const arrive = async (): Promise<void> => {
      pages.shift()?.()
      await settle()
    }
    void window.read()
    await arrive()
    const taken = window.take()
    rows.set('d1', { ...row, turn: 2 })
    window.restart()
    void window.read()
    if (order === 'before') await arrive()
    if (taken !== undefined) window.end(taken, null, null)
    await arrive()
    expect([taken?.turn, window.take()?.turn]).toEqual([0, 2])
  })
}

test('a page that was read before a change by request is read again', async () => {
  const { rows, pages, window } = createQueue()
  rows.set('d1', { id: 'd1', position: 1, dueAt: 1, turn: 0, isRetry: false })
  void window.read()
  rows.set('d1', { id: 'd1', position: 1, dueAt: 1, turn: 1, isRetry: false })
  window.restart()
  pages.shift()?.()
  await settle()
  expect([window.take(), window.needsReading()]).toEqual([undefined, true])
  void window.read()
  pages.shift()?.()
  await settle()
  expect(window.take()?.turn).toBe(1)
})

test('a window that is known to be empty reads nothing until it is asked to', async () => {
  const store = {
    readHeads: () => Promise.reject(new Error('it reads')),
    readRetries: () => Promise.reject(new Error('it reads')),
  }
  const window = createWindow({ queue: 'q', store, isEmpty: true, getSize: () => size })
  expect(window.needsReading()).toBe(false)
  window.add({ id: 'd1', position: 7, dueAt: 7, turn: 0 })
  const entry = window.take()
  expect([entry?.id, window.needsReading()]).toEqual(['d1', false])
  if (entry !== undefined) window.end(entry, null, null)
  expect(window.isEmpty()).toBe(true)
  window.lookFrom(9)
  expect(window.needsReading()).toBe(true)
})

test('a window holds a few of many deliveries, and reads on when half of them are gone', async () => {
  const { rows, pages, window } = createQueue()
  for (let position = 1; position <= 100; position++) {
    rows.set(`d${position}`, {
      id: `d${position}`,
      position,
      dueAt: position,
      turn: 0,
      isRetry: position % 2 === 0,
    })
  }
  const drained: number[] = []
  let held = 0
  while (rows.size > 0) {
    while (window.needsReading()) {
      void window.read()
      pages.shift()?.()
      await settle()
    }
    const entries: Entry[] = []
    for (let entry = window.take(); entry !== undefined; entry = window.take()) entries.push(entry)
    held = Math.max(held, entries.length)
    for (const entry of entries) {
      rows.delete(entry.id)
      drained.push(entry.position)
      window.end(entry, null, null)
    }
  }
  expect(drained.length).toBe(100)
  expect(held).toBeLessThanOrEqual(4 * size)
})

const build = (position: number, changes: Partial<PendingDelivery> = {}): PendingDelivery => ({
  id: `d${position}`,
  position,
  dueAt: position,
  turn: 0,
  ...changes,
})

/** A window that knows that its queue is empty, so that only changes fill it. */
const createEmpty = () => {
  const asked: unknown[] = []
  const pages = { heads: [] as PendingDelivery[], retries: [] as PendingDelivery[], isEnd: true }
  const window = createWindow({
    queue: 'q',
    store: {
      readHeads: async ({ after, limit }) => {
        asked.push({ after, limit })
        return { heads: pages.heads, after: pages.heads.at(-1)?.position ?? after, isEnd: pages.isEnd }
      },
      readRetries: async ({ limit }) => {
        asked.push({ limit })
        return { retries: pages.retries, isEnd: pages.isEnd }
      },
    },
    isEmpty: true,
    getSize: () => size,
  })
  /** Takes a new delivery, whose attempt fails. */
  const fail = (position: number, dueAt: number): void => {
    window.add(build(position, { dueAt: -1 }))
    const entry = window.take()
    if (entry !== undefined) window.end(entry, build(position, { dueAt, turn: 1 }), null)
  }
  const takeAll = (): Entry[] => {
    const taken: Entry[] = []
    for (let entry = window.take(); entry !== undefined; entry = window.take()) taken.push(entry)
    return taken
  }
  return { window, asked, pages, fail, takeAll, takeDues: () => takeAll().map(({ dueAt }) => dueAt) }
}

test('deliveries that are due at the same time are taken in their order', () => {
  const { window, takeAll } = createEmpty()
  for (const position of [3, 2, 1]) window.add(build(position, { dueAt: 9 }))
  window.add(build(4, { dueAt: 8 }))
  expect(takeAll().map(({ position }) => position)).toEqual([4, 1, 2, 3])
})

test('a window holds at most twice as many retries as its size, then only the first ones', async () => {
  const { window, fail, takeDues } = createEmpty()
  for (let position = 1; position <= 8; position++) fail(position, 1_000 - 10 * position)
  expect(takeDues()).toEqual([920, 930, 940, 950, 960, 970, 980, 990])

  const full = createEmpty()
  for (let position = 1; position <= 9; position++) full.fail(position, 1_000 - 10 * position)
  // Those that are due after the last one that is held are read later.
  full.fail(10, 2_000)
  full.fail(12, 945)
  full.fail(11, 905)
  expect(full.takeDues()).toEqual([905, 910, 920, 930, 940])
  expect([window.needsReading(), full.window.needsReading()]).toEqual([false, true])
})

test('retries that are being attempted do not count', () => {
  const { window, fail, takeDues } = createEmpty()
  fail(1, 5)
  const busy = window.take()
  for (let position = 2; position <= 9; position++) fail(position, 10 * position)
  fail(10, 100)
  expect([busy?.id, takeDues()]).toEqual(['d1', [20, 30, 40, 50]])
})

test('a page of retries replaces those that are held behind it', async () => {
  const { window, asked, pages, fail, takeDues } = createEmpty()
  for (let position = 1; position <= 9; position++) fail(position, 1_000 - 10 * position)
  const taken = [window.take(), window.take()]
  expect([taken.map((entry) => entry?.dueAt), window.needsReading()]).toEqual([[910, 920], true])
  pages.retries = [1, 2, 3, 4].map((dueAt) => build(100 + dueAt, { dueAt, turn: 1 }))
  pages.isEnd = false
  await window.read()
  expect(asked).toEqual([{ limit: size + 2 }])
  fail(20, 3.5)
  fail(21, 4.5)
  expect(takeDues()).toEqual([1, 2, 3, 3.5, 4])
})

test('a page of retries leaves heads that are due later, also one that was sent again while it was attempted', async () => {
  const { window, pages, takeDues } = createEmpty()
  window.add(build(1, { dueAt: 50 }))
  const taken = window.take()
  window.restart()
  pages.heads = [build(1, { dueAt: 50, turn: 2 }), build(2, { dueAt: 60 })]
  await window.read()
  if (taken !== undefined) window.end(taken, null, null)
  pages.retries = [1, 2, 3, 4].map((dueAt) => build(100 + dueAt, { dueAt, turn: 1 }))
  pages.isEnd = false
  await window.read()
  expect(takeDues()).toEqual([1, 2, 3, 4, 50, 60])
})

test('a change that arrives while a page is read is applied after the page', async () => {
  const { window, pages, takeAll } = createEmpty()
  window.lookFrom(1)
  pages.heads = [build(1), build(2)]
  const reading = window.read()
  window.add(build(3))
  expect([window.take(), window.needsReading(), window.isEmpty()]).toEqual([undefined, false, false])
  await reading
  expect(takeAll().map(({ id }) => id)).toEqual(['d1', 'd2', 'd3'])
  expect(window.needsReading()).toBe(false)
})

test('a head that does not fit, or follows heads that were not read, is read in its turn', async () => {
  const { window, asked, pages, takeAll } = createEmpty()
  for (const position of [1, 2, 3, 4, 5]) window.add(build(position))
  expect([takeAll().map(({ id }) => id), window.needsReading()]).toEqual([['d1', 'd2', 'd3', 'd4'], true])
  pages.heads = [build(5), build(6), build(7), build(8)]
  pages.isEnd = false
  await window.read()
  expect(asked).toEqual([{ after: 4, limit: size }])
  expect(takeAll().map(({ id }) => id)).toEqual(['d5', 'd6', 'd7', 'd8'])
  window.add(build(7.5))
  window.add(build(10))
  expect(takeAll().map(({ id }) => id)).toEqual(['d7.5'])
  pages.heads = []
  await window.read()
  expect(asked.at(-1)).toEqual({ after: 8, limit: size })
})

test('a window reads the next page when it is half empty', async () => {
  const { window, pages } = createEmpty()
  window.lookFrom(1)
  pages.heads = [1, 2, 3, 4].map((position) => build(position))
  pages.isEnd = false
  await window.read()
  const needs = [window.needsReading()]
  for (let count = 0; count < 2; count++) {
    window.take()
    needs.push(window.needsReading())
  }
  expect(needs).toEqual([false, false, true])
})

test('a window that is read again holds nothing until then', () => {
  const { window } = createEmpty()
  window.add(build(1))
  window.add(build(2))
  const taken = window.take()
  if (taken !== undefined) window.putBack(taken)
  window.restart()
  expect([window.nextAt(), window.take(), window.needsReading()]).toEqual([Infinity, undefined, true])
})
