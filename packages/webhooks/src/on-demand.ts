import { isWebhookVerificationError, WebhookVerificationError } from './errors.ts'
import { startTimer } from './machine-time.ts'
import { failAfter } from './time-limit.ts'

/** A value, or a function that returns it, for values that do not exist yet when a bundler loads the module. */
export type OnDemand<Value> = Value | (() => Value | Promise<Value>)

/** How long the result of a function is kept, in milliseconds. */
const maximumAgeMs = 60_000

/**
 * How long a failure is kept, in milliseconds. Otherwise every unauthenticated request would call a
 * failing secret store.
 */
const failureAgeMs = 1_000

/**
 * Time after which an unfinished call is ignored and repeated, in milliseconds: a Worker may have canceled
 * the request that made it.
 */
const patienceMs = 10_000

const isFunction = <Value>(source: OnDemand<Value>): source is () => Value | Promise<Value> =>
  typeof source === 'function'

/**
 * Returns a function that provides converted secrets. A value is converted at once. A function is called when
 * its result is needed. A result is kept for a minute, and a failure for a second. Concurrent requests share
 * one call.
 */
export const prepare = <Input, Output>(
  source: OnDemand<Input>,
  { convert, now }: { readonly convert: (input: Input) => Output; readonly now: () => number },
): ((clock?: () => number) => Output | Promise<Output>) => {
  if (!isFunction(source)) {
    const value = convert(source)
    return () => value
  }
  /** Returns the last result, or throws the last error, which is kept from `readAt` for `ageMs`. */
  let get: () => Output
  let readAt = Number.NaN
  let ageMs: number
  let calledAt = Number.NaN

  const refresh = async (at: number): Promise<Output> => {
    calledAt = Date.now()
    try {
      const value = convert(await failAfter(patienceMs, 'It', source))
      get = () => value
      ageMs = maximumAgeMs
    } catch (cause) {
      const error = isWebhookVerificationError(cause)
        ? cause
        : new WebhookVerificationError('invalid_secret', 'The function that returns the secrets failed.', {
            cause,
          })
      get = () => {
        throw error
      }
      ageMs = failureAgeMs
    }
    readAt = at
    calledAt = Number.NaN
    return get()
  }

  const isCalling = (): boolean => Math.abs(Date.now() - calledAt) < patienceMs

  /** Waits until another request's call has ended. Polls, because Workers forbid awaiting its promise. */
  const wait = async (clock: () => number): Promise<Output> => {
    while (isCalling()) await new Promise((resolve) => startTimer(resolve, 5))
    return find(clock)
  }
  const find = (clock = now): Output | Promise<Output> => {
    const at = clock()
    if (Math.abs(at - readAt) < ageMs) return get()
    return isCalling() ? wait(clock) : refresh(at)
  }
  return find
}
