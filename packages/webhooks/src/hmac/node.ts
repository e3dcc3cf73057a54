import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Digest, Signer } from './web.ts'

/** Block size of SHA-256, in bytes. */
const blockSize = 64

export const digest: Digest = (data) => hash('sha256', data)

const padKey = (key: Uint8Array, pad: number, length: number): Buffer => {
  const short = key.length > blockSize ? hash('sha256', key, 'buffer') : key
  const block = Buffer.alloc(length)
  block.set(short)
  for (let index = 0; index < blockSize; index += 1) block.writeUInt8(block.readUInt8(index) ^ pad, index)
  return block
}

/**
 * Creates a synchronous {@link Signer} on `node:crypto`, for Node, Bun and Deno. It implements HMAC as two
 * hashes over a padded key (RFC 2104), because `createHmac` takes twice as long: it allocates three objects
 * for one short message.
 */
export const createSigner = (key: Uint8Array<ArrayBuffer>): Signer => {
  const inner = padKey(key, 0x36, blockSize)
  const outer = padKey(key, 0x5c, blockSize + 32)
  return (head, body) => {
    const message = Buffer.allocUnsafe(blockSize + head.length + body.length)
    message.set(inner)
    message.write(head, blockSize, 'latin1')
    message.set(body, blockSize + head.length)
    outer.write(hash('sha256', message, 'latin1'), blockSize, 'latin1')
    return hash('sha256', outer, 'base64')
  }
}
