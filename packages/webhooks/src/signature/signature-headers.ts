import { WebhookVerificationError } from '../errors/webhook-verification-error.ts'
import { type HeaderSource, readHeader } from '../headers.ts'
import { isWebhookId } from './webhook-id.ts'

/** What the three Standard Webhooks headers say. */
export type SignatureHeaders = {
  /** The `webhook-id`. */
  readonly id: string
  /** The `webhook-timestamp` as it came: a run of digits. */
  readonly timestamp: string
  /** The base64 signatures of version `v1`; those of other versions are left out. */
  readonly signatures: readonly string[]
}

const required = (source: HeaderSource, header: string): string => {
  const value = readHeader(source, header)
  if (value !== undefined) return value
  throw new WebhookVerificationError(
    'missing_header',
    `The header ${header} is missing. Does the sender sign by Standard Webhooks, and does every proxy pass it on?`,
    { header },
  )
}

const malformed = (header: string, sentence: string) =>
  new WebhookVerificationError('malformed_header', `The header ${header} ${sentence}`, { header })

const readSignatures = (value: string): string[] => {
  const signatures: string[] = []
  let wellFormed = false
  for (const part of value.split(' ')) {
    const comma = part.indexOf(',')
    if (comma < 1) continue
    wellFormed = true
    // A repeated header arrives joined by a comma and a space, so that a signature may end in a comma.
    if (part.startsWith('v1,')) signatures.push(part.endsWith(',') ? part.slice(3, -1) : part.slice(3))
  }
  if (wellFormed) return signatures
  throw malformed('webhook-signature', 'must be versioned signatures such as "v1,…", separated by spaces.')
}

/**
 * Reads the three headers of Standard Webhooks 1.0 without looking at the body or the clock.
 *
 * @throws WebhookVerificationError with reason `missing_header` or `malformed_header`.
 */
export const readSignatureHeaders = (source: HeaderSource): SignatureHeaders => {
  const id = required(source, 'webhook-id')
  const timestamp = required(source, 'webhook-timestamp')
  const signature = required(source, 'webhook-signature')
  if (!isWebhookId(id)) {
    throw malformed('webhook-id', 'must be one word of visible ASCII characters without a full stop.')
  }
  if (!/^\d{1,15}$/.test(timestamp))
    throw malformed('webhook-timestamp', 'must be Unix seconds, digits only.')
  return { id, timestamp, signatures: readSignatures(signature) }
}
