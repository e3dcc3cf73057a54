import type { ServerContext } from '../server-context.ts'
import type { ClaimedDelivery, SettlementOutcome, SettlementResult } from '../store.ts'
import { type Clock, readWallClock } from '../values/clock.ts'
import type { Random } from '../values/ids.ts'
import { attemptDelivery, type DeliveryFetch } from './attempt.ts'
import { createPoller } from './poller.ts'
import { createPool, type PoolJob } from './pool.ts'
import { decideResult, failingLimitMs } from './schedule.ts'
import { createStopSignal, type StopSignal } from './stop-signal.ts'
import { writeSettlement } from './write-settlement.ts'

/** Options for sending deliveries. */
export type DeliveryOptions = {
  /**
   * Maximum duration of an attempt, from connecting to the end of the response, in milliseconds.
   * @default 15_000
   */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum number of concurrent attempts to endpoints that respond quickly. An attempt that takes longer than half a
   * second no longer counts. 16 times as many attempts can be slow, or to suspect endpoints (see `sharesFairly`).
   * @default 64
   */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of concurrent attempts to one subscription.
   * @default 8
   */
  readonly perSubscription?: number | undefined
  /**
   * Whether suspect endpoints have separate capacity: those of new subscriptions, and those whose last attempt was slow or
   * failed. A subscription that is new or whose last attempt failed has at most one concurrent attempt. Disable this only
   * if the server has a single user, as in a test.
   * @default true
   */
  readonly sharesFairly?: boolean | undefined
  /**
   * Time after which a claim expires, in milliseconds. Must be longer than `timeoutMs`.
   * @default 60_000
   */
  readonly leaseMs?: number | undefined
  /**
   * Interval in which a started dispatcher polls the store, in milliseconds.
   * @default 1_000
   */
  readonly pollMs?: number | undefined
  /**
   * The clock of `webhook-timestamp`. Set it if the server's clock is not real: receivers reject old webhooks.
   * @default the time of day by the server's clock
   */
  readonly signatureClock?: Clock | undefined
  /**
   * Determines the jitter of the pauses between attempts. `() => 0` makes the schedule exact.
   * @default the server's `random`
   */
  readonly random?: Random | undefined
}

/** An attempt and what was recorded of it. */
export type AttemptReported = {
  readonly claimed: ClaimedDelivery
  readonly result: SettlementResult
  /** `stale` if another worker had taken over the delivery. */
  readonly settlement: SettlementOutcome
}

/** Options for stopping a dispatcher. */
export type StopOptions = {
  /**
   * Time for running attempts to finish, in milliseconds. After that, they are ended and released.
   * @default 10_000
   */
  readonly graceMs?: number | undefined
}

/** Sends the deliveries of a store. */
export type Dispatcher = {
  /**
   * Sends everything that is due now, including deliveries that become due in the meantime, and resolves when all of them
   * are settled.
   *
   * @throws StorageUnavailableError if the store cannot be reached.
   */
  runDue(): Promise<void>
  /** Returns the earliest due time, as Unix time in milliseconds; `undefined` if no attempt is planned. */
  nextDueAt(): Promise<number | undefined>
  /** Sends each delivery as soon as it is due, until `stop`. Does not keep the process alive. */
  start(): void
  /**
   * Stops claiming, and lets running attempts finish. Releases those that do not finish in time, and at once those to
   * endpoints whose last attempt failed: they rarely finish, and are repeated anyway.
   */
  stop(options?: StopOptions): Promise<void>
  /**
   * Calls `listener` after each attempt.
   *
   * @returns a function that removes the listener.
   */
  onAttempt(listener: (report: AttemptReported) => void): () => void
}

export type DispatcherContext = ServerContext & {
  readonly fetch: DeliveryFetch
  readonly onError: (error: unknown) => void
  readonly options: DeliveryOptions
}

type Job = PoolJob & {
  readonly claimed: ClaimedDelivery
  readonly claimId: string
  readonly claimedAt: number
  /** Stops if the claim must not be attempted any more. */
  readonly stopping: StopSignal
}

/** Duration in milliseconds after which an attempt is slow and frees its slot. */
const slowAfterMs = 500

const released: SettlementResult = { kind: 'released' }

/** Creates a dispatcher. It does nothing until `runDue` or `start`. */
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
  const signatureClock = options.signatureClock ?? { now: () => readWallClock(clock) }
  const random = options.random ?? context.random
  const listeners = new Set<(report: AttemptReported) => void>()
  let stopping = createStopSignal()
  /** For attempts to endpoints whose last attempt failed. */
  let stoppingFailing = createStopSignal()
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
    const options = { patienceMs: attemptableMs, stopping }
    const settlement = await writeSettlement(store, written, options)
    report({ claimed, result, settlement })
  }

  const attempt = async ({ claimed, stopping }: Job, onSlow: () => void): Promise<SettlementResult> => {
    const timing = { signatureClock, timeoutMs, slowAfterMs, onSlow, stopping }
    const report = await attemptDelivery(claimed, { ...context, ...timing })
    const isStopped = stopping.isStopped() && report.attempt.status === null
    return isStopped ? released : decideResult(claimed.delivery, report, random)
  }

  const pool = createPool<Job>({
    concurrency,
    clock,
    onError,
    claim: async ({ limit, suspects }) => {
      if (!sharesFairly && limit === 0) return []
      const claimId = ids('claim')
      const now = clock.now()
      const job = { claimId, claimedAt: now }
      const signals = { failing: stoppingFailing, others: stopping }
      const shares = sharesFairly ? { limit, suspects } : { limit }
      const claimed = await store.claimDeliveries({ claimId, now, leaseMs, perSubscription, ...shares })
      return claimed.map((each) => ({
        ...job,
        claimed: each,
        stopping: each.pace === 'failing' ? signals.failing : signals.others,
        organizationId: each.delivery.organizationId,
        pace: sharesFairly ? each.pace : 'quick',
      }))
    },
    run: async (job, slot) => {
      // After a long wait for its slot, the attempt could outlive the lease, and another worker could start one.
      const isLate = clock.now() - job.claimedAt > attemptableMs
      if (isLate || job.stopping.isStopped()) {
        await write(job, released)
        return false
      }
      let isSlow = false
      const result = await attempt(job, () => {
        isSlow = true
        if (sharesFairly) slot.moveToSlow()
      })
      slot.free()
      await write(job, result, isSlow)
      return result.kind === 'delivered' && !isSlow
    },
    release: (job) => write(job, released),
  })
  const poller = createPoller({ store, clock, pool, pollMs, onError })
  /** Ends running attempts, so that other workers can take over. */
  const stopAttempts = (): void => {
    stoppingFailing.stop()
    stopping.stop()
    stoppingFailing = createStopSignal()
    stopping = createStopSignal()
  }

  return {
    runDue: pool.drain,
    nextDueAt: () => store.nextDueAt(),
    start: () => {
      unregister ??= store.registerWorker(stopAttempts)
      poller.start()
    },
    stop: async ({ graceMs = 10_000 } = {}) => {
      poller.stop()
      const closed = pool.close()
      stoppingFailing.stop()
      const timer = setTimeout(() => stopping.stop(), graceMs)
      await closed
      clearTimeout(timer)
      unregister?.()
      unregister = undefined
      stopping = createStopSignal()
      stoppingFailing = createStopSignal()
      pool.open()
    },
    onAttempt: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
