import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Run } from './engine.ts'
import type { Entries } from './entries.ts'
import { createStoring } from './store-events.ts'
import type { StoredEvent } from './stored-event.ts'
import type { InboxTable } from './table.ts'
import type { Worker } from './worker.ts'

const toEvent = (key: string): StoredEvent => ({
  key,
  source: 'webhook',
  deliveryId: null,
  name: null,
  fact: null,
  subject: null,
  sentAt: null,
  headers: null,
  body: new Uint8Array(),
})

const unreachable = new Error('unreachable')

/** Stores events in a database whose `run` a test may replace. By default, every event is new. */
const setUp = (
  given: { run?: Run; isStarted?: boolean; isFree?: boolean; waiting?: number | Error } = {},
) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const texts: string[] = []
  const storeAll: Run = async (_, values = []) => {
    const rows = values.filter((value) => String(value).startsWith('key')).map((event_key) => ({ event_key }))
    return { rows, count: rows.length }
  }
  const run: Run = (text, values) => {
    texts.push(text)
    return (given.run ?? storeAll)(text, values)
  }
  const engine = {
    dialect: 'sqlite',
    run,
    query: async () => ({ rows: [{ id: '1' }], count: 1 }),
    hold: () => async () => {},
    announcement: 'announce()',
    isTransient: (error: unknown) => error === unreachable,
  }
  const { waiting = 0 } = given
  const entries = {
    readWaiting: vi.fn(async () => {
      if (waiting instanceof Error) throw waiting
      return waiting
    }),
  }
  const worker = {
    wake: vi.fn(),
    isStarted: () => given.isStarted ?? false,
    isFree: () => given.isFree ?? false,
  }
  const store = createStoring(
    { table: 'inbox', engine, now: () => '0' } as unknown as InboxTable,
    entries as unknown as Entries,
    worker as unknown as Worker,
  )
  return { texts, storeAll, entries, worker, store: (key: string) => store(Promise.resolve(toEvent(key))) }
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
}

describe('an event', () => {
  it('is stored when the database responds again within eight seconds', async () => {
    let isReachable = false
    const set = setUp({
      run: async (...statement) => {
        if (!isReachable) throw unreachable
        return set.storeAll(...statement)
      },
    })
    const stored = set.store('key-1')
    await settle()
    for (let passed = 0; passed < 7_000; passed += 200) await vi.advanceTimersByTimeAsync(200)
    expect(set.texts).toHaveLength(36)
    isReachable = true
    await vi.advanceTimersByTimeAsync(200)
    expect(await stored).toBe(true)
  })

  it('is not stored if the database does not respond for eight seconds', async () => {
    const { store } = setUp({ run: () => Promise.reject(unreachable) })
    let failedAt: number | undefined
    const stored = store('key-1').catch((error) => {
      failedAt = performance.now()
      return error
    })
    await settle()
    for (let passed = 0; passed < 10_000; passed += 200) await vi.advanceTimersByTimeAsync(200)
    expect([await stored, failedAt]).toEqual([unreachable, 8_000])
  })

  it('that the database refuses does not keep others from being stored', async () => {
    const set = setUp({
      run: async (text, values = []) => {
        if (values.includes('key-bad')) throw 'refused'
        return set.storeAll(text, values)
      },
    })
    const outcomes = await Promise.allSettled(['key-bad', 'key-1', 'key-bad', 'key-2'].map(set.store))
    expect(outcomes).toMatchObject([
      { reason: { message: 'refused' } },
      { value: true },
      { reason: { message: 'refused' } },
      { value: true },
    ])
    expect(set.texts).toHaveLength(4)
  })

  it('is new only once, even if its duplicates arrive at the same time', async () => {
    const { store, worker, texts } = setUp()
    expect(await Promise.all(['key-1', 'key-1', 'key-2', 'key-1'].map(store))).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect([texts.length, worker.wake.mock.calls.length]).toEqual([1, 2])
    expect(texts[0]?.split('), (')).toHaveLength(2)
  })

  it('does not wake the worker if it is a duplicate', async () => {
    const { store, worker } = setUp({ run: async () => ({ rows: [], count: 0 }) })
    expect(await store('key-1')).toBe(false)
    expect(worker.wake).not.toHaveBeenCalled()
  })

  it('is announced to other processes, unless the worker of this one has a free slot', async () => {
    for (const isFree of [true, false]) {
      const { store, texts } = setUp({ isFree })
      await store('key-1')
      expect(texts.map((text) => text.includes('announce()'))).toEqual([!isFree])
    }
  })
})

describe('a process that stores events and never handles them', () => {
  const storeLater = async (given: Parameters<typeof setUp>[0], ms = 60_000) => {
    const set = setUp(given)
    using warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await set.store('key-1')
    vi.advanceTimersByTime(ms)
    for (const key of ['key-2', 'key-3']) await set.store(key)
    await settle()
    return { asked: set.entries.readWaiting.mock.calls, lines: warn.mock.calls.flat() }
  }

  it('does not ask within the first minute, and does not warn if other processes handle them', async () => {
    expect(await storeLater({ waiting: 2 }, 59_999)).toEqual({ asked: [], lines: [] })
    expect(await storeLater({ waiting: 0 })).toEqual({ asked: [[60_000]], lines: [] })
  })

  it('stores events even if it cannot ask', async () => {
    expect(await storeLater({ waiting: new Error('down') })).toMatchObject({ lines: [] })
  })

  it('does not ask if its worker runs', async () => {
    expect(await storeLater({ waiting: 2, isStarted: true })).toEqual({ asked: [], lines: [] })
  })
})
