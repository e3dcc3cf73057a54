import type { ClaimOutcome } from '../dedupe/dedupe.ts'
import { accepted, handlerFailed, inProgress, storeDown } from './answers.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { ErrorListener, FailureStage } from './failure.ts'
import type { ReceiverSettings } from './options.ts'
import type { Task } from './registry.ts'
import { runTask } from './run-task.ts'
import { keepAlive } from './wait-until.ts'

/** A verified and parsed delivery, and who is to handle it. */
export type Delivery = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task[]
  readonly host: object | undefined
}

/** Claims deliveries, hands them to their handlers and settles the claims. */
export const createDeliver = ({ dedupe, claimTtlMs, ack }: ReceiverSettings, report: ErrorListener) => {
  const fail = (stage: FailureStage, error: unknown, context: DeliveryContext): unknown =>
    report(error, { stage, headers: context.headers, context })

  const claim = async (context: DeliveryContext): Promise<ClaimOutcome | 'store_down'> => {
    if (dedupe === undefined) return 'claimed'
    try {
      return await dedupe.claim(context.delivery.key, claimTtlMs)
    } catch (error) {
      await fail('dedupe', error, context)
      return 'store_down'
    }
  }

  /** A claim that cannot be settled expires by itself; the answer does not depend on it. */
  const settle = async (handled: boolean, context: DeliveryContext): Promise<void> => {
    if (dedupe === undefined) return
    try {
      await (handled ? dedupe.complete(context.delivery.key) : dedupe.release(context.delivery.key))
    } catch (error) {
      await fail('dedupe', error, context)
    }
  }

  const attempt = async (task: Task, context: DeliveryContext): Promise<boolean> => {
    try {
      await runTask(task, context)
      return true
    } catch (error) {
      await fail('handler', error, context)
      return false
    }
  }

  /** Every handler gets its chance: one that fails does not keep the others from the event. */
  const work = async ({ context, tasks }: Delivery): Promise<boolean> => {
    const attempts = await Promise.all(tasks.map((task) => attempt(task, context)))
    const handled = attempts.every(Boolean)
    await settle(handled, context)
    return handled
  }

  return async (delivery: Delivery): Promise<Response> => {
    const outcome = await claim(delivery.context)
    switch (outcome) {
      case 'duplicate':
        return accepted()
      case 'in_progress':
        return inProgress()
      case 'store_down':
        return storeDown()
      case 'claimed': {
        const done = work(delivery)
        keepAlive(delivery.host, done)
        return ack === 'before' || (await done) ? accepted() : handlerFailed()
      }
      default:
        outcome satisfies never
        return storeDown()
    }
  }
}
