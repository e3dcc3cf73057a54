import { createHmac } from 'node:crypto'

/** The bytes of a Standard Webhooks secret. */
export const decodeKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

export const signContent = (key: string | Uint8Array, ...content: readonly (string | Uint8Array)[]): string =>
  content.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest('base64')

/** Signs a delivery by Standard Webhooks 1.0, "Signature scheme". */
export const signDelivery = (
  key: string | Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): string => signContent(key, `${id}.${timestamp}.`, body)
