import type { DeliveryContext } from './delivery-context.ts'

/** Where a delivery failed: before its event was known, in the dedupe store, or in a handler. */
export type FailureStage = 'request' | 'dedupe' | 'handler'

/** The delivery that failed. */
export type Failure = {
  /** Where it failed. */
  readonly stage: FailureStage
  /** The request's headers. */
  readonly headers: Headers
  /** The context that handlers get; `undefined` at stage `request`. */
  readonly context: DeliveryContext | undefined
}

/** Receives every error, for logs and metrics. It cannot change the response. Whatever it throws is logged. */
export type ErrorListener = (error: unknown, failure: Failure) => unknown

/** Creates a list of listeners, and a function that reports an error to all of them and never throws. */
export const createReporter = () => {
  const listeners: ErrorListener[] = []

  const report = async (error: unknown, failure: Failure): Promise<void> => {
    // Without a listener, handlers' errors are logged. Rejected requests are not, because anyone could fill the log.
    if (listeners.length === 0 && failure.context !== undefined) {
      console.error('A webhook delivery failed. Register onError() to handle this yourself.', error)
    }
    for (const listener of listeners) {
      try {
        await listener(error, failure)
      } catch (thrown) {
        console.error('An onError() listener of a webhook receiver failed.', thrown)
      }
    }
  }

  return { report, add: (listener: ErrorListener) => void listeners.push(listener) }
}
