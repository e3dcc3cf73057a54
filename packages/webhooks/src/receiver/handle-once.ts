import type { Claim } from '../dedupe/dedupe.ts'
import { longestTimerMs } from '../time-limit.ts'
import type { ErrorListener, FailureStage } from './failures.ts'
import { callAll, type DeliveryContext, type Task } from './handlers.ts'
import type { ReceiverSettings } from './options.ts'

/** A verified and parsed delivery, and the handlers to call. */
export type Delivery = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task<DeliveryContext>[]
  /** Called with the promise of the handlers' work. Returns whether the response does not wait for it. */
  readonly keepAlive: (work: Promise<unknown>) => boolean
}

/** The result of a delivery. With `unavailable`, the dedupe store failed. @inline */
export type HandlingOutcome = 'handled' | 'failed' | 'duplicate' | 'in_progress' | 'unavailable'

/**
 * Renews a claim every third of its lifetime, so that two renewals may fail before it expires.
 *
 * @returns a function that stops renewing.
 */
const keepClaim = (claim: Claim, ttlMs: number, onError: (error: unknown) => unknown): (() => void) => {
  const renew = async (): Promise<void> => {
    try {
      if (!(await claim.renew(ttlMs))) clearInterval(timer)
    } catch (error) {
      onError(error)
    }
  }
  const timer = setInterval(renew, Math.min(ttlMs / 3, longestTimerMs))
  // A handler that hangs must not keep the process running. Only Node's timers are objects.
  if (typeof timer === 'object') timer.unref()
  return () => clearInterval(timer)
}

/** Creates a function that claims a delivery, calls its handlers, and completes or releases the claim. Never rejects. */
export const createHandleOnce = (
  { dedupe, claimTtlMs }: Pick<ReceiverSettings, 'dedupe' | 'claimTtlMs'>,
  report: ErrorListener,
) => {
  const fail = (stage: FailureStage, error: unknown, context: DeliveryContext): unknown =>
    report(error, { stage, headers: context.headers, context })

  /** Resolves to `undefined` when all handlers have succeeded. */
  const callTasks = ({ context, tasks }: Delivery) =>
    callAll(tasks, context, async (error) => {
      await fail('handler', error, context)
      return 'failed' as const
    })

  const handleClaimed = async (delivery: Delivery, claim: Claim): Promise<HandlingOutcome> => {
    const failStore = (error: unknown) => fail('dedupe', error, delivery.context)
    const stop = keepClaim(claim, claimTtlMs, failStore)
    const handled = (await callTasks(delivery)) === undefined
    stop()
    // If the claim was lost, another process is handling the delivery again, and may still fail.
    if (handled) return (await claim.complete()) ? 'handled' : 'in_progress'
    try {
      await claim.release()
    } catch (error) {
      await failStore(error)
    }
    return 'failed'
  }

  /** Reports an error from the store. The sender must try again. */
  const failUnavailable = async (error: unknown, context: DeliveryContext): Promise<HandlingOutcome> => {
    await fail('dedupe', error, context)
    return 'unavailable'
  }

  const handle = async (delivery: Delivery, claim: Claim | undefined): Promise<HandlingOutcome> => {
    try {
      if (claim !== undefined) return await handleClaimed(delivery, claim)
      return (await callTasks(delivery)) ?? 'handled'
    } catch (error) {
      return failUnavailable(error, delivery.context)
    }
  }

  return async (delivery: Delivery): Promise<HandlingOutcome> => {
    const { context, keepAlive } = delivery
    try {
      const { key, identity } = context.delivery
      // No other arrival has this key, so there is nothing to remember.
      const store = identity === 'none' ? undefined : dedupe
      const claim = store && (await store.claim(key, claimTtlMs))
      if (claim === 'duplicate' || claim === 'in_progress') return claim
      if (store && typeof claim?.complete !== 'function') {
        throw new TypeError('dedupe.claim() must return a claim, "duplicate" or "in_progress".')
      }
      const done = handle(delivery, claim)
      return keepAlive(done) ? 'handled' : done
    } catch (error) {
      return failUnavailable(error, context)
    }
  }
}
