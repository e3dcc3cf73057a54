import { toBytes, type WebhookPayload } from '../bytes.ts'
import { parseIfReadable } from '../parse/parse-event.ts'
import { type HeaderSource, toHeaderReader } from '../verifiers/signature-headers.ts'
import { type EventIdentity, findSubject, toIdentity } from './identity.ts'

/** The result of {@link identifyEvent}. */
export type IdentifiedEvent = {
  /**
   * The key. Unless `identity` is `none`, it is the same as `delivery.key` in a receiver whose verifier takes the id from the
   * `webhook-id`. Two deliveries with the same key are one event.
   */
  readonly key: string
  /** The part of the event from which the key is derived. With `none`, every call returns a different key. */
  readonly identity: EventIdentity
  /**
   * The call or group, as `call:<callId>` or `group:<groupId>`: events with the same subject must be handled
   * in order. Undefined if the event contains neither. A subject has at most 128 visible ASCII characters: a
   * SHA-256 replaces an id that does not fit.
   */
  readonly subject: string | undefined
}

/**
 * Identifies an event as receivers do, for code that forwards it to a queue or a bus: `key` recognizes
 * duplicates, and `subject` is the message group. It verifies nothing.
 *
 * @param body - the body exactly as it arrived.
 * @param headers - the headers of the request, for its `webhook-id`.
 * @throws TypeError when the body is neither text nor bytes.
 * @example
 * const { key, identity, subject } = await identifyEvent(body, request.headers)
 */
export const identifyEvent = async (
  body: WebhookPayload,
  headers: HeaderSource = {},
): Promise<IdentifiedEvent> => {
  const bytes = toBytes(body)
  const parsed = parseIfReadable(bytes, Number.POSITIVE_INFINITY)
  const id = toHeaderReader(headers).get('webhook-id') || undefined
  return { ...(await toIdentity(parsed, { id, body: bytes })), subject: await findSubject(parsed) }
}
