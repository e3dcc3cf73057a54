import { describeRejection } from './error-response.ts'
import type { DeliveryContext } from './handlers.ts'

/** Where a delivery failed: before its handlers were found, in the dedupe store, in the inbox, or in a handler. */
export type FailureStage = 'request' | 'dedupe' | 'inbox' | 'handler'

/** The delivery that failed. */
export type Failure = {
  /** The stage at which it failed. */
  readonly stage: FailureStage
  /** The request's headers, or those that the inbox keeps. There are none if the error does not belong to one request. */
  readonly headers: Headers
  /** The context that handlers get; `undefined` at the stages `request` and `inbox`. */
  readonly context: DeliveryContext | undefined
}

/** Receives the errors of a receiver, for logs and metrics. It cannot change the response. Errors that it throws are logged. */
export type ErrorListener = (error: unknown, failure: Failure) => unknown

/** Minimum time between two printed lines with the same reason, in milliseconds. */
const quietMs = 60_000

/** Prints rejected requests: at most one line per reason and minute, because anyone could otherwise fill the log. */
const createRejectionLog = (now: () => number) => {
  const lines = new Map<string, { readonly printedAt: number; count: number }>()
  return (error: unknown): void => {
    const { code, message, remedy = message } = describeRejection(error)
    const at = now()
    const last = lines.get(code)
    if (last !== undefined && Math.abs(at - last.printedAt) < quietMs) {
      last.count += 1
      return
    }
    const what = last?.count ? `${last.count + 1} webhooks were` : 'A webhook was'
    console.warn(`${what} rejected (${code}). ${remedy} Register onError() to handle this yourself.`)
    lines.set(code, { printedAt: at, count: 0 })
  }
}

/** Creates a list of listeners, and a function that reports an error to all of them and never throws. */
export const createReporter = (now = () => Date.now()) => {
  const listeners: ErrorListener[] = []
  const printRejection = createRejectionLog(now)

  const report = async (error: unknown, failure: Failure): Promise<void> => {
    if (listeners.length === 0) {
      if (failure.stage === 'request') printRejection(error)
      else console.error('A webhook delivery failed. Register onError() to handle this yourself.', error)
    }
    for (const listener of listeners) {
      try {
        await listener(error, failure)
      } catch (thrown) {
        console.error('An onError() listener failed.', thrown)
      }
    }
  }

  return { report, add: (listener: ErrorListener) => void listeners.push(listener) }
}
