import type { Issue } from '@wabakit/wire'
import {
  isWebhookParseError,
  isWebhookRequestError,
  isWebhookVerificationError,
  requestStatuses,
  WebhookDriftError,
  WebhookUsageError,
} from '../errors.ts'

/** Why a request did not succeed, as reported to the sender and, if it was rejected, in the log. */
type Problem = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly issues?: readonly Issue[]
  /** The remedy for the developer, without any text from the sender. The default is the message. */
  readonly remedy?: string
}

/** Builds the response to a problem. By default, a 503 asks the sender to retry in 5 seconds. */
const toResponse = (
  { status, code, message, issues }: Problem,
  retryAfter = status === 503 ? 5 : undefined,
): Response => {
  const headers: Record<string, string> = status === 405 ? { allow: 'POST' } : {}
  if (retryAfter) headers['retry-after'] = `${retryAfter}`
  return Response.json({ code, message, issues }, { status, headers })
}

const retried = {
  /** A handler failed. The response does not reveal what it threw. */
  failed: { status: 500, code: 'handler_failed', message: 'The delivery was not handled.' },
  /** The delivery is being handled already. After a 200, it would be lost if that failed. */
  in_progress: { status: 409, code: 'in_progress', message: 'This delivery is already being handled.' },
  /**
   * The dedupe store or the inbox failed, so the delivery was not handled, or may be handled again. They fail at the latest 6 s
   * after a call (`handle-once.ts`), and 12 s after the request (`inbox/sql-inbox.ts`).
   */
  unavailable: { status: 503, code: 'store_unavailable', message: 'The delivery store is not available.' },
} satisfies Record<string, Problem>

/**
 * Responds to a delivery that the sender should send again. If it is being handled already, asks for a
 * retry after a tenth of the claim's lifetime, 1 to 60 seconds. The sender's limited number of retries
 * then outlasts the claim of a process that died.
 */
export const respondRetry = (outcome: keyof typeof retried, claimTtlMs = 60_000): Response =>
  toResponse(
    retried[outcome],
    outcome === 'in_progress' ? Math.min(60, Math.ceil(claimTtlMs / 10_000)) : undefined,
  )

/** A reason that `requestStatuses` does not list has the status of its kind of error: 401 for all that concerns a signature. */
const toStatus = (code: string, otherwise: number): number => Object(requestStatuses)[code] ?? otherwise

/** Describes an error that was thrown before any handler was called. */
export const describeRejection = (error: unknown): Problem => {
  if (isWebhookRequestError(error) || isWebhookParseError(error)) {
    const { code, message } = error
    return { status: toStatus(code, 400), code, message }
  }
  if (error instanceof WebhookDriftError) {
    const { code, message, issues, eventName } = error
    const remedy = `A ${eventName} does not match its contract. Register onDrift() to receive it.`
    return { status: 422, code, message, issues, remedy }
  }
  if (error instanceof WebhookUsageError) {
    const message = 'There is no request.'
    return { status: 500, code: error.code, message, remedy: error.message }
  }
  if (!isWebhookVerificationError(error)) {
    const message = 'The delivery was not verified.'
    return { status: 401, code: 'not_verified', message, remedy: 'The verify function threw.' }
  }
  const { reason: code, message, skewSeconds } = error
  // The sender may be authentic, so it should retry.
  if (code === 'invalid_secret')
    return { status: 503, code, message: 'The receiver has no valid secret.', remedy: message }
  const remedy = skewSeconds === undefined ? message : 'Check the clocks of sender and receiver.'
  return { status: toStatus(code, 401), code, message, remedy }
}

export const respondRejected = (error: unknown): Response => toResponse(describeRejection(error))
