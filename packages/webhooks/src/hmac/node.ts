import { createHmac, createSecretKey } from 'node:crypto'
import type { Signer } from './signer.ts'

/** A {@link Signer} on `node:crypto`, synchronous: for Node, Bun and Deno. */
export const createSigner = (key: Uint8Array<ArrayBuffer>): Signer => {
  const secret = createSecretKey(key)
  return (head, body) => createHmac('sha256', secret).update(head).update(body).digest('base64')
}
