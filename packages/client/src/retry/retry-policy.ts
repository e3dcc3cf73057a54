import type { Call } from '../call.ts'
import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { TimeoutError } from '../errors/timeout-error.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { Settings } from '../options/settings.ts'

const isLost = (failure: WabakitError): failure is ConnectionError | TimeoutError =>
  failure instanceof ConnectionError || failure instanceof TimeoutError

/** Whether the request may have been carried out although no answer came. */
export const mayHaveHappened = (failure: WabakitError): boolean => isLost(failure) && !failure.neverSent

/** Whether a later attempt could go better. */
export const isPassing = (failure: WabakitError): boolean =>
  isLost(failure) ||
  (failure instanceof ApiError && (failure.status === 408 || failure.status === 429 || failure.status >= 500))

/** Whether a create that failed so provably made no group. */
const hadNoEffect = (failure: WabakitError): boolean => {
  if (isLost(failure)) return failure.neverSent
  if (!(failure instanceof ApiError)) return false
  return failure.status === 429 || (failure.status === 503 && failure.retryAfterMs !== undefined)
}

/** Reads may be repeated, and so may a write whose `groupId` makes its repetition the same, where that is asked for. */
const isRepeatable = (
  { method, groupId }: Call<unknown>,
  failure: WabakitError,
  writes: 'safe' | 'always',
) =>
  method === 'GET' || (writes === 'always' && groupId !== undefined)
    ? isPassing(failure)
    : hadNoEffect(failure)

/**
 * The wait before repetition `number` (from 1), in milliseconds; `undefined` when there must be none. It is what
 * `Retry-After` asks for, or else anything up to a bound that doubles each time (full jitter), so that clients which
 * failed together do not come back together.
 */
export const delayMsOf = (
  call: Call<unknown>,
  failure: WabakitError,
  number: number,
  { limit, writes, backoffMs: [first, last], maxRetryAfterMs }: Settings['retry'],
): number | undefined => {
  if (number > limit || !isRepeatable(call, failure, writes)) return undefined
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (asked === undefined) return Math.round(Math.random() * Math.min(last, first * 2 ** (number - 1)))
  return asked <= maxRetryAfterMs ? asked : undefined
}
