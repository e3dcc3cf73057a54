import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ReceivedWebhook } from './received-webhook.ts'

/**
 * Checks the signature of a webhook (Standard Webhooks 1.0), independently of the code that the examined server may use.
 *
 * @returns what is wrong, or `undefined`.
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
