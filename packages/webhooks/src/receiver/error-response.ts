import type { Issue } from '@wabakit/wire'
import {
  isWebhookParseError,
  isWebhookRequestError,
  isWebhookVerificationError,
  statuses,
  WebhookDriftError,
  WebhookUsageError,
} from '../errors.ts'

/** A rejected request, as reported to the sender and in the log. */
type Problem = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly issues?: readonly Issue[]
  readonly headers?: Record<string, string>
  /** The remedy for the developer, without any text from the sender. The default is the message. */
  readonly remedy?: string
}

const toResponse = ({ status, code, message, issues, headers = {} }: Problem): Response =>
  Response.json({ code, message, issues }, { status, headers })

const tryAgainAfter = (seconds: number) => ({ 'retry-after': String(seconds) })

const unhandled = {
  /** A handler failed. The response does not reveal what it threw. */
  failed: () => ({ status: 500, code: 'handler_failed', message: 'The delivery was not handled.' }),
  /**
   * After a 200, the delivery would be lost if the other process failed. This asks the sender to wait for a tenth of the
   * claim's lifetime, so that its limited number of retries outlasts the claim of a dead process.
   */
  in_progress: (claimTtlMs) => ({
    status: 409,
    code: 'in_progress',
    message: 'This delivery is already being handled.',
    headers: tryAgainAfter(Math.min(60, Math.ceil(claimTtlMs / 10_000))),
  }),
  /** The dedupe store or the inbox failed, so the delivery was not handled, or may be handled again. */
  unavailable: () => ({
    status: 503,
    code: 'store_unavailable',
    message: 'The delivery store is not available.',
    headers: tryAgainAfter(5),
  }),
} satisfies Record<string, (claimTtlMs: number) => Problem>

/** Responds to a delivery that the sender should send again. */
export const respondUnhandled = (outcome: keyof typeof unhandled, claimTtlMs = 60_000): Response =>
  toResponse(unhandled[outcome](claimTtlMs))

/** Describes an error that was thrown before any handler was called. */
export const describeRejection = (error: unknown): Problem => {
  if (isWebhookRequestError(error)) {
    const { code, message } = error
    const headers: Record<string, string> =
      code === 'method_not_allowed' ? { allow: 'POST' } : code === 'overloaded' ? tryAgainAfter(5) : {}
    return { status: statuses[code], code, message, headers }
  }
  if (isWebhookParseError(error)) return { status: 400, code: error.code, message: error.message }
  if (error instanceof WebhookDriftError) {
    const { code, message, issues, eventName } = error
    const remedy = `A ${eventName} does not match its contract. Register onDrift() to receive it.`
    return { status: 422, code, message, issues, remedy }
  }
  if (error instanceof WebhookUsageError) {
    const message = 'The receiver was not called with a request.'
    return { status: 500, code: error.code, message, remedy: error.message }
  }
  if (!isWebhookVerificationError(error)) {
    const message = 'The delivery was not verified.'
    return { status: 401, code: 'not_verified', message, remedy: 'The verify function threw.' }
  }
  const { reason: code, message, skewSeconds } = error
  if (code === 'invalid_secret') {
    // The sender may be authentic, so it should try again.
    const headers = tryAgainAfter(5)
    return { status: 503, code, message: 'The receiver has no valid secret.', headers, remedy: message }
  }
  const remedy = skewSeconds === undefined ? message : 'Check the clocks of sender and receiver.'
  return { status: 401, code, message, remedy }
}

export const respondRejected = (error: unknown): Response => toResponse(describeRejection(error))
