import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request that arrived at the examiner's listener. */
export type ReceivedWebhook = {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The raw body. */
  readonly text: string
  /** The parsed body, or `undefined` if it is not JSON. */
  readonly json: unknown
  /** The body's `event` field, or an empty string. */
  readonly event: string
  readonly callId: string
  readonly groupId: string
  /** Time of arrival, as Unix time in milliseconds. */
  readonly arrivedAt: number
  readonly status: number
}

/** Removes deliveries that arrived again after they were accepted, which at-least-once delivery allows. */
export const withoutRedeliveries = (webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] => {
  const accepted = new Set<string>()
  return webhooks.filter(({ headers, status }) => {
    const id = headers.get('webhook-id') ?? ''
    if (accepted.has(id)) return false
    if (id !== '' && status === 204) accepted.add(id)
    return true
  })
}

/**
 * Checks a webhook's signature (Standard Webhooks 1.0), independently of the code that the examined server may use.
 *
 * @returns the problem, or `undefined` if there is none.
 */
export const checkSignature = ({ headers, text }: ReceivedWebhook, secret: string): string | undefined => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headers.get(`webhook-${name}`),
  )
  if (!id || !timestamp || !signatures)
    return 'the webhook has no webhook-id, webhook-timestamp or webhook-signature'
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest()
  const isValid = signatures.split(' ').some((each) => {
    const [version, value = ''] = each.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isValid ? undefined : 'no v1 signature matches the body and the secret'
}
