import { longestTimerMs } from '@wabakit/wire'
import type { Claim } from '../dedupe/dedupe.ts'
import { failAfter } from '../time-limit.ts'
import { isPromise } from '../verifiers/verify-signature.ts'
import type { ErrorListener, FailureStage } from './failures.ts'
import { callAll, type DeliveryContext, type Task } from './handlers.ts'
import type { ReceiverSettings } from './options.ts'

/** A verified and parsed delivery, and the handlers to call. */
export type Delivery = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task<DeliveryContext>[]
  /** Called with the promise of the handlers' work. Returns `true` if the response is sent without waiting for it. */
  readonly keepAlive: (work: Promise<unknown>) => boolean
}

/** The result of a delivery. With `unavailable`, the dedupe store failed. @inline */
export type HandlingOutcome = 'handled' | 'failed' | 'duplicate' | 'in_progress' | 'unavailable'

/**
 * Time limit for each call of the dedupe store, in milliseconds. A request makes up to two, before and after its handlers. Senders
 * wait about 15 s in all.
 */
const storeMs = 6_000

/** Waits for the store, which may never respond, for example while its client reconnects. */
const waitForStore = <Answer>(answer: Answer | Promise<Answer>): Answer | Promise<Awaited<Answer>> =>
  isPromise(answer) ? failAfter(storeMs, 'The dedupe store', () => answer) : answer

/**
 * Renews a claim every third of its lifetime, so that it outlasts a failed renewal.
 *
 * @returns a function that stops renewing.
 */
const keepClaim = (claim: Claim, ttlMs: number, onError: (error: unknown) => unknown): (() => void) => {
  const renew = async (): Promise<void> => {
    try {
      if (!(await waitForStore(claim.renew(ttlMs)))) clearInterval(timer)
    } catch (error) {
      onError(error)
    }
  }
  const timer = setInterval(renew, Math.min(ttlMs / 3, longestTimerMs))
  // A handler that hangs must not keep the process running. Not every runtime's timers have the method.
  Object(timer).unref?.()
  return () => clearInterval(timer)
}

/** Creates a function that claims a delivery, calls its handlers, and ends the claim. It never rejects. */
export const createHandleOnce =
  ({ dedupe, claimTtlMs }: Pick<ReceiverSettings, 'dedupe' | 'claimTtlMs'>, report: ErrorListener) =>
  async ({ context, tasks, keepAlive }: Delivery): Promise<HandlingOutcome> => {
    const failAt =
      <Outcome>(stage: FailureStage, outcome: Outcome) =>
      async (error: unknown): Promise<Outcome> => {
        await report(error, { stage, headers: context.headers, context })
        return outcome
      }
    const failStore = failAt('dedupe', 'unavailable' as const)

    const handle = async (claim: Claim | undefined): Promise<HandlingOutcome> => {
      try {
        const stop = claim && keepClaim(claim, claimTtlMs, failStore)
        const failed = await callAll(tasks, context, failAt('handler', 'failed' as const))
        stop?.()
        // If the claim was lost, the delivery may be in the hands of another process, which may still fail.
        if (failed === undefined)
          return !claim || (await waitForStore(claim.complete())) ? 'handled' : 'in_progress'
        try {
          await waitForStore(claim?.release())
        } catch (error) {
          await failStore(error)
        }
        return failed
      } catch (error) {
        return failStore(error)
      }
    }

    try {
      const { key, identity } = context.delivery
      // No other arrival has the key of a delivery without an identity, so there is nothing to remember.
      const store = identity === 'none' ? undefined : dedupe
      const claiming = store?.claim(key, claimTtlMs)
      let claim: Awaited<typeof claiming>
      try {
        claim = await waitForStore(claiming)
      } catch (error) {
        // A claim that succeeds late would keep the sender's next attempt from being handled.
        void (claiming as Promise<Claim>).then((late) => late.release()).catch(() => {})
        throw error
      }
      if (claim === 'duplicate' || claim === 'in_progress') return claim
      if (store && typeof claim?.complete !== 'function') {
        throw new TypeError('dedupe.claim() must return a claim, "duplicate" or "in_progress".')
      }
      const done = handle(claim)
      return keepAlive(done) ? 'handled' : done
    } catch (error) {
      return failStore(error)
    }
  }
