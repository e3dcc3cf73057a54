import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Failure } from '../receiver/failures.ts'
import { bindKind, createHandlers } from '../receiver/handlers.ts'
import type { InboxContext } from '../receiver/inbox.ts'
import type { InboxEngine } from './engine.ts'
import type { Entries } from './entries.ts'
import type { ClaimedEntry } from './read-entry.ts'
import { createWorker } from './worker.ts'

type Context = InboxContext<unknown, unknown>

const toEntry = (id: string, attempts: number): ClaimedEntry => ({
  id,
  order: 0,
  token: 'token',
  key: id,
  deliveryId: id,
  name: 'CALL_ENDED',
  subject: undefined,
  attempts,
  receivedAt: new Date(0),
  sentAt: undefined,
  headers: new Headers(),
  body: new TextEncoder().encode('{"event":"CALL_ENDED","callId":"c"}'),
  bodyWasParsed: false,
  verifiedBy: [],
  known: undefined,
})

/** Completes all work that does not wait for a timer. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
}

/** Runs a worker on entries in memory. */
const setUp = (handle: (context: Context) => unknown = () => {}, given: { concurrency?: number } = {}) => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    now: 0,
  })
  onTestFinished(() => void vi.useRealTimers())
  const waiting: Record<'new' | 'failed', ClaimedEntry[]> = { new: [], failed: [] }
  const remaining = { remaining: 0, nextDueAt: undefined }
  const entries = {
    isDue: vi.fn<Entries['isDue']>(async () => waiting.new.length + waiting.failed.length > 0),
    claim: vi.fn<Entries['claim']>(async ({ again, limit }) =>
      waiting[again ? 'failed' : 'new'].splice(0, limit),
    ),
    toHandled: () => ({ text: '', values: [] }),
    complete: vi.fn<Entries['complete']>(async (claims) => claims.map(() => true)),
    renew: async (claims: readonly { readonly id: string }[]) => new Set(claims.map(({ id }) => id)),
    settle: vi.fn<Entries['settle']>(async () => true),
    forget: vi.fn<Entries['forget']>(async () => 0),
    readRemaining: vi.fn<Entries['readRemaining']>(async () => remaining),
  }
  const effects = { complete: async () => undefined, abandon: vi.fn() }
  const [release, unlisten] = [vi.fn(async () => {}), vi.fn()]
  const engine = {
    begin: () => effects,
    isTransient: () => false,
    hold: vi.fn(() => release),
    listen: vi.fn<NonNullable<InboxEngine['listen']>>(() => unlisten),
  }
  const handlers = createHandlers<Context>(undefined)
  handlers.add(bindKind('event', (_, context) => handle(context)))
  const failures: [message: string, stage: string][] = []
  const [unpark, warnIfWeak] = [vi.fn(async () => {}), vi.fn(async () => {})]
  const worker = createWorker({
    engine: engine as unknown as InboxEngine,
    entries: entries as unknown as Entries,
    handlers,
    report: (error: unknown, { stage }: Failure) => void failures.push([String(error), stage]),
    claimTtlMs: 30_000,
    maxBodyBytes: 1_000,
    maxAttempts: 3,
    unhandled: 'keep' as const,
    onParked: () => {},
    concurrency: given.concurrency ?? 4,
    pollMs: 1_000,
    unpark,
    warnIfWeak,
  })
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await vi.advanceTimersByTimeAsync(100)
      await settle()
    }
  }
  const readClaims = () => entries.claim.mock.calls.map(([{ again }]) => (again ? 'failed' : 'new'))
  return {
    worker,
    waiting,
    entries,
    engine,
    effects,
    release,
    unlisten,
    unpark,
    warnIfWeak,
    failures,
    wait,
    readClaims,
  }
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a worker', () => {
  it('uses all its slots, at most half of them for retries, and no more', async () => {
    const running = { new: 0, failed: 0 }
    const most = { new: 0, failed: 0, all: 0 }
    const ends: (() => void)[] = []
    const set = setUp(
      async ({ attempt }) => {
        const kind = attempt.number > 1 ? 'failed' : 'new'
        running[kind] += 1
        most[kind] = Math.max(most[kind], running[kind])
        most.all = Math.max(most.all, running.new + running.failed)
        await new Promise<void>((resolve) => ends.push(resolve))
        running[kind] -= 1
      },
      { concurrency: 5 },
    )
    set.waiting.new.push(...range(20).map((index) => toEntry(`n${index}`, 1)))
    set.waiting.failed.push(...range(20).map((index) => toEntry(`f${index}`, 2)))
    const drained = set.worker.drain()
    for (let count = 0; count < 40; count += 1) {
      await settle()
      expect(running.new + running.failed).toBe(Math.min(5, 40 - count))
      ends.shift()?.()
    }
    expect(await drained).toMatchObject({ remaining: 0, nextDueAt: undefined })
    expect(most).toEqual({ new: 5, failed: 3, all: 5 })
    for (const [{ limit }] of set.entries.claim.mock.calls) expect(limit).toBeGreaterThan(0)
  })

  it('does not claim entries again while it is still handling them', async () => {
    const gate = Promise.withResolvers<void>()
    const set = setUp(() => gate.promise)
    set.waiting.new.push(toEntry('a', 1))
    const drained = set.worker.drain()
    await set.wait(1_000)
    const claims = set.entries.claim.mock.calls.map(([{ again, except }]) => [again, except])
    expect(claims.slice(0, 2)).toEqual([
      [true, []],
      [false, []],
    ])
    expect(claims.slice(2)).toContainEqual([true, ['a']])
    expect(claims.slice(2)).toContainEqual([false, []])
    expect(claims.slice(2)).not.toContainEqual([true, []])
    gate.resolve()
    await drained
  })

  it('looks for retries first, but only every 100 ms while new entries arrive', async () => {
    const set = setUp(undefined, { concurrency: 1 })
    set.waiting.new.push(...range(3).map((index) => toEntry(`${index}`, 1)))
    set.worker.start()
    await settle()
    expect(set.readClaims()).toEqual(['failed', 'new', 'new', 'new', 'new', 'failed'])
    set.entries.claim.mockClear()
    await vi.advanceTimersByTimeAsync(99)
    set.waiting.new.push(toEntry('3', 1))
    set.worker.wake()
    await settle()
    expect(set.readClaims()).toEqual(['new', 'new', 'failed'])
    await vi.advanceTimersByTimeAsync(100)
    set.entries.claim.mockClear()
    set.waiting.new.push(toEntry('4', 1))
    set.worker.wake()
    await settle()
    expect(set.readClaims().slice(0, 2)).toEqual(['failed', 'new'])
    await set.worker.stop()
  })

  it('looks for more retries at once if it found as many as it had asked for', async () => {
    const set = setUp(undefined, { concurrency: 2 })
    set.waiting.failed.push(...range(3).map((index) => toEntry(`${index}`, 2)))
    set.worker.start()
    await settle()
    const searches = range(4).flatMap(() => ['failed', 'new'])
    expect(set.readClaims().slice(0, 8)).toEqual(searches)
    expect(set.entries.complete.mock.calls.flatMap(([claims]) => claims)).toHaveLength(3)
    await set.worker.stop()
  })

  it('looks for entries every pollMs, when it is woken, and when another process announces one', async () => {
    const set = setUp()
    set.worker.start()
    await settle()
    const count = async (ms: number) => {
      set.entries.claim.mockClear()
      await set.wait(ms)
      return set.entries.claim.mock.calls.length
    }
    expect(await count(900)).toBe(0)
    expect(set.entries.isDue).not.toHaveBeenCalled()
    // While nothing is due, one cheap query replaces the claims.
    expect(await count(1_100)).toBe(0)
    expect(set.entries.isDue).toHaveBeenCalledTimes(2)
    set.waiting.failed.push(toEntry('a', 2))
    expect(await count(1_000)).toBeGreaterThan(1)
    expect(set.entries.complete).toHaveBeenCalledTimes(1)
    set.worker.wake()
    expect(await count(100)).toBe(2)
    set.engine.listen.mock.calls[0]?.[0]()
    expect(await count(100)).toBe(2)
    await set.worker.stop()
    expect(set.unlisten).toHaveBeenCalledTimes(1)
    expect(await count(2_000)).toBe(0)
  })

  it('reports a claim that fails, and tries again', async () => {
    const set = setUp()
    set.entries.claim.mockRejectedValueOnce(new Error('down'))
    set.worker.start()
    await settle()
    expect(set.failures).toEqual([['Error: down', 'inbox']])
    set.waiting.new.push(toEntry('a', 1))
    await set.wait(1_000)
    expect(set.entries.complete).toHaveBeenCalledTimes(1)
    await set.worker.stop()
  })

  it('forgets entries every minute, 500 at a time, and unparks every hour', async () => {
    const set = setUp()
    set.entries.forget.mockResolvedValueOnce(500).mockResolvedValueOnce(499)
    set.worker.start()
    await settle()
    expect([set.entries.forget.mock.calls, set.unpark.mock.calls.length]).toEqual([[[500], [500]], 1])
    await set.wait(59_900)
    expect(set.entries.forget).toHaveBeenCalledTimes(2)
    await set.wait(2_000)
    expect([set.entries.forget.mock.calls.length, set.unpark.mock.calls.length]).toEqual([3, 1])
    await vi.advanceTimersByTimeAsync(3_538_000 - 2_000)
    await settle()
    expect(set.unpark).toHaveBeenCalledTimes(1)
    await set.wait(3_000)
    expect(set.unpark).toHaveBeenCalledTimes(2)
    await set.worker.stop()
  })

  it('reports a failure to tidy, and still handles entries', async () => {
    const set = setUp()
    set.unpark.mockRejectedValue(new Error('no unpark'))
    set.entries.forget.mockRejectedValue(new Error('no forget'))
    set.warnIfWeak.mockRejectedValue(new Error('no warning'))
    set.waiting.new.push(toEntry('a', 1))
    set.worker.start()
    await settle()
    expect(set.failures).toEqual([
      ['Error: no unpark', 'inbox'],
      ['Error: no forget', 'inbox'],
    ])
    expect(set.entries.complete).toHaveBeenCalledTimes(1)
    await set.worker.stop()
  })
})

describe('starting and stopping a worker', () => {
  it('holds one connection in between, and can be repeated', async () => {
    const set = setUp()
    const { worker } = set
    expect([worker.isStarted(), worker.isFree()]).toEqual([false, false])
    for (let round = 1; round <= 2; round += 1) {
      worker.start()
      worker.start()
      expect([worker.isStarted(), worker.isFree()]).toEqual([true, true])
      set.waiting.new.push(toEntry(`${round}`, 1))
      worker.wake()
      await settle()
      expect(set.entries.complete).toHaveBeenCalledTimes(round)
      await worker.stop()
      expect([worker.isStarted(), worker.isFree()]).toEqual([false, false])
      expect([set.engine.hold.mock.calls.length, set.release.mock.calls.length]).toEqual([round, round])
    }
    await worker.stop()
    expect(set.release).toHaveBeenCalledTimes(2)
  })

  it('has no free slot while handlers occupy all of them', async () => {
    const gate = Promise.withResolvers<void>()
    const set = setUp(() => gate.promise, { concurrency: 2 })
    set.worker.start()
    for (const isFree of [true, false]) {
      set.waiting.new.push(toEntry(`${isFree}`, 1))
      set.worker.wake()
      await settle()
      expect(set.worker.isFree()).toBe(isFree)
    }
    gate.resolve()
    await set.worker.stop()
  })

  it('gives handlers ten seconds, then a second to obey their signal, and then forgets them', async () => {
    const signals: AbortSignal[] = []
    const set = setUp(({ signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    set.waiting.new.push(toEntry('a', 1))
    set.worker.start()
    await settle()
    let isStopped = false
    const stopping = set.worker.stop().then(() => {
      isStopped = true
    })
    await set.wait(9_900)
    expect([signals[0]?.aborted, isStopped]).toEqual([false, false])
    await set.wait(100)
    expect([signals[0]?.aborted, isStopped]).toEqual([true, false])
    await set.wait(900)
    expect([set.effects.abandon.mock.calls.length, isStopped]).toEqual([0, false])
    await set.wait(100)
    expect([set.effects.abandon.mock.calls.length, isStopped]).toEqual([1, true])
    expect(set.release).toHaveBeenCalledTimes(1)
    await stopping
  })

  it('claims nothing more at a stop, not even the second half of a claim', async () => {
    const set = setUp()
    const retries = Promise.withResolvers<ClaimedEntry[]>()
    set.entries.claim.mockImplementationOnce(() => retries.promise)
    set.worker.start()
    await settle()
    const stopping = set.worker.stop()
    retries.resolve([])
    await stopping
    expect(set.readClaims()).toEqual(['failed'])
  })

  it('does not wait for a database that does not respond', async () => {
    const set = setUp()
    set.entries.forget.mockReturnValue(new Promise(() => {}))
    set.worker.start()
    await settle()
    const stopped = vi.fn()
    const stopping = set.worker.stop().then(stopped)
    await set.wait(900)
    expect(stopped).not.toHaveBeenCalled()
    await set.wait(100)
    await stopping
  })
})

describe('draining', () => {
  it('holds a connection, tidies, and returns what remains, even if it fails', async () => {
    const set = setUp()
    expect(await set.worker.drain()).toMatchObject({ remaining: 0, nextDueAt: undefined })
    expect([set.unpark.mock.calls.length, set.entries.forget.mock.calls.length]).toEqual([1, 1])
    set.entries.claim.mockRejectedValueOnce(new Error('down'))
    await expect(set.worker.drain()).rejects.toThrow('down')
    expect([set.engine.hold.mock.calls.length, set.release.mock.calls.length]).toEqual([2, 2])
    expect(set.worker.isStarted()).toBe(false)
  })

  it('waits at a stop for the claim of a drain, because the caller closes the database next', async () => {
    const { worker, entries, waiting, wait } = setUp()
    const claimed = Promise.withResolvers<ClaimedEntry[]>()
    entries.claim.mockImplementationOnce(() => claimed.promise)
    const drained = worker.drain()
    await settle()
    let isStopped = false
    const stopped = worker.stop().then(() => {
      isStopped = true
    })
    await wait(2_000)
    expect(isStopped).toBe(false)

    claimed.resolve([toEntry('a', 1)])
    await wait(2_000)
    await stopped
    expect([(await drained).handled, waiting.new.length]).toEqual([1, 0])
  })
})
