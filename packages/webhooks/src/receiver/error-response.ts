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
): Response =>
  new Response(JSON.stringify({ code, message, issues }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

const unhandled = {
  /** A handler failed. The sender does not learn what was thrown. */
  failed: () => toResponse(500, { code: 'handler_failed', message: 'The delivery was not handled.' }),
  /**
   * A 200 now would lose the delivery if the other handler fails. After a tenth of the claim's lifetime: a sender that
   * gives up after some retries must outlast the claim of a process that died.
   */
  in_progress: (claimTtlMs: number) =>
    toResponse(
      409,
      { code: 'in_progress', message: 'This delivery is already being handled.' },
      { 'retry-after': String(Math.min(60, Math.ceil(claimTtlMs / 10_000))) },
    ),
  /** The dedupe store failed, so the delivery was not handled, or may not be remembered. */
  unavailable: () =>
    toResponse(
      503,
      { code: 'store_unavailable', message: 'The store of handled deliveries is not available.' },
      { 'retry-after': '5' },
    ),
}

/** Responds to a delivery that the sender should send again. */
export const respondUnhandled = (outcome: keyof typeof unhandled, claimTtlMs = 60_000): Response =>
  unhandled[outcome](claimTtlMs)

/** Responds to an error that was thrown before any handler was called. */
export const respondRejected = (error: unknown): Response => {
  if (isWebhookRequestError(error)) {
    const status = statuses[error.code]
    return toResponse(status, error, status === 405 ? { allow: 'POST' } : {})
  }
  if (isWebhookParseError(error)) return toResponse(400, error)
  if (error instanceof WebhookDriftError) return toResponse(422, error)
  return toResponse(
    401,
    isWebhookVerificationError(error)
      ? { code: error.reason, message: error.message }
      : { code: 'not_verified', message: 'The delivery was not verified.' },
  )
}
