import type { Claim, InboxOutcome } from '../dedupe/dedupe.ts'
import type { ParsedEvent } from '../parse/parse-event.ts'
import { encoder } from '../payload.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { ErrorListener, FailureStage } from './failures.ts'
import { callHandler, type Task } from './handlers.ts'
import type { ReceiverSettings } from './options.ts'

/** A verified and parsed delivery, and the handlers to call. */
export type Delivery<Transaction> = {
  readonly context: DeliveryContext
  readonly tasks: readonly Task<Transaction>[]
  /** Whether the response does not wait for the handlers. */
  readonly isEarly: boolean
  /** Called with the promise of work that may outlast the response. */
  readonly keepAlive: (work: Promise<unknown>) => void
}

/** The result of a delivery. With `unavailable`, the dedupe store failed. */
type Outcome = InboxOutcome | 'unavailable'

/** Maximum key length, so that a database can index it. */
const maximumLength = 200

const hash = async (bytes: Uint8Array): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Identifies the events that happen once. All others may happen again with the same ids. */
const findNaturalKey = (parsed: ParsedEvent): string | undefined => {
  if (parsed.kind !== 'event') return undefined
  const { event } = parsed
  if (event.event === 'CALL_AI_SUMMARY') return `${event.event}:${event.callId}`
  return event.event === 'GROUP_CREATED' ? `${event.event}:${event.groupId}` : undefined
}

/**
 * Returns the key by which duplicates of a delivery are recognized: its `webhook-id`; otherwise the identity of an event
 * that happens once; otherwise the SHA-256 of its body.
 */
export const toDeliveryKey = (
  id: string | undefined,
  parsed: ParsedEvent,
  body: Uint8Array,
): string | Promise<string> => {
  const key = id === undefined ? findNaturalKey(parsed) : `id:${id}`
  if (key === undefined) return hash(body)
  return key.length <= maximumLength ? key : hash(encoder.encode(key))
}

/** Maximum delay of a timer, in milliseconds. */
const maximumDelay = 2 ** 31 - 1

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
  const timer = setInterval(renew, Math.min(ttlMs / 3, maximumDelay))
  // A handler that hangs must not keep the process running. Only Node's timers are objects.
  if (typeof timer === 'object') timer.unref()
  return () => clearInterval(timer)
}

/** Creates a function that claims a delivery, calls its handlers, and completes or releases the claim. Never rejects. */
export const createHandleOnce = <Transaction>(
  { dedupe, claimTtlMs }: ReceiverSettings<Transaction>,
  report: ErrorListener,
) => {
  const inbox = dedupe && 'transact' in dedupe ? dedupe : undefined
  const store = dedupe && 'claim' in dedupe && inbox === undefined ? dedupe : undefined

  const fail = (stage: FailureStage, error: unknown, context: DeliveryContext): unknown =>
    report(error, { stage, headers: context.headers, context })

  const attempt = async (task: Task<Transaction>, context: DeliveryContext, transaction: Transaction) => {
    try {
      await callHandler(task, { ...context, transaction })
      return true
    } catch (error) {
      await fail('handler', error, context)
      return false
    }
  }

  /** A handler that fails does not keep the event from the others. */
  const callAll = async ({ context, tasks }: Delivery<Transaction>, transaction: Transaction) => {
    const attempts = tasks.map((task) => attempt(task, context, transaction))
    let handled = true
    // Attempts never reject, and for one of them a loop is faster than Promise.all.
    for (const each of attempts) handled = (await each) && handled
    return handled
  }

  // Only an inbox has transactions: without one, their type is undefined.
  const callAlone = (delivery: Delivery<Transaction>) => callAll(delivery, undefined as Transaction)

  const handleClaimed = async (delivery: Delivery<Transaction>, claim: Claim): Promise<InboxOutcome> => {
    const failStore = (error: unknown) => fail('dedupe', error, delivery.context)
    const stop = keepClaim(claim, claimTtlMs, failStore)
    const handled = await callAlone(delivery)
    stop()
    // If the claim was lost, somebody else is handling the delivery again, and may still fail.
    if (handled) return (await claim.complete()) ? 'handled' : 'in_progress'
    try {
      await claim.release()
    } catch (error) {
      await failStore(error)
    }
    return 'failed'
  }

  /** When the store fails, the sender has to try again. */
  const failUnavailable = async (error: unknown, context: DeliveryContext): Promise<Outcome> => {
    await fail('dedupe', error, context)
    return 'unavailable'
  }

  const handle = async (delivery: Delivery<Transaction>, claim: Claim | undefined): Promise<Outcome> => {
    const { context } = delivery
    try {
      if (claim !== undefined) return await handleClaimed(delivery, claim)
      if (inbox === undefined) return (await callAlone(delivery)) ? 'handled' : 'failed'
      return await inbox.transact(context.delivery.key, (transaction) => callAll(delivery, transaction))
    } catch (error) {
      return failUnavailable(error, context)
    }
  }

  return async (delivery: Delivery<Transaction>): Promise<Outcome> => {
    const { context, isEarly, keepAlive } = delivery
    try {
      const claim = store && (await store.claim(context.delivery.key, claimTtlMs))
      if (claim === 'duplicate' || claim === 'in_progress') return claim
      if (store && typeof claim?.complete !== 'function') {
        throw new TypeError('dedupe.claim() must return a claim, "duplicate" or "in_progress".')
      }
      const done = handle(delivery, claim)
      keepAlive(done)
      return isEarly ? 'handled' : done
    } catch (error) {
      return failUnavailable(error, context)
    }
  }
}
