import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhooks } from '@octokit/webhooks'
import { generateSecret, parseEvent, signWebhook, verifySignature } from '@wabakit/webhooks'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { payload } from './src/call-ai-summary.ts'
import { report } from './src/report.ts'
import { type Contender, measureRounds } from './src/rounds.ts'

// Verifies and parses a CALL_AI_SUMMARY; only wabakit validates it too. Keys and instances are created once, as the
// documentation of each package shows it.
const body = Buffer.from(payload)
const secret = generateSecret()
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const { id, timestamp, headers } = await signWebhook({
  payload,
  secret,
  timestamp: Math.floor(Date.now() / 1000) + 240,
})
const signature = Buffer.from(headers['webhook-signature'].slice('v1,'.length), 'base64')
const signedHead = `${id}.${timestamp}.`

const verifyByHand = (): unknown => {
  const expected = createHmac('sha256', key).update(signedHead).update(body).digest()
  if (!timingSafeEqual(expected, signature)) throw new Error('no match')
  return JSON.parse(body.toString())
}

const standard = new StandardWebhook(secret)
const svix = new SvixWebhook(secret)
const svixHeaders = {
  'svix-id': id,
  'svix-timestamp': String(timestamp),
  'svix-signature': headers['webhook-signature'],
}
const stripe = new Stripe('sk_test_123')
const stripeHeader = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
const octokit = new Webhooks({ secret })
const octokitSignature = await octokit.sign(payload)

const repeat =
  (once: () => unknown): Contender['run'] =>
  (count) => {
    for (let done = 0; done < count; done += 1) once()
  }

const repeatAsync =
  (once: () => Promise<unknown>): Contender['run'] =>
  async (count) => {
    for (let done = 0; done < count; done += 1) await once()
  }

const contenders: Contender[] = [
  { name: 'baseline: HMAC + JSON.parse', run: repeat(verifyByHand) },
  {
    name: 'wabakit (also validates)',
    run: repeatAsync(async () => {
      await verifySignature({ payload: body, headers, secrets: [secret] })
      const parsed = parseEvent(body)
      if (parsed.kind !== 'event') throw new Error(parsed.kind)
    }),
  },
  { name: 'stripe', run: repeat(() => stripe.webhooks.constructEvent(body, stripeHeader, secret)) },
  {
    name: '@octokit/webhooks',
    run: repeatAsync(async () => {
      const text = body.toString()
      if (!(await octokit.verify(text, octokitSignature))) throw new Error('no match')
      JSON.parse(text)
    }),
  },
  { name: 'standardwebhooks', run: repeat(() => standard.verify(body, headers)) },
  {
    name: 'svix',
    run: repeat(() => {
      svix.verify(body, svixHeaders)
      JSON.parse(body.toString())
    }),
  },
]

console.log(`body: ${body.length} bytes`)
report(
  'Verify and parse a CALL_AI_SUMMARY',
  'webhooks-verify',
  await measureRounds(contenders, { count: 200, rounds: 301, warmUpRounds: 50 }),
  {
    bodyBytes: body.length,
  },
)
