import { WebhookRequestError } from '../errors/webhook-request-error.ts'
import { type ParsedEvent, parseEvent } from '../parse/parse-event.ts'
import type { ReceiverSettings } from './options.ts'
import { readBody } from './read-body.ts'

const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** A sender that names no type is believed to send JSON; the parser will tell. */
const isJson = (type: string | null): boolean => {
  if (type === null || type === '' || type === 'application/json') return true
  return json.test(type) && /^utf-?8$/i.test(charset.exec(type)?.[1] ?? 'utf-8')
}

/** Checks what can be seen without the body, in such an order that a stranger costs least. */
const checkHead = (request: Request, { verify }: Pick<ReceiverSettings<unknown>, 'verify'>): void => {
  if (request.method !== 'POST') {
    throw new WebhookRequestError('method_not_allowed', 'Webhooks are sent by POST.')
  }
  verify.checkHeaders?.(request.headers)
  if (!isJson(request.headers.get('content-type'))) {
    throw new WebhookRequestError('unsupported_media_type', 'The body must be application/json in UTF-8.')
  }
}

/** A request whose sender is known and whose body is read. */
export type Accepted = { readonly rawBody: Uint8Array; readonly parsed: ParsedEvent }

/**
 * Makes sure of a request's sender and reads its event.
 *
 * @throws WebhookRequestError, WebhookParseError, or what the verifier throws.
 */
export const acceptRequest = async <Transaction>(
  request: Request,
  settings: ReceiverSettings<Transaction>,
): Promise<Accepted> => {
  checkHead(request, settings)
  const { maxBodyBytes, bodyTimeoutMs } = settings
  const rawBody = await readBody(request, { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs })
  const verdict: unknown = await settings.verify({
    headers: request.headers,
    body: rawBody,
    url: request.url,
  })
  if (verdict !== true) throw new WebhookRequestError('not_verified', 'The delivery was not verified.')
  return { rawBody, parsed: parseEvent(rawBody, { maxBytes: maxBodyBytes }) }
}
