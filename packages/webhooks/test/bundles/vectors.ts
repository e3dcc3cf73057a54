import { createHmac } from 'node:crypto'
import type { VerifySignatureOptions } from '@wabakit/webhooks'

/** A delivery and the expected outcome: `accepted`, or the reason for the rejection. Plain JSON. */
export type Vector = {
  readonly name: string
  /** The body's bytes. */
  readonly body: readonly number[]
  readonly headers: Record<string, string>
  readonly options: Pick<VerifySignatureOptions, 'secrets' | 'toleranceSeconds'>
  /** Unix seconds. */
  readonly now: number
  readonly outcome: string
}

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const other = `whsec_${Buffer.alloc(64, 7).toString('base64')}`
const at = 1_614_265_330
const example = {
  body: [...Buffer.from('{"test": 2432232314}')],
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': `${at}`,
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  options: { secrets: [secret] },
  now: at,
}

const signed = (bytes: Uint8Array, key: string, body = bytes): Omit<Vector, 'name' | 'outcome'> => {
  const hmac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
  const signature = hmac.update(`msg_1.${at}.`).update(bytes).digest('base64')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${at}`,
    'webhook-signature': `v1,${signature}`,
  }
  return { body: [...body], headers, options: { secrets: [key] }, now: at }
}

const all256 = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const large = new Uint8Array(100_000).fill(0xc3)

/** Every build must agree on these. The first is the example from the Standard Webhooks specification. */
export const vectors: readonly Vector[] = [
  { name: 'the example from the specification', ...example, outcome: 'accepted' },
  {
    name: 'the second of two secrets',
    ...example,
    options: { secrets: [other, secret] },
    outcome: 'accepted',
  },
  { name: 'another secret', ...example, options: { secrets: [other] }, outcome: 'no_matching_signature' },
  { name: 'the edge of the tolerance', ...example, now: at + 300, outcome: 'accepted' },
  { name: 'beyond the tolerance', ...example, now: at + 301, outcome: 'timestamp_too_old' },
  { name: 'from the future', ...example, now: at - 301, outcome: 'timestamp_too_new' },
  {
    name: 'no tolerance',
    ...example,
    now: at + 1,
    options: { secrets: [secret], toleranceSeconds: 0 },
    outcome: 'timestamp_too_old',
  },
  { name: 'no headers', ...example, headers: {}, outcome: 'missing_header' },
  { name: 'no secret', ...example, options: { secrets: [''] }, outcome: 'invalid_secret' },
  { name: 'every byte there is', ...signed(all256, secret), outcome: 'accepted' },
  {
    name: 'a changed byte',
    ...signed(all256, secret, all256.with(255, 0)),
    outcome: 'no_matching_signature',
  },
  { name: 'no body', ...signed(new Uint8Array(), secret), outcome: 'accepted' },
  { name: 'a large body under the longest key', ...signed(large, other), outcome: 'accepted' },
]
