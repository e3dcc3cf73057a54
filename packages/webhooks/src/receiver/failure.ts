import type { DeliveryContext } from './delivery-context.ts'

/** Where a delivery failed: before it was known to be one, in the dedupe store, or in a handler. */
export type FailureStage = 'request' | 'dedupe' | 'handler'

/** What a failed delivery was. */
export type Failure = {
  /** Where it failed. */
  readonly stage: FailureStage
  /** The request's headers. */
  readonly headers: Headers
  /** The delivery; `undefined` at stage `request`. */
  readonly context: DeliveryContext | undefined
}

/** Learns what went wrong, for logs and metrics. It cannot change the answer, and what it throws is only logged. */
export type ErrorListener = (error: unknown, failure: Failure) => unknown
