import type { Call } from '../call.ts'
import { ApiError } from '../errors/api-error.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import { ResponseFormatError } from '../errors/response-format-error.ts'
import { TimeoutError } from '../errors/timeout-error.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { Settings } from '../options/settings.ts'

const isLost = (failure: WabakitError): failure is ConnectionError | TimeoutError =>
  failure instanceof ConnectionError || failure instanceof TimeoutError

/** The service says that it changed nothing, and that a later attempt may succeed. */
const isPostponed = (failure: WabakitError): boolean =>
  failure instanceof ApiError &&
  (failure.status === 429 || (failure.status === 503 && failure.code === 'storage_unavailable'))

/** Whether the request may have been carried out although it failed. */
export const mayHaveHappened = (failure: WabakitError): boolean => {
  if (isLost(failure)) return !failure.neverSent
  if (failure instanceof ResponseFormatError) return !failure.isComplete
  return failure instanceof ApiError && failure.status >= 500 && !isPostponed(failure)
}

/** Whether a later attempt could go better. */
export const isPassing = (failure: WabakitError): boolean =>
  isLost(failure) ||
  (failure instanceof ApiError && (failure.status === 408 || failure.status === 429 || failure.status >= 500))

/** Whether a create that failed so provably made no group. */
const hadNoEffect = (failure: WabakitError): boolean =>
  isLost(failure) ? failure.neverSent : isPostponed(failure)

/** Reads may be repeated, and so may a create with a `groupId`, where the caller knows that the service allows it. */
const isRepeatable = (
  { method, groupId }: Call<unknown>,
  failure: WabakitError,
  writes: 'safe' | 'always',
): boolean => {
  if (method === 'GET') return isPassing(failure)
  if (writes === 'always' && groupId !== undefined) return isPassing(failure) || mayHaveHappened(failure)
  return hadNoEffect(failure)
}

/**
 * The wait before repetition `number` (from 1), in milliseconds; `undefined` when there must be none. It is what
 * `Retry-After` asks for, or else anything up to a bound that doubles each time (full jitter), so that clients which
 * failed together do not come back together.
 */
export const delayMsOf = (
  call: Call<unknown>,
  failure: WabakitError,
  number: number,
  { retry, random }: Pick<Settings, 'retry' | 'random'>,
): number | undefined => {
  const { limit, writes, maxRetryAfterMs } = retry
  const [first, last] = retry.backoffMs
  if (number > limit || !isRepeatable(call, failure, writes)) return undefined
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (asked === undefined) return Math.round(random() * Math.min(last, first * 2 ** (number - 1)))
  return asked <= maxRetryAfterMs ? asked : undefined
}
