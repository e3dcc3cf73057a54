import type { ApiCall } from '../api-call.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConnectionError, ResponseFormatError, TimeoutError } from '../errors/call-errors.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { Settings } from '../options/settings.ts'

const isLost = (failure: WabakitError): failure is ConnectionError | TimeoutError =>
  failure instanceof ConnectionError || failure instanceof TimeoutError

/** Checks whether the service changed nothing, and a later attempt may succeed. */
const isPostponed = (failure: WabakitError): boolean =>
  failure instanceof ApiError &&
  (failure.status === 429 || (failure.status === 503 && failure.code === 'storage_unavailable'))

/** Checks for a redirect, whose status browsers hide. */
const isRedirect = ({ status }: ResponseFormatError): boolean => status < 200 || status >= 300

/** Checks whether the service may have carried out the request even though the attempt failed. */
export const mayHaveHappened = (failure: WabakitError): boolean => {
  if (isLost(failure)) return !failure.neverSent
  if (failure instanceof ResponseFormatError) return !isRedirect(failure)
  return failure instanceof ApiError && failure.status >= 500 && !isPostponed(failure)
}

/** Checks whether a later attempt could succeed. */
export const isTransient = (failure: WabakitError): boolean =>
  isLost(failure) ||
  (failure instanceof ApiError && (failure.status === 408 || failure.status === 429 || failure.status >= 500))

/**
 * A GET is repeated after every transient failure; a `client.request` of another method never. A create request:
 *
 * | failure | repeated? | error |
 * |---|---|---|
 * | `neverSent`: no connection, or the time was over before `fetch` was called | yes | `ConnectionError`, `TimeoutError` |
 * | 429, 503 `storage_unavailable` | yes | `RateLimitError`, `ServerError` |
 * | no response within the time, even if `fetch` never connected; a lost connection; another 5xx; a body cut off | only with `writes: 'always'` and a `groupId` | `OutcomeUnknownError` |
 * | 408 | only with `writes: 'always'` and a `groupId` | `ApiError` |
 * | any other 2xx without a valid body | no | `OutcomeUnknownError` |
 * | a redirect, any other 4xx | no | `ResponseFormatError`, the class of the status |
 *
 * With a `groupId`, wabakit's server returns the same group, so a repeated create cannot make two. By default, `writes` is `safe`,
 * and there are at most 2 retries within 60 s, and none after a `Retry-After` of over 60 s (`options/settings.ts`). If the
 * outcome of any attempt is unknown, so is that of the call (`send.ts`).
 */
const isRetryable = (
  { endpoint, method, groupId }: ApiCall<unknown>,
  failure: WabakitError,
  writes: 'safe' | 'always',
): boolean => {
  if (method === 'GET') return isTransient(failure)
  if (endpoint === 'request') return false
  if (writes === 'always' && groupId !== undefined) {
    const isCutOff = failure instanceof ResponseFormatError && !failure.isComplete
    return isTransient(failure) || isCutOff
  }
  // Retries only if the failure proves that no group was created.
  return isLost(failure) ? failure.neverSent : isPostponed(failure)
}

/**
 * Returns the wait before retry `number` (from 1) in milliseconds, or `undefined` if the request must not be retried.
 * Without a `Retry-After`, the wait is random up to a bound that doubles each time (full jitter). This keeps clients
 * that failed together from retrying together.
 */
export const getRetryDelayMs = (
  call: ApiCall<unknown>,
  failure: WabakitError,
  number: number,
  { retry, random }: Pick<Settings, 'retry' | 'random'>,
): number | undefined => {
  const { limit, writes, maxRetryAfterMs } = retry
  const [first, last] = retry.backoffMs
  if (number > limit || !isRetryable(call, failure, writes)) return undefined
  const retryAfterMs = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (retryAfterMs === undefined) return Math.round(random() * Math.min(last, first * 2 ** (number - 1)))
  return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined
}
