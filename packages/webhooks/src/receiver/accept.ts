import { WebhookRequestError } from '../errors/webhook-request-error.ts'
import type { Verifier } from '../verifiers/verifier.ts'
import { type BodyLimits, readBody } from './read-body.ts'

const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** A sender that names no type is believed to send JSON; the parser will tell. */
const isJson = (type: string | null): boolean => {
  if (type === null || type === '' || type === 'application/json') return true
  if (!json.test(type)) return false
  return /^utf-?8$/i.test(charset.exec(type)?.[1] ?? 'utf-8')
}

/**
 * Checks what can be seen without the body: method, headers of the signature, content type. In this order, so that a
 * stranger costs least.
 *
 * @throws WebhookRequestError, or what the verifier throws.
 */
const checkHead = (request: Request, verify: Verifier): void => {
  if (request.method !== 'POST') {
    throw new WebhookRequestError('method_not_allowed', 'Webhooks are sent by POST.')
  }
  verify.checkHeaders?.(request.headers)
  if (!isJson(request.headers.get('content-type'))) {
    throw new WebhookRequestError('unsupported_media_type', 'The body must be application/json in UTF-8.')
  }
}

/**
 * Reads a request's body and makes sure of its sender.
 *
 * @throws WebhookRequestError, or what the verifier throws.
 */
export const acceptBody = async (
  request: Request,
  verify: Verifier,
  limits: BodyLimits,
): Promise<Uint8Array> => {
  checkHead(request, verify)
  const body = await readBody(request, limits)
  const verdict: unknown = await verify({ headers: request.headers, body, url: request.url })
  if (verdict === true) return body
  throw new WebhookRequestError('not_verified', 'The delivery was not verified.')
}
