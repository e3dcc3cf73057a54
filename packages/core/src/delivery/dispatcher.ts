import type { ClaimedDelivery, SettlementOutcome, SettlementResult, Store } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import type { Ids, Random } from '../values/ids.ts'
import { attemptDelivery, type DeliveryFetch } from './attempt.ts'
import { createPool, type PoolJob } from './pool.ts'
import { failingLimitMs } from './schedule.ts'
import { settle } from './settlement.ts'
import { createWatch } from './watch.ts'
import { writeSettlement } from './write-settlement.ts'

/** How deliveries are sent. */
export type DeliveryOptions = {
  /**
   * Longest time of one attempt, from connecting to the end of the answer, in milliseconds.
   * @default 15_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum number of concurrent attempts to endpoints that respond quickly. An attempt that takes longer than half a
   * second does not count any more; 16 times as many can be slow, or made to endpoints that are suspect (see
   * `sharesFairly`).
   * @default 64
   */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of concurrent attempts to one subscription.
   * @default 8
   */
  readonly perSubscription?: number | undefined
  /**
   * Whether endpoints that are suspect leave the others their capacity: those of new subscriptions, and those whose last
   * attempt was slow or failed. A subscription that is new or whose last attempt failed gets one attempt at a time. Turn
   * it off only where one user has the whole server, as in a test.
   * @default true
   */
  readonly sharesFairly?: boolean | undefined
  /**
   * How long a claim holds without a result, in milliseconds; longer than `timeoutMs`.
   * @default 60_000
   */
  readonly leaseMs?: number | undefined
  /**
   * How often a started dispatcher looks for work that nobody told it of, in milliseconds.
   * @default 1_000
   */
  readonly pollMs?: number | undefined
  /**
   * The clock of `webhook-timestamp`, for those who move the server's clock: receivers refuse what is too old.
   * @default the server's clock
   */
  readonly signatureClock?: Clock | undefined
  /**
   * Where the jitter of the pauses between attempts comes from; `() => 0` makes the schedule exact.
   * @default the server's randomness
   */
  readonly random?: Random | undefined
}

/** An attempt that was made, and what was recorded of it. */
export type AttemptReported = {
  readonly claimed: ClaimedDelivery
  readonly result: SettlementResult
  /** `stale` when another worker had taken the delivery over meanwhile. */
  readonly settlement: SettlementOutcome
}

/** How a dispatcher stops. */
export type StopOptions = {
  /**
   * How long running attempts may go on, in milliseconds; then they are given up and released.
   * @default 10_000
   */
  readonly graceMs?: number | undefined
}

/** What sends the deliveries of a store. */
export type Dispatcher = {
  /**
   * Sends everything that is due now, also what becomes due by that, and resolves when all of it is settled.
   *
   * @throws StorageUnavailableError when the store cannot be reached.
   */
  runDue(): Promise<void>
  /** The earliest time at which something is due, as Unix time in milliseconds; `undefined` when nothing is. */
  nextDueAt(): Promise<number | undefined>
  /** Sends by itself, at once when something falls due, until `stop`. Keeps no process alive. */
  start(): void
  /** Claims nothing more, lets running attempts finish, and releases those that do not finish in time. */
  stop(options?: StopOptions): Promise<void>
  /**
   * Calls `listener` after each attempt.
   *
   * @returns stops it.
   */
  onAttempt(listener: (report: AttemptReported) => void): () => void
}

/** What {@link createDispatcher} works with. */
export type DispatcherContext = {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly fetch: DeliveryFetch
  readonly onError: (error: unknown) => void
  readonly options: DeliveryOptions
}

type Job = PoolJob & {
  readonly claimed: ClaimedDelivery
  readonly claimId: string
  readonly claimedAt: number
  /** Aborted when the claim must not be attempted any more. */
  readonly stopping: AbortSignal
}

/** How long an attempt may take, in milliseconds, before it is slow and leaves its place to others. */
const slowAfterMs = 500

const released: SettlementResult = { kind: 'released' }

/** Makes a dispatcher; it does nothing until `runDue` or `start`. */
export const createDispatcher = ({ options, ...context }: DispatcherContext): Dispatcher => {
  const { store, clock, ids, onError } = context
  const {
    timeoutMs = 15_000,
    concurrency = 64,
    perSubscription = 8,
    sharesFairly = true,
    leaseMs = 60_000,
    pollMs = 1_000,
  } = options
  const attemptableMs = leaseMs - timeoutMs
  const signatureClock = options.signatureClock ?? clock
  const random = options.random ?? context.random
  const listeners = new Set<(report: AttemptReported) => void>()
  let stopping = new AbortController()
  let unregister: (() => void) | undefined

  const report = (reported: AttemptReported): void => {
    for (const listener of listeners) {
      try {
        listener(reported)
      } catch (error) {
        onError(error)
      }
    }
  }

  const write = async (
    { claimed, claimId }: Job,
    result: SettlementResult,
    isSlow?: boolean,
  ): Promise<void> => {
    const deliveryId = claimed.delivery.id
    const written = { deliveryId, claimId, now: clock.now(), result, isSlow, failingLimitMs }
    const options = { patienceMs: attemptableMs, stopping: stopping.signal }
    const settlement = await writeSettlement(store, written, options)
    report({ claimed, result, settlement })
  }

  const attempt = async ({ claimed, stopping }: Job): Promise<SettlementResult> => {
    const found = await attemptDelivery(claimed, {
      ...context,
      signatureClock,
      timeoutMs,
      stopping,
    })
    const isGivenUp = stopping.aborted && found.attempt.status === null
    return isGivenUp ? released : settle(claimed.delivery, found, random)
  }

  const pool = createPool<Job>({
    concurrency,
    onError,
    take: async ({ limit, suspects }) => {
      const claimId = ids('claim')
      const now = clock.now()
      const job = { claimId, claimedAt: now, stopping: stopping.signal }
      const shares = sharesFairly ? { limit, suspects } : { limit }
      const claimed = await store.claimDeliveries({ claimId, now, leaseMs, perSubscription, ...shares })
      return claimed.map((each) => ({
        ...job,
        claimed: each,
        organizationId: each.delivery.organizationId,
        pace: sharesFairly ? each.pace : 'quick',
      }))
    },
    run: async (job, place) => {
      // What waited too long for its turn could outlive its lease, and be attempted by another worker meanwhile.
      const isLate = clock.now() - job.claimedAt > attemptableMs
      if (isLate || job.stopping.aborted) return write(job, released)
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        if (sharesFairly) place.slowDown()
      }, slowAfterMs)
      const result = await attempt(job)
      clearTimeout(timer)
      place.makeRoom()
      await write(job, result, isSlow)
    },
    giveBack: (job) => write(job, released),
  })
  const watch = createWatch({ store, clock, pool, pollMs, onError })
  /** Gives up what runs, so that others can take it over. */
  const giveUp = (): void => {
    stopping.abort()
    stopping = new AbortController()
  }

  return {
    runDue: pool.drain,
    nextDueAt: () => store.nextDueAt(),
    start: () => {
      unregister ??= store.registerWorker(giveUp)
      watch.start()
    },
    stop: async ({ graceMs = 10_000 } = {}) => {
      watch.stop()
      const closed = pool.close()
      const timer = setTimeout(() => stopping.abort(), graceMs)
      await closed
      clearTimeout(timer)
      unregister?.()
      unregister = undefined
      stopping = new AbortController()
      pool.open()
    },
    onAttempt: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
