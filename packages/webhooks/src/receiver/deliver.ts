import type { Claim } from '../dedupe/dedupe.ts'
import type { InboxOutcome } from '../dedupe/inbox.ts'
import { accepted, handlerFailed, inProgress, storeDown } from './answers.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { ErrorListener, FailureStage } from './failure.ts'
import { keepClaim } from './keep-claim.ts'
import type { ReceiverSettings } from './options.ts'
import type { Task } from './registry.ts'
import { runTask } from './run-task.ts'
import { keepAlive } from './wait-until.ts'

/** A verified and parsed delivery, and who is to handle it. */
export type Delivery<Transaction> = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task<Transaction>[]
  readonly host: object | undefined
}

const answers: Record<InboxOutcome, () => Response> = {
  handled: accepted,
  duplicate: accepted,
  in_progress: inProgress,
  failed: handlerFailed,
}

/** Claims deliveries, hands them to their handlers and settles the claims. */
export const createDeliver = <Transaction>(
  { dedupe, claimTtlMs, ack }: ReceiverSettings<Transaction>,
  report: ErrorListener,
) => {
  const fail = (stage: FailureStage, error: unknown, context: DeliveryContext): unknown =>
    report(error, { stage, headers: context.headers, context })

  const attempt = async (
    task: Task<Transaction>,
    context: DeliveryContext,
    transaction: Transaction,
  ): Promise<boolean> => {
    try {
      await runTask(task, { ...context, transaction })
      return true
    } catch (error) {
      await fail('handler', error, context)
      return false
    }
  }

  /** Every handler gets its chance: one that fails does not keep the others from the event. */
  const handleAll = async (
    { context, tasks }: Delivery<Transaction>,
    transaction: Transaction,
  ): Promise<boolean> => {
    const attempts = await Promise.all(tasks.map((task) => attempt(task, context, transaction)))
    return attempts.every(Boolean)
  }

  // Only an inbox has transactions: without one, their type is undefined.
  const handleAlone = (delivery: Delivery<Transaction>) => handleAll(delivery, undefined as Transaction)

  const handleClaimed = async (delivery: Delivery<Transaction>, claim: Claim): Promise<InboxOutcome> => {
    const failStore = (error: unknown) => fail('dedupe', error, delivery.context)
    const stop = keepClaim(claim, claimTtlMs, failStore)
    const handled = await handleAlone(delivery)
    stop()
    // Whoever has claimed the delivery since is handling it again, and may still fail.
    if (handled) return (await claim.complete()) ? 'handled' : 'in_progress'
    try {
      await claim.release()
    } catch (error) {
      await failStore(error)
    }
    return 'failed'
  }

  /** A store that fails leaves the delivery to the sender's next attempt. */
  const respond = async (context: DeliveryContext, work: () => Promise<Response>): Promise<Response> => {
    try {
      return await work()
    } catch (error) {
      await fail('dedupe', error, context)
      return storeDown()
    }
  }

  const start = (delivery: Delivery<Transaction>, work: () => Promise<InboxOutcome>): Promise<Response> => {
    const done = respond(delivery.context, async () => answers[await work()]())
    keepAlive(delivery.host, done)
    return done
  }

  const deliver = async (delivery: Delivery<Transaction>): Promise<Response> => {
    const { key } = delivery.context.delivery
    if (dedupe !== undefined && 'transact' in dedupe) {
      return start(delivery, () => dedupe.transact(key, (transaction) => handleAll(delivery, transaction)))
    }
    const claim = dedupe && (await dedupe.claim(key, claimTtlMs))
    if (claim === 'duplicate' || claim === 'in_progress') return answers[claim]()
    if (dedupe && typeof claim?.complete !== 'function') {
      throw new TypeError('dedupe.claim() must return a claim, "duplicate" or "in_progress".')
    }
    const done = start(delivery, async () => {
      if (claim) return handleClaimed(delivery, claim)
      return (await handleAlone(delivery)) ? 'handled' : 'failed'
    })
    return ack === 'before' ? accepted() : done
  }

  return (delivery: Delivery<Transaction>) => respond(delivery.context, () => deliver(delivery))
}
