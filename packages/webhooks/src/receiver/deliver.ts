import type { ClaimOutcome, Dedupe } from '../dedupe/dedupe.ts'
import { accepted, handlerFailed, inProgress, storeDown } from './answers.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { Failure } from './failure.ts'
import type { Task } from './registry.ts'
import { runTask } from './run-task.ts'
import { keepAlive } from './wait-until.ts'

/** One delivery that is verified and parsed. */
export type Delivery = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task[]
  readonly host: object | undefined
}

/** What delivering needs to know of the receiver. */
export type DeliverOptions = {
  readonly dedupe: Dedupe | undefined
  readonly claimTtlMs: number
  readonly ack: 'after' | 'before'
  readonly report: (error: unknown, failure: Failure) => Promise<void>
}

/** Claims deliveries, hands them to their handlers and settles the claims. */
export const createDeliver = ({ dedupe, claimTtlMs, ack, report }: DeliverOptions) => {
  const claim = async (context: DeliveryContext): Promise<ClaimOutcome | 'store_down'> => {
    if (dedupe === undefined) return 'claimed'
    try {
      return await dedupe.claim(context.delivery.key, claimTtlMs)
    } catch (error) {
      await report(error, { stage: 'dedupe', headers: context.headers, context })
      return 'store_down'
    }
  }

  /** A claim that cannot be settled expires by itself; the answer does not depend on it. */
  const settle = async (handled: boolean, context: DeliveryContext): Promise<void> => {
    if (dedupe === undefined) return
    try {
      await (handled ? dedupe.complete(context.delivery.key) : dedupe.release(context.delivery.key))
    } catch (error) {
      await report(error, { stage: 'dedupe', headers: context.headers, context })
    }
  }

  /** Every handler gets its chance: one that fails does not keep the others from the event. */
  const work = async ({ context, tasks }: Delivery): Promise<boolean> => {
    const attempts = tasks.map(async (task) => {
      try {
        await runTask(task, context)
        return true
      } catch (error) {
        await report(error, { stage: 'handler', headers: context.headers, context })
        return false
      }
    })
    const handled = (await Promise.all(attempts)).every(Boolean)
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
        throw outcome satisfies never
    }
  }
}
