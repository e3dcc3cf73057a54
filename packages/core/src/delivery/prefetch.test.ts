import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DeliveryQueue, PendingDelivery } from '../store.ts'
import { createPrefetch, type Entry } from './prefetch.ts'

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
  return { rows, pages, prefetch: createPrefetch({ queue: 'q', store, isEmpty: false, getSize: () => size }) }
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

test('a prefetch neither forgets a delivery nor brings one back, whatever happens while it reads', async () => {
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
      const { rows, pages, prefetch } = createQueue()
      const taken: Entry[] = []
      const attempted: string[] = []
      let next = 100
      const append = (position: number, isHead = true): void => {
        const row = { id: `d${position}`, position, dueAt: position, version: 0, isRetry: false }
        if (rows.has(row.id)) return
        rows.set(row.id, row)
        if (isHead) prefetch.add(row)
        else prefetch.lookFrom(position)
      }
      const read = (): void => {
        if (prefetch.needsReading()) void prefetch.read()
      }
      const arrive = async (): Promise<void> => {
        pages.shift()?.()
        await settle()
      }
      const take = (): void => {
        const entry = prefetch.take()
        if (entry === undefined) return
        // A store makes the same comparison when it loads deliveries.
        expect(taken.some(({ id }) => id === entry.id)).toBe(false)
        const row = rows.get(entry.id)
        expect(row?.version, `${entry.id} is no longer what is held`).toBe(entry.version)
        attempted.push(entry.id)
        taken.push(entry)
      }
      const finish = (): void => {
        const entry = taken.shift()
        if (entry === undefined) return
        if (rows.get(entry.id)?.version === entry.version) rows.delete(entry.id)
        prefetch.end(entry, null, null)
      }
      /** Delivers a row and sends it again. The prefetch learns of the resend first. */
      const sendAgain = (): void => {
        const row = rows.get(taken[0]?.id ?? '')
        if (row === undefined || row.version !== taken[0]?.version) return
        rows.set(row.id, { ...row, version: row.version + 2, isRetry: false })
        prefetch.restart()
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
        const isCurrent = rows.get(taken[0]?.id ?? '')?.version === taken[0]?.version
        if (step === 'back' && isCurrent) {
          const entry = taken.shift()
          if (entry !== undefined) prefetch.putBack(entry)
        }
        if (step === 'retry' && isCurrent) {
          const entry = taken.shift()
          const row = entry && rows.get(entry.id)
          if (entry === undefined || row === undefined) continue
          const retry = { ...row, version: row.version + 1, dueAt: row.dueAt + number, isRetry: true }
          rows.set(row.id, retry)
          prefetch.end(entry, retry, null)
        }
        if (step === 'restart') prefetch.restart()
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

test('a prefetch that is known to be empty reads nothing until it is asked to', async () => {
  const store = {
    readHeads: () => Promise.reject(new Error('it reads')),
    readRetries: () => Promise.reject(new Error('it reads')),
  }
  const prefetch = createPrefetch({ queue: 'q', store, isEmpty: true, getSize: () => size })
  expect(prefetch.needsReading()).toBe(false)
  prefetch.add({ id: 'd1', position: 7, dueAt: 7, version: 0 })
  const entry = prefetch.take()
  expect([entry?.id, prefetch.needsReading()]).toEqual(['d1', false])
  if (entry !== undefined) prefetch.end(entry, null, null)
  expect(prefetch.isEmpty()).toBe(true)
  prefetch.lookFrom(9)
  expect(prefetch.needsReading()).toBe(true)
})

test('a prefetch holds a few of many deliveries, and reads on when half of them are gone', async () => {
  const { rows, pages, prefetch } = createQueue()
  for (let position = 1; position <= 100; position++) {
    rows.set(`d${position}`, {
      id: `d${position}`,
      position,
      dueAt: position,
      version: 0,
      isRetry: position % 2 === 0,
    })
  }
  const drained: number[] = []
  let held = 0
  while (rows.size > 0) {
    while (prefetch.needsReading()) {
      void prefetch.read()
      pages.shift()?.()
      await settle()
    }
    const entries: Entry[] = []
    for (let entry = prefetch.take(); entry !== undefined; entry = prefetch.take()) entries.push(entry)
    held = Math.max(held, entries.length)
    for (const entry of entries) {
      rows.delete(entry.id)
      drained.push(entry.position)
      prefetch.end(entry, null, null)
    }
  }
  expect(drained.length).toBe(100)
  expect(held).toBeLessThanOrEqual(4 * size)
})

const build = (position: number, changes: Partial<PendingDelivery> = {}): PendingDelivery => ({
  id: `d${position}`,
  position,
  dueAt: position,
  version: 0,
  ...changes,
})

/** A prefetch that knows that its queue is empty, so that only changes fill it. */
const createEmpty = () => {
  const asked: unknown[] = []
  const pages = { heads: [] as PendingDelivery[], retries: [] as PendingDelivery[], isEnd: true }
  const prefetch = createPrefetch({
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
    prefetch.add(build(position, { dueAt: -1 }))
    const entry = prefetch.take()
    if (entry !== undefined) prefetch.end(entry, build(position, { dueAt, version: 1 }), null)
  }
  const takeAll = (): Entry[] => {
    const taken: Entry[] = []
    for (let entry = prefetch.take(); entry !== undefined; entry = prefetch.take()) taken.push(entry)
    return taken
  }
  return { prefetch, asked, pages, fail, takeAll, takeDues: () => takeAll().map(({ dueAt }) => dueAt) }
}

test('deliveries that are due at the same time are taken in their order', () => {
  const { prefetch, takeAll } = createEmpty()
  for (const position of [3, 2, 1]) prefetch.add(build(position, { dueAt: 9 }))
  prefetch.add(build(4, { dueAt: 8 }))
  expect(takeAll().map(({ position }) => position)).toEqual([4, 1, 2, 3])
})

test('a prefetch holds at most twice as many retries as its size, then only the first ones', async () => {
  const { prefetch, fail, takeDues } = createEmpty()
  for (let position = 1; position <= 8; position++) fail(position, 1_000 - 10 * position)
  expect(takeDues()).toEqual([920, 930, 940, 950, 960, 970, 980, 990])

  const full = createEmpty()
  for (let position = 1; position <= 9; position++) full.fail(position, 1_000 - 10 * position)
  // Those that are due after the last one that is held are read later.
  full.fail(10, 2_000)
  full.fail(12, 945)
  full.fail(11, 905)
  expect(full.takeDues()).toEqual([905, 910, 920, 930, 940])
  expect([prefetch.needsReading(), full.prefetch.needsReading()]).toEqual([false, true])
})

test('retries that are being attempted do not count', () => {
  const { prefetch, fail, takeDues } = createEmpty()
  fail(1, 5)
  const busy = prefetch.take()
  for (let position = 2; position <= 9; position++) fail(position, 10 * position)
  fail(10, 100)
  expect([busy?.id, takeDues()]).toEqual(['d1', [20, 30, 40, 50]])
})

test('a page of retries replaces those that are held behind it', async () => {
  const { prefetch, asked, pages, fail, takeDues } = createEmpty()
  for (let position = 1; position <= 9; position++) fail(position, 1_000 - 10 * position)
  const taken = [prefetch.take(), prefetch.take()]
  expect([taken.map((entry) => entry?.dueAt), prefetch.needsReading()]).toEqual([[910, 920], true])
  pages.retries = [1, 2, 3, 4].map((dueAt) => build(100 + dueAt, { dueAt, version: 1 }))
  pages.isEnd = false
  await prefetch.read()
  expect(asked).toEqual([{ limit: size + 2 }])
  fail(20, 3.5)
  fail(21, 4.5)
  expect(takeDues()).toEqual([1, 2, 3, 3.5, 4])
})

test('a page of retries leaves heads that are due later, also one that was sent again while it was attempted', async () => {
  const { prefetch, pages, takeDues } = createEmpty()
  prefetch.add(build(1, { dueAt: 50 }))
  const taken = prefetch.take()
  prefetch.restart()
  pages.heads = [build(1, { dueAt: 50, version: 2 }), build(2, { dueAt: 60 })]
  await prefetch.read()
  if (taken !== undefined) prefetch.end(taken, null, null)
  pages.retries = [1, 2, 3, 4].map((dueAt) => build(100 + dueAt, { dueAt, version: 1 }))
  pages.isEnd = false
  await prefetch.read()
  expect(takeDues()).toEqual([1, 2, 3, 4, 50, 60])
})

test('a change that arrives while a page is read is applied after the page', async () => {
  const { prefetch, pages, takeAll } = createEmpty()
  prefetch.lookFrom(1)
  pages.heads = [build(1), build(2)]
  const reading = prefetch.read()
  prefetch.add(build(3))
  expect([prefetch.take(), prefetch.needsReading(), prefetch.isEmpty()]).toEqual([undefined, false, false])
  await reading
  expect(takeAll().map(({ id }) => id)).toEqual(['d1', 'd2', 'd3'])
  expect(prefetch.needsReading()).toBe(false)
})

test('a head that does not fit, or follows heads that were not read, is read in order', async () => {
  const { prefetch, asked, pages, takeAll } = createEmpty()
  for (const position of [1, 2, 3, 4, 5]) prefetch.add(build(position))
  expect([takeAll().map(({ id }) => id), prefetch.needsReading()]).toEqual([['d1', 'd2', 'd3', 'd4'], true])
  pages.heads = [build(5), build(6), build(7), build(8)]
  pages.isEnd = false
  await prefetch.read()
  expect(asked).toEqual([{ after: 4, limit: size }])
  expect(takeAll().map(({ id }) => id)).toEqual(['d5', 'd6', 'd7', 'd8'])
  prefetch.add(build(7.5))
  prefetch.add(build(10))
  expect(takeAll().map(({ id }) => id)).toEqual(['d7.5'])
  pages.heads = []
  await prefetch.read()
  expect(asked.at(-1)).toEqual({ after: 8, limit: size })
})

test('a prefetch reads the next page when it is half empty', async () => {
  const { prefetch, pages } = createEmpty()
  prefetch.lookFrom(1)
  pages.heads = [1, 2, 3, 4].map((position) => build(position))
  pages.isEnd = false
  await prefetch.read()
  const needs = [prefetch.needsReading()]
  for (let count = 0; count < 2; count++) {
    prefetch.take()
    needs.push(prefetch.needsReading())
  }
  expect(needs).toEqual([false, false, true])
})

test('a prefetch that is read again holds nothing until then', () => {
  const { prefetch } = createEmpty()
  prefetch.add(build(1))
  prefetch.add(build(2))
  const taken = prefetch.take()
  if (taken !== undefined) prefetch.putBack(taken)
  prefetch.restart()
  expect([prefetch.nextAt(), prefetch.take(), prefetch.needsReading()]).toEqual([Infinity, undefined, true])
})
