import { longestTimerMs } from '@wabakit/wire'
import { type ParsedEvent, parseIfReadable } from '../parse/parse-event.ts'
import { callAll } from '../receiver/handlers.ts'
import type { InboxContext, InboxHost } from '../receiver/inbox.ts'
import { createBatch } from './batch.ts'
import type { Effects, InboxEngine } from './engine.ts'
import type { Entries, Settlement } from './entries.ts'
import type { ClaimedEntry } from './read-entry.ts'
import { readIdentity, toStorableText } from './stored-event.ts'
import { type InboxTrace, traceAttempt } from './trace-attempt.ts'

/** Retry delays, in milliseconds. The minimum keeps a short `drain` from attempting an entry twice. */
export const minimumDelayMs = 100
const firstDelayMs = 1_000
const maximumDelayMs = 3_600_000

/** The abort reason of `signal` when the receiver stops. An attempt that ends for this reason has not failed. */
const stopped = /* @__PURE__ */ new Error('The receiver is being stopped.')

/** Picks a random delay with exponential backoff and full jitter. */
const drawDelay = (attempts: number): number =>
  Math.round(minimumDelayMs + Math.random() * Math.min(maximumDelayMs, firstDelayMs * 2 ** (attempts - 1)))

type Attempt = {
  readonly entry: ClaimedEntry
  readonly abort: AbortController
  readonly effects: Effects<unknown, unknown>
  /** When the claim, or its last renewal, was requested, on the monotonic clock. */
  renewedAt: number
  /** Resolves to an error when the connection that runs the effects no longer responds. */
  readonly silenced: Promise<Error>
  /** Set once the handlers have ended, or were given up. */
  ended: boolean
}

export type AttemptsOptions = InboxHost<InboxContext<unknown, unknown>> & {
  readonly engine: InboxEngine
  readonly entries: Entries
  readonly maxAttempts: number
  readonly unhandled: 'keep' | 'discard'
  readonly onParked: (
    entry: ClaimedEntry,
    parked: Extract<Settlement, { readonly state: 'parked' }>,
  ) => unknown
}

const describe = (error: unknown): string => toStorableText(String(error), 2_000)

/** Makes attempts at claimed entries: calls handlers, renews claims and records outcomes. Calls `onEnd` after each attempt. */
export const createAttempts = (options: AttemptsOptions, onEnd: () => void) => {
  const { engine, entries, handlers, report, claimTtlMs, maxBodyBytes, maxAttempts, unhandled, onParked } =
    options
  const running = new Set<Attempt>()
  let handled = 0
  const complete = createBatch(entries.complete)
  let keeper: ReturnType<typeof setInterval> | undefined

  const reportError = (error: unknown, attempt?: Attempt) =>
    report(error, { stage: 'inbox', headers: attempt?.entry.headers ?? new Headers(), context: undefined })

  /**
   * Renews the claims of entries whose handlers are running. Aborts a handler's signal if its claim was lost
   * or has expired.
   */
  const renewClaims = async (): Promise<void> => {
    const kept = [...running].filter(({ ended }) => !ended)
    if (kept.length === 0) return
    const startedAt = performance.now()
    const claims = kept.map(({ entry }) => entry)
    try {
      const held = await entries.renew(claims, claimTtlMs)
      for (const attempt of kept) {
        if (held.has(attempt.entry.id)) attempt.renewedAt = startedAt
        else if (!attempt.ended) attempt.abort.abort(new Error('The claim of this entry was lost.'))
      }
    } catch (error) {
      await reportError(error)
    }
    for (const attempt of kept) {
      if (performance.now() - attempt.renewedAt <= claimTtlMs) continue
      attempt.abort.abort(new Error('The claim of this entry has expired, because it could not be renewed.'))
    }
  }

  const add = (attempt: Attempt): void => {
    running.add(attempt)
    keeper ??= setInterval(() => void renewClaims(), Math.min(claimTtlMs / 3, longestTimerMs))
  }

  const remove = (attempt: Attempt): void => {
    running.delete(attempt)
    if (running.size === 0) {
      clearInterval(keeper)
      keeper = undefined
    }
    onEnd()
  }

  const toContext = ({ entry, abort, effects }: Attempt, parsed: ParsedEvent | undefined) => ({
    delivery: { id: entry.deliveryId, key: entry.key, identity: readIdentity(entry.key) },
    attempt: { at: entry.sentAt, receivedAt: entry.receivedAt, number: entry.attempts },
    rawBody: entry.body,
    bodyWasParsed: entry.bodyWasParsed,
    headers: entry.headers,
    verifiedBy: entry.verifiedBy,
    recognizedBy: parsed?.kind === 'event' ? parsed.recognizedBy : undefined,
    signal: abort.signal,
    transaction: effects.transaction,
    atCompletion: effects.atCompletion,
  })

  /** Returns the outcome of an event that no handler takes. */
  const toUntaken = (parsed: ParsedEvent | undefined): Settlement => {
    if (parsed === undefined) return { state: 'parked', reason: 'unreadable', error: undefined }
    if (parsed.kind === 'drifted') {
      const error = parsed.issues.map(({ message }) => message).join('; ')
      return { state: 'parked', reason: 'drifted', error: toStorableText(error, 2_000) }
    }
    if (unhandled === 'discard') return { state: 'discarded' }
    if (parsed.kind === 'unknown') return { state: 'parked', reason: 'unknown', error: undefined }
    return { state: 'unhandled' }
  }

  /** Calls the handlers of an entry. Returns the outcome to record, or `undefined` when the handlers have succeeded. */
  const callHandlers = async (attempt: Attempt): Promise<Settlement | undefined> => {
    const { entry } = attempt
    if (entry.known !== undefined) return { state: entry.known }
    if (entry.attempts > maxAttempts) {
      const error = `None of ${maxAttempts} attempts is left. The last one ended with its process or lost its claim, or maxAttempts was lowered.`
      return { state: 'parked', reason: 'failed', error }
    }
    if (entry.damage !== undefined) {
      await reportError(entry.damage, attempt)
      return toFailure(attempt, entry.damage)
    }
    const parsed = parseIfReadable(entry.body, maxBodyBytes)
    const tasks = parsed === undefined ? [] : handlers.find(parsed)
    if (tasks.length === 0) return toUntaken(parsed)
    const context = toContext(attempt, parsed)
    return callAll(tasks, context, async (error) => {
      await report(error, { stage: 'handler', headers: entry.headers, context })
      return toFailure(attempt, error)
    })
  }

  const toFailure = ({ entry, abort }: Attempt, error: unknown): Settlement => {
    if (abort.signal.reason === stopped) return { state: 'released' }
    if (entry.attempts >= maxAttempts) return { state: 'parked', reason: 'failed', error: describe(error) }
    return { state: 'failed', error: describe(error), delayMs: drawDelay(entry.attempts) }
  }

  /**
   * Records an outcome, with retries of transient errors until the claim expires. If that fails, the entry is attempted again,
   * unless this was its last attempt.
   */
  const persist = async <Result>(attempt: Attempt, write: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!engine.isTransient(error) || performance.now() - attempt.renewedAt > claimTtlMs) throw error
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }

  const succeed = async (attempt: Attempt): Promise<void> => {
    const { entry, effects } = attempt
    const held =
      (await effects.complete(entries.toHandled(entry))) ?? (await persist(attempt, () => complete(entry)))
    if (!held) throw new Error('The claim of this entry was lost: another process handles it.')
  }

  const fail = async (attempt: Attempt, settlement: Settlement): Promise<InboxTrace['outcome']> => {
    const { entry, effects } = attempt
    effects.abandon()
    const held = await persist(attempt, () => entries.settle(entry, settlement))
    if (held && settlement.state === 'parked') await onParked(entry, settlement)
    return held ? settlement.state : undefined
  }

  /** Ends an attempt whose connection no longer responds, because its handler may never return. */
  const giveUp = async (attempt: Attempt): Promise<Settlement> => {
    const error = await attempt.silenced
    attempt.abort.abort(error)
    await reportError(error, attempt)
    return toFailure(attempt, error)
  }

  const handle = async (attempt: Attempt): Promise<InboxTrace['outcome']> => {
    try {
      let settlement = await Promise.race([callHandlers(attempt), giveUp(attempt)])
      attempt.ended = true
      if (settlement === undefined) {
        try {
          await succeed(attempt)
          handled += 1
          return 'handled'
        } catch (error) {
          await reportError(error, attempt)
          settlement = toFailure(attempt, error)
        }
      }
      return await fail(attempt, settlement)
    } catch (error) {
      await reportError(error, attempt)
      return undefined
    } finally {
      remove(attempt)
    }
  }

  return {
    count: (): number => running.size,
    countHandled: (): number => handled,
    list: (): ClaimedEntry[] => Array.from(running, ({ entry }) => entry),
    /** Starts an attempt at an entry whose claim was requested at `renewedAt`, according to the monotonic clock. */
    start: (entry: ClaimedEntry, renewedAt: number): void => {
      const { promise: silenced, resolve } = Promise.withResolvers<Error>()
      const effects = engine.begin(resolve)
      const attempt = { entry, abort: new AbortController(), effects, silenced, renewedAt, ended: false }
      add(attempt)
      const { headers, attempts, name } = entry
      const trace: InboxTrace = { headers, attempt: attempts, eventName: name }
      void traceAttempt(trace, async () => {
        const outcome = await handle(attempt)
        if (outcome !== undefined) trace.outcome = outcome
      })
    },
    /** Aborts the signals of all handlers. Attempts that fail for this reason do not count. */
    abort: (): void => {
      for (const { abort } of running) abort.abort(stopped)
    },
    /** Forgets the attempts that are still running, and stops renewing their claims. */
    abandon: (): void => {
      for (const attempt of [...running]) {
        attempt.effects.abandon()
        remove(attempt)
      }
    },
    reportError,
  }
}
