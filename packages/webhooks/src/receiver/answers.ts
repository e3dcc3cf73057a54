import type { Issue } from '@wabakit/contract'
import { WebhookDriftError } from '../errors/webhook-drift-error.ts'
import { WebhookParseError } from '../errors/webhook-parse-error.ts'
import { WebhookRequestError } from '../errors/webhook-request-error.ts'
import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'

type Refusal = { readonly code: string; readonly message: string; readonly issues?: readonly Issue[] }

const refuse = (status: number, body: Refusal, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })

/** 200: handled, or handled before. */
export const accepted = (): Response => new Response(null, { status: 200 })

/** 409: somebody else is handling the same delivery; a success now would lose it if that handler dies. */
export const inProgress = (): Response =>
  refuse(
    409,
    { code: 'in_progress', message: 'This delivery is being handled already.' },
    { 'retry-after': '1' },
  )

/** 503: the dedupe store failed, so that the delivery was not handled, or is not known to be. */
export const storeDown = (): Response =>
  refuse(
    503,
    { code: 'store_unavailable', message: 'The store of handled deliveries is not available.' },
    { 'retry-after': '5' },
  )

/** 500: a handler failed, so that the sender should try again. What it threw is not the sender's business. */
export const handlerFailed = (): Response =>
  refuse(500, { code: 'handler_failed', message: 'The delivery was not handled.' })

/** The answer to what was thrown before there was an event to handle. */
export const refusalOf = (error: unknown): Response => {
  if (error instanceof WebhookRequestError) {
    const { code, message, status } = error
    return refuse(status, { code, message }, status === 405 ? { allow: 'POST' } : {})
  }
  if (error instanceof WebhookParseError) return refuse(400, { code: error.code, message: error.message })
  if (error instanceof WebhookDriftError) {
    const { code, message, issues } = error
    return refuse(422, { code, message, issues })
  }
  if (error instanceof WebhookVerificationError) {
    return refuse(401, { code: error.reason, message: error.message })
  }
  return refuse(401, { code: 'not_verified', message: 'The delivery was not verified.' })
}
