import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Failure } from '../receiver/failures.ts'
import { bindKind, createHandlers } from '../receiver/handlers.ts'
import type { InboxContext } from '../receiver/inbox.ts'
import { createAttempts } from './attempts.ts'
import type { Effects, InboxEngine } from './engine.ts'
import type { Entries } from './entries.ts'
import type { ClaimedEntry } from './read-entry.ts'

type Context = InboxContext<unknown, unknown>

const claimTtlMs = 30_000

const claimed: ClaimedEntry = {
  id: '1',
  order: 1,
  token: 'token',
  key: 'key',
  deliveryId: 'a',
  name: 'CALL_ENDED',
  subject: 'call:c',
  attempts: 1,
  receivedAt: new Date(0),
  sentAt: undefined,
  headers: new Headers({ traceparent: '00-1' }),
  body: new TextEncoder().encode('{"event":"CALL_ENDED","callId":"c"}'),
  bodyWasParsed: false,
  verifiedBy: ['standardWebhooks'],
  known: undefined,
}

/** A transient error of the database. */
const unreachable = new Error('unreachable')

/** Makes attempts with a handler. The methods of `entries` succeed unless a test replaces them. */
const setUp = (
  handle: (context: Context) => unknown,
  given: Partial<Entries> & { readonly maxAttempts?: number; readonly claimTtlMs?: number } = {},
) => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    now: 0,
  })
  onTestFinished(() => void vi.useRealTimers())
  const entries = {
    toHandled: () => ({ text: '', values: [] }),
    complete: vi.fn<Entries['complete']>(given.complete ?? (async (claims) => claims.map(() => true))),
    renew: vi.fn<Entries['renew']>(given.renew ?? (async (claims) => new Set(claims.map(({ id }) => id)))),
    settle: vi.fn<Entries['settle']>(given.settle ?? (async () => true)),
  }
  const effects = {
    transaction: async () => {},
    atCompletion: () => {},
    complete: async () => undefined,
    abandon: vi.fn(),
  } satisfies Effects<unknown, unknown>
  const silencers: ((error: Error) => void)[] = []
  const begin = (onSilent: (error: Error) => void) => {
    silencers.push(onSilent)
    return effects
  }
  const engine = { begin, isTransient: (error: unknown) => error === unreachable }
  const handlers = createHandlers<Context>(undefined)
  handlers.add(bindKind('event', (_, context) => handle(context)))
  const failures: [error: unknown, failure: Failure][] = []
  const [onParked, onEnd] = [vi.fn(), vi.fn()]
  const options = {
    engine: engine as unknown as InboxEngine,
    entries: entries as unknown as Entries,
    handlers,
    report: (error: unknown, failure: Failure) => void failures.push([error, failure]),
    claimTtlMs: given.claimTtlMs ?? claimTtlMs,
    maxBodyBytes: 10_000,
    maxAttempts: given.maxAttempts ?? 3,
    unhandled: 'keep' as const,
    onParked,
  }
  const attempts = createAttempts(options, onEnd)
  /** Completes all work that does not wait for a timer. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  /** Advances the time in steps of 500 ms. */
  const wait = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      await vi.advanceTimersByTimeAsync(500)
      await settle()
    }
  }
  return {
    attempts,
    entries,
    effects,
    failures,
    handlers,
    onParked,
    onEnd,
    settle,
    silencers,
    wait,
    start: (entry: Partial<ClaimedEntry> = {}) =>
      attempts.start({ ...claimed, ...entry } as ClaimedEntry, performance.now()),
  }
}

/** Creates a handler that ends when the test resolves or rejects it, and reads the abort reason of its signal. */
const createGate = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const handle = ({ signal }: Context) => {
    signals.push(signal)
    return promise
  }
  return { handle, resolve, reject, readReason: () => signals[0]?.reason?.message }
}

it('fails an attempt whose connection no longer responds, although its handler waits forever', async () => {
  const gate = createGate()
  const { start, settle, silencers, entries, failures, attempts } = setUp(gate.handle)
  start()
  await settle()
  const silence = new Error('silent')
  silencers[0]?.(silence)
  await settle()
  expect(entries.settle.mock.calls).toMatchObject([
    [{ id: '1' }, { state: 'failed', error: 'Error: silent' }],
  ])
  expect(failures).toMatchObject([[silence, { stage: 'inbox' }]])
  expect([gate.readReason(), attempts.count()]).toEqual(['silent', 0])
})

it('counts the lifetime of a claim from the request for its renewal, not from the response', async () => {
  const gate = createGate()
  const renewed = Promise.withResolvers<Set<string>>()
  const renew = vi.fn<Entries['renew']>().mockReturnValueOnce(renewed.promise)
  renew.mockRejectedValue(unreachable)
  const { start, wait, settle } = setUp(gate.handle, { renew })
  start()
  await wait(claimTtlMs / 3)
  expect(renew).toHaveBeenCalledTimes(1)
  await wait(15_000)
  renewed.resolve(new Set(['1']))
  await settle()
  await wait(14_000)
  expect(gate.readReason()).toBeUndefined()
  await wait(11_500)
  expect(gate.readReason()).toContain('has expired')
  gate.resolve()
  await settle()
})

describe('an outcome', () => {
  it('is recorded as soon as the database can be reached again', async () => {
    const complete = vi.fn<Entries['complete']>().mockRejectedValueOnce(unreachable)
    complete.mockRejectedValueOnce(unreachable).mockResolvedValue([true])
    const { start, wait, settle, entries, failures, onEnd } = setUp(() => {}, { complete })
    start()
    await settle()
    expect([complete.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 0])
    await wait(1_000)
    expect([complete.mock.calls.length, onEnd.mock.calls.length]).toEqual([3, 1])
    expect([failures, entries.settle.mock.calls]).toEqual([[], []])
  })

  it('is not recorded once the claim has expired', async () => {
    const complete = vi.fn<Entries['complete']>().mockRejectedValue(unreachable)
    const { start, wait, entries, failures } = setUp(() => {}, { complete })
    await wait(5_000)
    start()
    await wait(claimTtlMs)
    expect([failures.length, entries.settle.mock.calls.length]).toEqual([0, 0])
    await wait(500)
    expect(failures).toEqual([
      [unreachable, { stage: 'inbox', headers: claimed.headers, context: undefined }],
    ])
    expect(entries.settle.mock.calls).toMatchObject([[{ id: '1' }, { state: 'failed' }]])
  })

  it('that cannot be recorded is reported', async () => {
    const settling = vi.fn<Entries['settle']>().mockRejectedValue(new Error('refused'))
    const { start, settle, failures, onEnd } = setUp(() => Promise.reject(new Error('down')), {
      settle: settling,
    })
    start()
    await settle()
    expect(failures).toMatchObject([
      [{ message: 'down' }, { stage: 'handler', context: { attempt: { number: 1 } } }],
      [{ message: 'refused' }, { stage: 'inbox', context: undefined }],
    ])
    expect(onEnd).toHaveBeenCalledTimes(1)
  })
})

describe('a handler', () => {
  it('gets the delivery, the attempt and its headers', async () => {
    const contexts: Context[] = []
    const { start, settle, entries, effects } = setUp((context) => contexts.push(context))
    const sentAt = new Date(1)
    start({ attempts: 2, sentAt })
    start({ body: new TextEncoder().encode('{"eventType":"CALL_ENDED","callId":"c"}') })
    await settle()
    expect(contexts).toMatchObject([
      {
        delivery: { id: 'a', key: 'key' },
        attempt: { at: sentAt, receivedAt: claimed.receivedAt, number: 2 },
        rawBody: claimed.body,
        headers: claimed.headers,
        recognizedBy: 'event',
      },
      { attempt: { at: undefined, number: 1 }, recognizedBy: 'eventType' },
    ])
    expect(entries.complete.mock.calls.flatMap(([claims]) => claims)).toHaveLength(2)
    expect(effects.abandon).not.toHaveBeenCalled()
  })

  it('of unknown events gets no recognizedBy', async () => {
    const contexts: Context[] = []
    const { start, settle, handlers } = setUp(() => {})
    handlers.add(bindKind('unknown', (_, context) => contexts.push(context)))
    start({ body: new TextEncoder().encode('{"event":"NEW"}') })
    await settle()
    expect(contexts).toMatchObject([{ recognizedBy: undefined }])
  })
})

describe('an entry', () => {
  it('is parked when the process of the last attempt has died', async () => {
    const handle = vi.fn()
    const { start, settle, entries, onParked } = setUp(handle)
    start({ attempts: 4 })
    await settle()
    expect(handle).not.toHaveBeenCalled()
    const parked = {
      state: 'parked',
      reason: 'failed',
      error:
        'None of 3 attempts is left. The last one ended with its process or lost its claim, or maxAttempts was lowered.',
    }
    expect(entries.settle.mock.calls).toMatchObject([[{ id: '1' }, parked]])
    expect(onParked.mock.calls).toMatchObject([[{ id: '1' }, parked]])
    start({ attempts: 3 })
    await settle()
    expect(handle).toHaveBeenCalledTimes(1)
  })

  it('keeps at most 2,000 characters of an error, in a form that every database can store', async () => {
    const { start, settle, entries } = setUp(() => Promise.reject(new Error(`\0${'x'.repeat(5_000)}`)))
    const summary = { recap: '', keyPoints: Array.from({ length: 500 }, () => 1), nextSteps: [] }
    const drifted = JSON.stringify({ event: 'CALL_AI_SUMMARY', callId: 'c', summary })
    start()
    start({ body: new TextEncoder().encode(drifted) })
    await settle()
    const errors = entries.settle.mock.calls.map(([, settlement]) => Object(settlement).error)
    expect(errors.map(({ length }) => length)).toEqual([2_000, 2_000])
    expect(errors.join()).not.toContain('\0')
  })

  it('waits twice as long after each failure, up to an hour', async () => {
    using random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { start, settle, entries } = setUp(() => Promise.reject(new Error('down')), { maxAttempts: 100 })
    for (const attempts of [1, 2, 3, 4, 12, 13, 90]) start({ attempts })
    await settle()
    expect(random).toHaveBeenCalled()
    expect(entries.settle.mock.calls.map(([, settlement]) => Object(settlement).delayMs)).toEqual([
      600, 1_100, 2_100, 4_100, 1_024_100, 1_800_100, 1_800_100,
    ])
  })
})

describe('a claim', () => {
  it('is renewed every third of its lifetime, while its handler runs', async () => {
    const { handle, resolve } = createGate()
    const completed = Promise.withResolvers<boolean[]>()
    const { start, wait, settle, entries } = setUp(handle, { complete: () => completed.promise })
    start()
    await wait(9_500)
    expect(entries.renew).not.toHaveBeenCalled()
    await wait(500)
    expect(entries.renew.mock.calls).toMatchObject([[[{ id: '1', token: 'token' }], claimTtlMs]])
    await wait(10_000)
    expect(entries.renew).toHaveBeenCalledTimes(2)
    resolve()
    await wait(10_000)
    expect(entries.renew).toHaveBeenCalledTimes(2)
    completed.resolve([true])
    await settle()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is renewed even if no handler ran before it', async () => {
    const { handle, resolve } = createGate()
    const { start, wait, settle, entries } = setUp((context) =>
      context.delivery.id === 'slow' ? handle(context) : undefined,
    )
    start()
    await settle()
    start({ deliveryId: 'slow' })
    await wait(10_000)
    expect(entries.renew).toHaveBeenCalledTimes(1)
    resolve()
    await settle()
  })

  it('is renewed even if another handler has ended in the meantime', async () => {
    const { handle, resolve } = createGate()
    const { start, wait, settle, entries } = setUp((context) =>
      context.delivery.id === 'slow' ? handle(context) : undefined,
    )
    start({ id: '1', deliveryId: 'slow' })
    start({ id: '2' })
    await wait(10_000)
    expect(entries.renew.mock.calls).toMatchObject([[[{ id: '1' }], claimTtlMs]])
    resolve()
    await settle()
  })

  it('that is completed during its renewal does not count as lost', async () => {
    const { handle, resolve, readReason } = createGate()
    const renewed = Promise.withResolvers<Set<string>>()
    const { start, wait, settle } = setUp(handle, { renew: () => renewed.promise })
    start()
    await wait(10_000)
    resolve()
    await settle()
    renewed.resolve(new Set())
    await settle()
    expect(readReason()).toBe(undefined)
  })

  it('is not renewed continuously if its lifetime exceeds the longest timer', async () => {
    const { handle, resolve } = createGate()
    const { start, wait, settle, entries } = setUp(handle, { claimTtlMs: 2 ** 40 })
    start()
    await wait(1_000)
    expect(entries.renew).not.toHaveBeenCalled()
    resolve()
    await settle()
  })

  it('aborts only the signal of its own handler when it is lost', async () => {
    const [lost, held] = [createGate(), createGate()]
    const { start, wait, attempts } = setUp(
      (context) => (context.delivery.id === 'lost' ? lost : held).handle(context),
      { renew: async () => new Set(['2']) },
    )
    start({ id: '1', deliveryId: 'lost' })
    start({ id: '2', deliveryId: 'held' })
    await wait(40_000)
    expect([lost.readReason(), held.readReason()]).toEqual(['The claim of this entry was lost.', undefined])
    attempts.abandon()
  })

  it('that cannot be renewed aborts the signal once it has expired', async () => {
    const { handle, readReason } = createGate()
    const renew = vi.fn<Entries['renew']>().mockRejectedValue(unreachable)
    const { start, wait, attempts, failures } = setUp(handle, { renew })
    start()
    await wait(claimTtlMs)
    expect([renew.mock.calls.length, readReason()]).toEqual([3, undefined])
    await wait(10_000)
    expect(readReason()).toContain('has expired')
    expect(failures.at(-1)).toEqual([
      unreachable,
      { stage: 'inbox', headers: new Headers(), context: undefined },
    ])
    attempts.abandon()
  })

  it('that was renewed late counts from the start of its renewal', async () => {
    const { handle, readReason } = createGate()
    const renew = vi.fn<Entries['renew']>().mockResolvedValueOnce(new Set(['1']))
    renew.mockRejectedValue(unreachable)
    const { start, wait, attempts } = setUp(handle, { renew })
    start()
    await wait(40_000)
    expect(readReason()).toBe(undefined)
    await wait(10_000)
    expect(readReason()).toContain('has expired')
    attempts.abandon()
  })
})

describe('stopping', () => {
  it('forgets attempts that do not end, and stops renewing their claims', async () => {
    const { handle } = createGate()
    const { start, wait, attempts, effects, entries, onEnd } = setUp(handle)
    start({ id: '1' })
    start({ id: '2' })
    expect([attempts.count(), attempts.list().map(({ id }) => id)]).toEqual([2, ['1', '2']])
    attempts.abandon()
    await wait(claimTtlMs)
    expect([attempts.count(), vi.getTimerCount()]).toEqual([0, 0])
    expect(effects.abandon).toHaveBeenCalledTimes(2)
    expect(onEnd).toHaveBeenCalledTimes(2)
    expect(entries.renew).not.toHaveBeenCalled()
  })
})
