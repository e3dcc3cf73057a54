import { isWebhookVerificationError, WebhookVerificationError } from './errors.ts'

/** A value, or a function that returns it, for values that do not exist yet when a bundler loads the module. */
export type OnDemand<Value> = Value | (() => Value | Promise<Value>)

/** Time for which the result of a function is kept, in milliseconds. */
const maximumAgeMs = 60_000

const isFunction = <Value>(source: OnDemand<Value>): source is () => Value | Promise<Value> =>
  typeof source === 'function'

/**
 * Returns a function that provides converted secrets. A value is converted at once. A function is called when its
 * result is first needed, and again after a minute. Concurrent requests do not share a promise, because Workers forbid
 * that.
 */
export const prepare = <Input, Output>(
  source: OnDemand<Input>,
  { convert, now }: { readonly convert: (input: Input) => Output; readonly now: () => number },
): ((clock?: () => number) => Output | Promise<Output>) => {
  if (!isFunction(source)) {
    const value = convert(source)
    return () => value
  }
  let known: { readonly value: Output; readonly readAt: number } | undefined
  const refresh = async (readAt: number): Promise<Output> => {
    try {
      const value = convert(await source())
      known = { value, readAt }
      return value
    } catch (cause) {
      if (isWebhookVerificationError(cause)) throw cause
      throw new WebhookVerificationError('invalid_secret', 'The function that returns the secrets failed.', {
        cause,
      })
    }
  }
  return (clock = now) => {
    const at = clock()
    return known !== undefined && Math.abs(at - known.readAt) < maximumAgeMs ? known.value : refresh(at)
  }
}
