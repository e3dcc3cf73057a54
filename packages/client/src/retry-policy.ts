import type { Call } from './call.ts'
import { ApiError } from './errors/api-error.ts'
import { ConnectionError } from './errors/connection-error.ts'
import { TimeoutError } from './errors/timeout-error.ts'
import type { WabakitError } from './errors/wabakit-error.ts'

const isLost = (failure: WabakitError): failure is ConnectionError | TimeoutError =>
  failure instanceof ConnectionError || failure instanceof TimeoutError

/** Whether the request may have been carried out although no answer came. */
export const mayHaveHappened = (failure: WabakitError): boolean => isLost(failure) && !failure.neverSent

/** Whether a later attempt could go better. */
export const isPassing = (failure: WabakitError): boolean =>
  isLost(failure) ||
  (failure instanceof ApiError && (failure.status === 408 || failure.status === 429 || failure.status >= 500))

/**
 * Whether a failed attempt may be repeated. Reads are repeated after any passing failure; so are writes in `always`
 * mode if a `groupId` makes their repetition safe. Any other write only where it provably had no effect.
 */
export const isRepeatable = (
  call: Call<unknown>,
  failure: WabakitError,
  writes: 'safe' | 'always',
): boolean => {
  if (call.method === 'GET' || (writes === 'always' && call.groupId !== undefined)) return isPassing(failure)
  if (isLost(failure)) return failure.neverSent
  if (!(failure instanceof ApiError)) return false
  return failure.status === 429 || (failure.status === 503 && failure.retryAfterMs !== undefined)
}
