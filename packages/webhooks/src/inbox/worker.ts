import type { ParsedEvent } from '../parse/parse-event.ts'
import { callHandler } from '../receiver/handlers.ts'
import type { DrainOptions, InboxContext, InboxHost, ParkedReason, Remaining } from '../receiver/inbox.ts'
import type { StopOptions } from '../receiver/running.ts'
import { collect, createBatch } from './batch.ts'
import { createBell } from './bell.ts'
import type { Effects, InboxEngine } from './engine.ts'
import type { Entries, Settlement } from './entries.ts'
import { parseStored, toStorableText } from './identify.ts'
import type { ClaimedEntry } from './read-entry.ts'

/** Time limit for `stop`, and the time that it then waits for handlers that obey `signal`, in milliseconds. */
const stopMs = 10_000
const abortMs = 1_000

/**
 * Interval at which expired entries are deleted, and parked entries that a handler takes now are retried, in
 * milliseconds.
 */
const forgetEveryMs = 60_000
const unparkEveryMs = 3_600_000

/**
 * Minimum, first and maximum delay of a retry, in milliseconds. The minimum prevents two attempts in a short `drain`.
 */
const minimumDelayMs = 100
const firstDelayMs = 1_000
const maximumDelayMs = 3_600_000

/** The abort reason of `signal` when the receiver stops. An attempt that ends for this reason has not failed. */
const stopped = /* @__PURE__ */ new Error('The receiver is being stopped.')

/** Picks a random delay with exponential backoff and full jitter. */
const drawDelay = (attempts: number): number =>
  Math.round(minimumDelayMs + Math.random() * Math.min(maximumDelayMs, firstDelayMs * 2 ** (attempts - 1)))

/** The reason why an entry was parked. */
export type Parked = Extract<Settlement, { readonly state: 'parked' }>

/** An attempt under way. */
type Attempt<Client, Database> = {
  readonly entry: ClaimedEntry
  readonly abort: AbortController
  readonly effects: Effects<Client, Database>
  /** When the claim was made or renewed, according to the monotonic clock. */
  renewedAt: number
  /** Set once its handlers have ended. */
  ended: boolean
}

/** Options for {@link createWorker}. */
type WorkerOptions<Client, Database> = InboxHost<InboxContext<Client, Database>> & {
  readonly engine: InboxEngine<Client, Database>
  readonly entries: Entries
  readonly concurrency: number
  readonly maxAttempts: number
  readonly pollMs: number
  readonly onParked: (id: string, parked: Parked) => unknown
  /** Retries parked entries that a handler takes now. */
  readonly unpark: () => Promise<unknown>
  /** Warns about a setting that makes the database acknowledge a commit before it is synced. */
  readonly warnIfWeak: () => Promise<void>
}

const describe = (error: unknown): string => toStorableText(String(error), 2_000)

/** The reason why no handler took an event. */
const findReason = (parsed: ParsedEvent | undefined): ParkedReason => {
  if (parsed === undefined) return 'unreadable'
  return parsed.kind === 'event' ? 'no_handler' : parsed.kind
}

/**
 * Creates a worker: it claims entries, calls their handlers, keeps the claims, and records the outcomes. Entries that
 * have failed before get at most half of its slots, so that they never hold up the others.
 */
export const createWorker = <Client, Database>({
  engine,
  entries,
  handlers,
  report,
  claimTtlMs,
  maxBodyBytes,
  concurrency,
  maxAttempts,
  pollMs,
  onParked,
  unpark,
  warnIfWeak,
}: WorkerOptions<Client, Database>) => {
  type Running = Attempt<Client, Database>
  const running = new Set<Running>()
  const complete = createBatch(entries.complete)
  let loop: Promise<void> | undefined
  let release: (() => Promise<void>) | undefined
  let tidied: Promise<unknown> | undefined
  let stopping = false
  let keeper: ReturnType<typeof setInterval> | undefined

  const bell = createBell()

  const reportError = (error: unknown, attempt?: Running) =>
    report(error, { stage: 'inbox', headers: attempt?.entry.headers ?? new Headers(), context: undefined })

  /** Renews the claims of running handlers, and aborts the signal of handlers whose claim was lost. */
  const renewClaims = async (): Promise<void> => {
    const kept = [...running].filter(({ ended }) => !ended)
    if (kept.length === 0) return
    const startedAt = performance.now()
    try {
      const held = await entries.renew(
        kept.map(({ entry }) => entry),
        claimTtlMs,
      )
      for (const attempt of kept) {
        if (held.has(attempt.entry.id)) attempt.renewedAt = startedAt
        else if (!attempt.ended) attempt.abort.abort(new Error('The claim of this entry was lost.'))
      }
    } catch (error) {
      await reportError(error)
    }
    for (const attempt of kept) {
      if (performance.now() - attempt.renewedAt > claimTtlMs) {
        attempt.abort.abort(
          new Error('The claim of this entry has expired, because it could not be renewed.'),
        )
      }
    }
  }

  const add = (attempt: Running): void => {
    running.add(attempt)
    keeper ??= setInterval(() => void renewClaims(), Math.min(claimTtlMs / 3, 2 ** 31 - 1))
  }

  const remove = (attempt: Running): void => {
    running.delete(attempt)
    if (running.size === 0) {
      clearInterval(keeper)
      keeper = undefined
    }
    bell.ring()
  }

  const toContext = ({ entry, abort, effects }: Running, parsed: ParsedEvent | undefined) => ({
    delivery: { id: entry.deliveryId, key: entry.key },
    attempt: { at: entry.sentAt, receivedAt: entry.receivedAt, number: entry.attempts },
    rawBody: entry.body,
    headers: entry.headers,
    recognizedBy: parsed?.kind === 'event' ? parsed.recognizedBy : undefined,
    signal: abort.signal,
    transaction: effects.transaction,
    atCompletion: effects.atCompletion,
  })

  /** Calls the handlers of an entry. Returns how to settle it, or `undefined` when they have succeeded. */
  const callHandlers = async (attempt: Running): Promise<Settlement | undefined> => {
    const { entry } = attempt
    if (entry.known !== undefined) return { state: entry.known }
    if (entry.attempts > maxAttempts) {
      const error = `All ${maxAttempts} attempts ended with their process or lost their claim.`
      return { state: 'parked', reason: 'failed', error }
    }
    const parsed = parseStored(entry.body, maxBodyBytes)
    const tasks = parsed === undefined ? [] : handlers.find(parsed)
    if (tasks.length === 0) {
      const error =
        parsed?.kind === 'drifted' ? parsed.issues.map(({ message }) => message).join('; ') : undefined
      return { state: 'parked', reason: findReason(parsed), error: error && toStorableText(error, 2_000) }
    }
    const context = toContext(attempt, parsed)
    const calls = tasks.map(async (task) => {
      try {
        await callHandler(task, context)
        return undefined
      } catch (error) {
        const failure = { stage: 'handler', headers: entry.headers, context } as const
        await report(error, failure)
        return toFailure(attempt, error)
      }
    })
    const failures = await Promise.all(calls)
    return failures.find((failure) => failure !== undefined)
  }

  const toFailure = ({ entry, abort }: Running, error: unknown): Settlement => {
    if (abort.signal.reason === stopped) return { state: 'released' }
    if (entry.attempts >= maxAttempts) return { state: 'parked', reason: 'failed', error: describe(error) }
    const delayMs = drawDelay(entry.attempts)
    return { state: 'failed', error: describe(error), delayMs, subject: entry.subject }
  }

  /** Tries to record an outcome until the claim expires. If that fails, the entry is attempted again. */
  const persist = async <Result>(attempt: Running, write: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!engine.isTransient(error) || performance.now() - attempt.renewedAt > claimTtlMs) throw error
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }

  const succeed = async (attempt: Running): Promise<void> => {
    const { entry, effects } = attempt
    const held =
      (await effects.complete(entries.toHandled(entry))) ?? (await persist(attempt, () => complete(entry)))
    if (!held) throw new Error('The claim of this entry was lost: another process handles it.')
  }

  const fail = async (attempt: Running, settlement: Settlement): Promise<void> => {
    const { entry, effects } = attempt
    effects.abandon()
    const held = await persist(attempt, () => entries.settle(entry, settlement))
    if (held && settlement.state === 'parked') await onParked(entry.id, settlement)
  }

  const handle = async (attempt: Running): Promise<void> => {
    add(attempt)
    const { entry } = attempt
    try {
      let settlement = await callHandlers(attempt)
      attempt.ended = true
      if (settlement === undefined) {
        try {
          await succeed(attempt)
        } catch (error) {
          await reportError(error, attempt)
          settlement = toFailure(attempt, error)
        }
      }
      if (settlement !== undefined) await fail(attempt, settlement)
      const leaves = settlement?.state !== 'failed' && settlement?.state !== 'released'
      if (leaves && entry.attempts > 1 && entry.subject !== undefined) await entries.release(entry.subject)
    } catch (error) {
      await reportError(error, attempt)
    } finally {
      remove(attempt)
    }
  }

  const claimSome = async (again: boolean): Promise<number> => {
    const free = concurrency - running.size
    const retries = [...running].filter(({ entry }) => entry.attempts > 1).length
    const limit = again ? Math.min(free, Math.ceil(concurrency / 2) - retries) : free
    if (limit <= 0) return 0
    const renewedAt = performance.now()
    const except = again ? [...running].map(({ entry }) => entry.id) : []
    const claimed = await entries.claim({ again, except, limit, claimMs: claimTtlMs })
    if (again && claimed.length < limit) lookedForRetriesAt = renewedAt
    for (const entry of claimed) {
      void handle({ entry, abort: new AbortController(), effects: engine.begin(), renewedAt, ended: false })
    }
    return claimed.length
  }

  let lookedForRetriesAt = Number.NEGATIVE_INFINITY
  /** Claims as many entries as there are free slots, and starts handling them. Returns their number. */
  const claimFree = async (): Promise<number> => {
    // Retries go first. While new entries keep arriving, the search for retries runs at most once per minimum delay of
    // a retry.
    const areRetriesFirst = performance.now() - lookedForRetriesAt >= minimumDelayMs
    const retries = areRetriesFirst ? await claimSome(true) : 0
    const count = retries + (await claimSome(false))
    return count === 0 && !areRetriesFirst ? claimSome(true) : count
  }

  let claiming: Promise<unknown> = Promise.resolve()
  /** Runs one claim at a time, because each depends on the number of free slots. */
  const claimNext = (): Promise<number> => {
    // Entries that are completed in one batch free their slots at the same time, so that one claim can fill them.
    const next = claiming.then(collect).then(claimFree)
    claiming = next.catch(() => {})
    return next
  }

  /** Returns a function that runs work on its first call, and then at most once per period. */
  const every = (periodMs: number, work: () => Promise<unknown>) => {
    let lastAt = Number.NEGATIVE_INFINITY
    return async (): Promise<void> => {
      if (performance.now() - lastAt < periodMs) return
      lastAt = performance.now()
      try {
        await work()
      } catch (error) {
        await reportError(error)
      }
    }
  }
  const forget = every(forgetEveryMs, async () => {
    while (!stopping && (await entries.forget(500)) >= 500);
  })
  const unparkSometimes = every(unparkEveryMs, unpark)

  const work = async (): Promise<void> => {
    const unlisten = engine.listen(bell.ring)
    // Storing and claiming report database errors.
    tidied = warnIfWeak().catch(() => {})
    while (!stopping) {
      const rings = bell.count()
      tidied = tidied.then(unparkSometimes).then(forget)
      let claimed = 0
      try {
        claimed = await claimNext()
      } catch (error) {
        await reportError(error)
      }
      if (claimed === 0 || running.size >= concurrency) await bell.wait(rings, pollMs)
    }
    unlisten()
  }

  /** Waits at most `maxMs` milliseconds until all handlers have ended. Returns whether they have. */
  const settle = async (maxMs: number): Promise<boolean> => {
    const endsAt = performance.now() + maxMs
    for (;;) {
      const rings = bell.count()
      const leftMs = endsAt - performance.now()
      if (running.size === 0 || leftMs <= 0) return running.size === 0
      await bell.wait(rings, leftMs)
    }
  }

  return {
    /** Looks for work now. */
    wake: bell.ring,
    /** Returns whether this process handles entries. */
    isStarted: (): boolean => loop !== undefined,
    /** Returns whether this process has a free slot for the events that it stores. */
    isFree: (): boolean => loop !== undefined && running.size < concurrency,
    start: (): void => {
      if (loop !== undefined) return
      stopping = false
      release = engine.hold()
      loop = work()
    },
    stop: async ({ maxMs = stopMs }: StopOptions = {}): Promise<void> => {
      stopping = true
      bell.ring()
      await loop
      loop = undefined
      if (!(await settle(maxMs))) {
        for (const { abort } of running) abort.abort(stopped)
        await settle(abortMs)
        // No longer renews the claims of handlers that do not end.
        for (const attempt of [...running]) {
          attempt.effects.abandon()
          remove(attempt)
        }
      }
      await release?.()
      release = undefined
      // The pool may be closed afterwards. Does not wait for a statement that the database does not respond to.
      let timer: ReturnType<typeof setTimeout> | undefined
      const tooLong = new Promise((resolve) => {
        timer = setTimeout(resolve, abortMs)
      })
      await Promise.race([tidied, tooLong])
      clearTimeout(timer)
    },
    drain: async ({ maxMs = Number.POSITIVE_INFINITY }: DrainOptions = {}): Promise<Remaining> => {
      const endsAt = performance.now() + maxMs
      const release = engine.hold()
      try {
        await unparkSometimes()
        for (;;) {
          const rings = bell.count()
          const claimed = performance.now() < endsAt ? await claimNext() : 0
          // An entry that was completed in the meantime may have freed its lane for the next one.
          if (claimed > 0 || bell.count() !== rings) continue
          if (running.size === 0) break
          await bell.wait(rings, pollMs)
        }
        await forget()
        return await entries.readRemaining()
      } finally {
        await release()
      }
    },
  }
}
