import type { Issue } from '@wabakit/contract'
import {
  isWebhookParseError,
  isWebhookRequestError,
  isWebhookVerificationError,
  statuses,
  WebhookDriftError,
} from '../errors.ts'

type Problem = { readonly code: string; readonly message: string; readonly issues?: readonly Issue[] }

const toResponse = (
  status: number,
  { code, message, issues }: Problem,
  headers: Record<string, string> = {},
): Response => {
  const body = JSON.stringify({ code, message, issues })
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
}

const unhandled = {
  /** A handler failed. The sender does not learn what was thrown. */
  failed: [500, 'handler_failed', 'The delivery was not handled.', {}],
  /** `handle` was called with something else than a request. */
  misused: [500, 'invalid_usage', 'The receiver was called with something else than a request.', {}],
  /** A 200 now would lose the delivery if the other handler fails. */
  in_progress: [409, 'in_progress', 'This delivery is already being handled.', { 'retry-after': '1' }],
  /** The dedupe store failed, so the delivery was not handled, or may not be remembered. */
  unavailable: [
    503,
    'store_unavailable',
    'The store of handled deliveries is not available.',
    { 'retry-after': '5' },
  ],
  /** The sender may be the right one. */
  no_secret: [503, 'invalid_secret', 'The receiver has no valid secret.', { 'retry-after': '5' }],
} as const

/** Responds to a delivery that the sender should send again. */
export const respondUnhandled = (outcome: keyof typeof unhandled): Response => {
  const [status, code, message, headers] = unhandled[outcome]
  return toResponse(status, { code, message }, headers)
}

/** Responds to an error that was thrown before any handler was called. */
export const respondRejected = (error: unknown): Response => {
  if (isWebhookRequestError(error)) {
    const status = statuses[error.code]
    return toResponse(status, error, status === 405 ? { allow: 'POST' } : {})
  }
  if (isWebhookParseError(error)) return toResponse(400, error)
  if (error instanceof WebhookDriftError) return toResponse(422, error)
  if (!isWebhookVerificationError(error)) {
    return toResponse(401, { code: 'not_verified', message: 'The delivery was not verified.' })
  }
  return error.reason === 'invalid_secret'
    ? respondUnhandled('no_secret')
    : toResponse(401, { code: error.reason, message: error.message })
}
