import type { HealthEvent } from '@wabakit/contract'
import type { ServerContext } from '../server-context.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { type Clock, readWallClock, startBackgroundTimer } from '../values/clock.ts'
import type { Random } from '../values/ids.ts'
import type { DeliveryFetch } from './attempt.ts'
import { createOwnership } from './ownership.ts'
import { createScheduler } from './scheduler.ts'
import { type AttemptReported, createSending } from './sending.ts'
import { persistentFailures } from './store-failures.ts'

/** Options for sending deliveries. */
export type DeliveryOptions = {
  /**
   * Maximum duration of an attempt, including its response, in milliseconds.
   * @default 15_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum number of concurrent attempts to endpoints that respond quickly. After half a second, an attempt no longer
   * counts, unless `sharesFairly` is `false`. An attempt to a suspect endpoint (see `sharesFairly`) starts only while
   * fewer than 16 times as many of such attempts and of slow ones are under way.
   * @default 64
   */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of concurrent deliveries to one subscription, each from loading it until its result is written. So
   * there are at most as many concurrent attempts.
   * @default 8
   */
  readonly perSubscription?: number | undefined
  /**
   * Gives suspect endpoints separate capacity. An endpoint is suspect if its subscription is new, or its last attempt
   * was slow or failed. If it is new or its last attempt failed, an attempt starts only when no other is under way.
   * Disable this only if the server has a single user, as in a test.
   * @default true
   */
  readonly sharesFairly?: boolean | undefined
  /**
   * Time after which other workers take over from a worker that no longer renews its lease, in milliseconds.
   * @default 20_000
   */
  readonly leaseMs?: number | undefined
  /**
   * Interval at which a started dispatcher polls the store, in milliseconds.
   * @default 1_000
   */
  readonly pollMs?: number | undefined
  /**
   * Returns whether the endpoint at a URL may get events with a custom payload. Deliveries of such events to other
   * endpoints are skipped.
   * @default () => true
   */
  readonly allowsCustomPayload?: ((url: string) => boolean) | undefined
  /**
   * The clock for `webhook-timestamp`. Set it if the server's clock is not real: receivers reject old webhooks.
   * @default the time of day according to the server's clock
   */
  readonly signatureClock?: Clock | undefined
  /**
   * Determines the jitter of the pauses between attempts. `() => 0` makes the schedule exact.
   * @default the server's `random`
   */
  readonly random?: Random | undefined
}

/** What keeps a dispatcher from delivering. */
export type DeliveryProblems = {
  /**
   * Number of results that could not be stored, at least twice. Until they are stored, their endpoints get one attempt
   * at a time, after pauses.
   */
  readonly unstoredResults: number
  /**
   * Number of deliveries that could not be loaded, at least twice, although the store responded, such as those of an
   * event whose row is damaged. They are tried again after growing pauses, and the others go on.
   */
  readonly unreadableDeliveries: number
  /** Set if the store failed at least twice in a row when this worker renewed its lease. */
  readonly cannotRenew: boolean
  /** Set if the store failed at least twice in a row when deliveries were loaded. */
  readonly cannotLoad: boolean
  /**
   * Set if an attempt failed within the last two seconds because this machine is short of file descriptors or memory.
   * Such an attempt is repeated after a second, and does not count.
   */
  readonly shortage: Error | undefined
}

/** Options for stopping a dispatcher. @inline */
export type StopOptions = {
  /**
   * Time for running attempts to finish, in milliseconds. After that, they are aborted and released.
   * @default 10_000
   */
  readonly graceMs?: number | undefined
}

/** Sends a store's deliveries. */
export type Dispatcher = {
  /**
   * Sends all deliveries that are due now or become due in the meantime, except those of other workers that share the
   * store. Resolves when they are all settled. There is no rate limit: meanwhile, `maxAttemptsPerSecond` does not
   * apply.
   *
   * @throws any error of the store, such as StorageUnavailableError.
   */
  runDue(): Promise<void>
  /** Returns the earliest due time, as Unix time in milliseconds; `undefined` if no attempt is planned. */
  nextDueAt(): Promise<number | undefined>
  /** Sends deliveries when they are due, until `stop`. Does not keep the process alive. */
  start(): void
  /**
   * Starts no more attempts, and lets running ones finish. Releases attempts that do not finish in time. Attempts to
   * endpoints whose last attempt failed are released at once: they rarely succeed, and will be retried anyway.
   */
  stop(options?: StopOptions): Promise<void>
  /**
   * Calls `listener` after each attempt, once its result is written or it was released.
   *
   * @returns a function that removes the listener.
   */
  onAttempt(listener: (report: AttemptReported) => void): () => void
  /**
   * Calls `listener` with each event about a subscription's health that this process has stored. Events from other
   * processes that share the store are not included.
   *
   * @returns a function that removes the listener.
   * @example
   * server.dispatcher.onHealth(({ type, data }) => console.warn(type, data.subscriptionId, data.url))
   */
  onHealth(listener: (event: HealthEvent) => void): () => void
  /**
   * Returns the latest time at which a delivery's current attempt can end, as Unix time in milliseconds; `undefined` if
   * this process is not attempting it.
   */
  findAttempt(deliveryId: string): number | undefined
  /** Returns what keeps this process from delivering. */
  findProblems(): DeliveryProblems
}

export type DispatcherContext = ServerContext & {
  readonly fetch: DeliveryFetch
  readonly onError: (error: unknown) => void
  readonly options: DeliveryOptions
}

/** The pause after a failed lease renewal, in milliseconds. */
const failurePauseMs = 500

/** The lease during `runDue`, in milliseconds. A worker that was not started does not renew it. */
const longLeaseMs = 365 * 86_400_000

/** Creates a dispatcher. It does nothing until `runDue` or `start`. */
export const createDispatcher = ({ options, ...context }: DispatcherContext): Dispatcher => {
  const { store, clock, ids, onError } = context
  const {
    timeoutMs = 15_000,
    concurrency = 64,
    perSubscription = 8,
    sharesFairly = true,
    allowsCustomPayload = () => true,
    leaseMs = 20_000,
    pollMs = 1_000,
  } = options
  const sending = createSending({
    ...context,
    signatureClock: options.signatureClock ?? { now: () => readWallClock(clock) },
    random: options.random ?? context.random,
    allowsCustomPayload,
    timeoutMs,
    sharesFairly,
    retryForMs: leaseMs,
    isStarted: () => isStarted,
  })
  const scheduler = createScheduler({
    store,
    clock,
    concurrency,
    perSubscription,
    sharesFairly,
    timeoutMs,
    ...sending,
    onError,
    getEpoch: (shard) => ownership.getEpoch(shard),
  })
  const ownership = createOwnership({
    store,
    clock,
    worker: ids('worker'),
    // Only `runDue` uses the long lease. Otherwise a worker that is killed while it stops would keep its
    // shards until that lease ends.
    getLeaseMs: () => (isStarted || users === 0 ? leaseMs : longLeaseMs),
    scheduler,
  })
  let isStarted = false
  /** Number of failed renewals since the last successful one. */
  let failedRenewals = 0
  /** Identifies the period from a start to the next stop. */
  let current: object | undefined
  /** Number of users of the scheduler: `start`, and each running `runDue`. */
  let users = 0
  let unsubscribe: (() => void) | undefined
  let opening: Promise<void> = Promise.resolve()
  let closing: Promise<void> = Promise.resolve()

  const open = (): Promise<void> => {
    users++
    if (users > 1) {
      // The first caller may have failed because the store was down. Renews again, because its failure must
      // not decide for the other callers: the store may be up by now.
      return opening.catch(async () => {
        await ownership.renew()
      })
    }
    opening = closing.then(async () => {
      sending.setRetrying(true)
      unsubscribe = store.listen((change) => {
        if (change.kind === 'lost') {
          ownership.lose()
          ownership.renew().catch(onError)
        } else scheduler.onChange(change)
      })
      scheduler.open()
      await ownership.renew()
    })
    return opening
  }

  const close = (graceMs: number): Promise<void> => {
    users--
    if (users > 0) return Promise.resolve()
    closing = opening
      .catch(() => {})
      .then(async () => {
        const timer = setTimeout(() => sending.setRetrying(false), graceMs)
        await scheduler.close(graceMs)
        clearTimeout(timer)
        unsubscribe?.()
        await ownership.end().catch(onError)
      })
    return closing
  }

  /**
   * Repeats `work` until `isOver` returns `true`. `work` resolves to the pause before its next run, in milliseconds; it
   * is at most `pollMs`.
   */
  const repeat = async (work: () => Promise<number>, isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      const ms = await work().catch((error: unknown) => {
        onError(error)
        return failurePauseMs
      })
      await new Promise<void>((resolve) => startBackgroundTimer(resolve, Math.min(ms, pollMs)))
    }
  }

  const renew = async (): Promise<number> => {
    try {
      const renewInMs = await ownership.renew()
      failedRenewals = 0
      return renewInMs
    } catch (error) {
      failedRenewals++
      throw error
    }
  }

  return {
    runDue: async () => {
      try {
        await open()
        await scheduler.drain()
      } finally {
        await close(0)
      }
    },
    nextDueAt: () => store.nextDueAt(),
    start: () => {
      if (isStarted) return
      isStarted = true
      const session = {}
      current = session
      const isOver = (): boolean => current !== session
      void open()
        .catch(onError)
        .then(() => {
          void repeat(renew, isOver)
          void repeat(() => scheduler.sweep().then(() => pollMs), isOver)
        })
    },
    stop: async ({ graceMs = 10_000 } = {}) => {
      checkNumbers({ graceMs })
      if (!isStarted) return
      isStarted = false
      current = undefined
      await close(graceMs)
    },
    findAttempt: scheduler.findAttempt,
    findProblems: () => ({
      unstoredResults: scheduler.countUnstored(),
      unreadableDeliveries: scheduler.countUnreadable(),
      cannotRenew: failedRenewals >= persistentFailures,
      cannotLoad: scheduler.isLoadFailing(),
      shortage: sending.findShortage(),
    }),
    onAttempt: sending.onAttempt,
    onHealth: sending.onHealth,
  }
}
