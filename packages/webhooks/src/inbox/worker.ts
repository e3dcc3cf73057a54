import type { DrainOptions, DrainResult } from '../receiver/inbox.ts'
import type { StopOptions } from '../receiver/running.ts'
import { waitAtMost } from '../time-limit.ts'
import { assertAboveZero, assertZeroOrMore } from '../usage.ts'
import { type AttemptsOptions, createAttempts, minimumDelayMs } from './attempts.ts'
import { collect } from './batch.ts'
import { createNotifier } from './notifier.ts'

/** How long `stop` waits for handlers before it aborts their signals, in milliseconds. */
const stopMs = 10_000
/** How long `stop` then waits for handlers to end, in milliseconds. */
const abortMs = 1_000

/** Interval at which expired entries are deleted, in milliseconds. */
const forgetEveryMs = 60_000
/** Interval at which entries that now have a handler are retried, in milliseconds. */
const unparkEveryMs = 3_600_000

type WorkerOptions = AttemptsOptions & {
  readonly concurrency: number
  readonly pollMs: number
  readonly unpark: () => Promise<unknown>
  /** Warns about a setting that makes the database acknowledge a commit before it is synced. */
  readonly warnIfWeak: () => Promise<void>
}

/**
 * Creates a worker, which claims as many entries as it may attempt concurrently, and starts their attempts.
 * Retries get at most half of the slots, rounded up. With two slots or more, some are therefore left for new entries.
 */
export const createWorker = (options: WorkerOptions) => {
  const { engine, entries, claimTtlMs, concurrency, pollMs, unpark, warnIfWeak } = options
  const notifier = createNotifier()
  const attempts = createAttempts(options, notifier.notify)
  let loop: Promise<void> | undefined
  let release: (() => Promise<void>) | undefined
  let tidied: Promise<unknown> | undefined
  let stopping = false

  const claimSome = async (again: boolean): Promise<number> => {
    const running = attempts.list()
    const free = concurrency - running.length
    const retries = running.filter((entry) => entry.attempts > 1).length
    const limit = again ? Math.min(free, Math.ceil(concurrency / 2) - retries) : free
    if (limit <= 0 || stopping) return 0
    const renewedAt = performance.now()
    const except = again ? running.map(({ id }) => id) : []
    const claimed = await entries.claim({ again, except, limit, claimMs: claimTtlMs })
    if (again && claimed.length < limit) lookedForRetriesAt = renewedAt
    for (const entry of claimed) attempts.start(entry, renewedAt)
    return claimed.length
  }

  let lookedForRetriesAt = Number.NEGATIVE_INFINITY
  /** Claims at most as many entries as there are free slots, and starts handling them. Returns their number. */
  const claimFree = async (): Promise<number> => {
    // Retries go first. While new entries keep arriving, one search for retries per minimum delay is enough.
    const areRetriesFirst = performance.now() - lookedForRetriesAt >= minimumDelayMs
    const retries = areRetriesFirst ? await claimSome(true) : 0
    const count = retries + (await claimSome(false))
    return count === 0 && !areRetriesFirst ? claimSome(true) : count
  }

  let claiming: Promise<unknown> = Promise.resolve()
  /** Runs one claim at a time, because each depends on the number of free slots. */
  const claimNext = (): Promise<number> => {
    // Entries that are completed in one batch free their slots at the same time. Waiting for one turn of the
    // event loop lets a single claim fill them all.
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
        await attempts.reportError(error)
      }
    }
  }
  const forget = every(forgetEveryMs, async () => {
    while (!stopping && (await entries.forget(500)) >= 500);
  })
  const unparkSometimes = every(unparkEveryMs, unpark)

  const work = async (): Promise<void> => {
    const unlisten = engine.listen?.(notifier.notify)
    // Ignores database errors, because storing and claiming report them.
    tidied = warnIfWeak().catch(() => {})
    let isIdle = false
    while (!stopping) {
      const seen = notifier.count()
      tidied = tidied.then(unparkSometimes).then(forget)
      let claimed = 0
      try {
        if (!isIdle || (await entries.isDue())) claimed = await claimNext()
      } catch (error) {
        await attempts.reportError(error)
      }
      if (claimed === 0 || attempts.count() >= concurrency) await notifier.wait(seen, pollMs)
      isIdle = claimed === 0 && notifier.count() === seen
    }
    unlisten?.()
  }

  /** Waits up to `maxMs` milliseconds for all handlers to end. Returns whether all have ended. */
  const settle = async (maxMs: number): Promise<boolean> => {
    const endsAt = performance.now() + maxMs
    for (;;) {
      const seen = notifier.count()
      const leftMs = endsAt - performance.now()
      if (attempts.count() === 0 || leftMs <= 0) return attempts.count() === 0
      await notifier.wait(seen, leftMs)
    }
  }

  return {
    wake: notifier.notify,
    isStarted: (): boolean => loop !== undefined,
    /** Returns whether this process has a free slot for the events that it stores. */
    isFree: (): boolean => loop !== undefined && attempts.count() < concurrency,
    start: (): void => {
      if (loop !== undefined) return
      stopping = false
      release = engine.hold()
      loop = work()
    },
    stop: async ({ maxMs = stopMs }: StopOptions = {}): Promise<void> => {
      assertAboveZero('maxMs', maxMs)
      stopping = true
      notifier.notify()
      await loop
      await claiming
      loop = undefined
      if (!(await settle(maxMs))) {
        attempts.abort()
        await settle(abortMs)
        attempts.abandon()
      }
      await release?.()
      release = undefined
      // Waits for tidying to end, because the caller may close the pool next. A database that does not
      // respond delays this by at most `abortMs`.
      await waitAtMost(abortMs, () => tidied)
    },
    drain: async ({ maxMs = Number.POSITIVE_INFINITY }: DrainOptions = {}): Promise<DrainResult> => {
      assertZeroOrMore('maxMs', maxMs)
      const endsAt = performance.now() + maxMs
      const handledBefore = attempts.countHandled()
      if (loop === undefined) stopping = false
      const release = engine.hold()
      try {
        await unparkSometimes()
        for (;;) {
          const seen = notifier.count()
          const claimed = !stopping && performance.now() < endsAt ? await claimNext() : 0
          // An entry that was completed in the meantime may have freed its lane for the next one.
          if (claimed > 0 || notifier.count() !== seen) continue
          if (attempts.count() === 0) break
          await notifier.wait(seen, pollMs)
        }
        await forget()
        return { handled: attempts.countHandled() - handledBefore, ...(await entries.readRemaining()) }
      } finally {
        await release()
      }
    },
  }
}

export type Worker = ReturnType<typeof createWorker>
