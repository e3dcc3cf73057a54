import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhooks } from '@octokit/webhooks'
import { generateSecret, parseEvent, signWebhook, verifySignature } from '@wabakit/webhooks'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { payload } from './src/call-ai-summary.ts'
import { type Contender, findRow, measure } from './src/measure.ts'
import { publish } from './src/result.ts'

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

const floor = 'node:crypto + JSON.parse'
const contenders: Contender[] = [
  { name: floor, run: repeat(verifyByHand) },
  {
    name: 'wabakit (also validates)',
    floor,
    run: repeatAsync(async () => {
      await verifySignature({ payload: body, headers, secrets: [secret] })
      const parsed = parseEvent(body)
      if (parsed.kind !== 'event') throw new Error(parsed.kind)
    }),
  },
  { name: 'stripe', floor, run: repeat(() => stripe.webhooks.constructEvent(body, stripeHeader, secret)) },
  {
    name: '@octokit/webhooks',
    floor,
    run: repeatAsync(async () => {
      const text = body.toString()
      if (!(await octokit.verify(text, octokitSignature))) throw new Error('no match')
      JSON.parse(text)
    }),
  },
  { name: 'standardwebhooks', floor, run: repeat(() => standard.verify(body, headers)) },
  {
    name: 'svix',
    floor,
    run: repeat(() => {
      svix.verify(body, svixHeaders)
      JSON.parse(body.toString())
    }),
  },
]

const rows = await measure(contenders, { count: 200, rounds: 301, warmUpRounds: 50 })
const own = findRow(rows, 'wabakit (also validates)')
const peers = rows.filter(({ name }) => name !== floor && name !== own.name)
publish({
  name: 'webhooks-verify',
  title: 'Verify and parse a webhook',
  about: `A CALL_AI_SUMMARY of ${body.length} bytes. Keys and instances are created once, as the documentation of each package shows.
Only wabakit also validates the event. The floor is HMAC and timingSafeEqual of node:crypto, and \`JSON.parse\`.`,
  unit: 'time',
  rows,
  goals: [
    {
      id: 'P1',
      what: 'verify, parse and validate, relative to the floor',
      result: own.ofFloor ?? NaN,
      limit: { atLeast: 0.97 },
    },
    {
      id: 'P1',
      what: 'the same, relative to the fastest peer',
      result: Math.min(...peers.map(({ time }) => time)) / own.time,
      limit: { atLeast: 1 },
    },
  ],
})
