import { createHmac, timingSafeEqual } from 'node:crypto'
import { createWebMiddleware, Webhooks } from '@octokit/webhooks'
import { createReceiver, generateSecret, signWebhook, standardWebhooks } from '@wabakit/webhooks'
import { Hono } from 'hono'
import { Webhook as SvixWebhook } from 'svix'
import { payload } from './src/call-ai-summary.ts'
import { type Contender, findRow, measure } from './src/measure.ts'
import { publish } from './src/result.ts'

const secret = generateSecret()
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const { id, timestamp, headers } = await signWebhook({
  payload,
  secret,
  timestamp: Math.floor(Date.now() / 1000) + 240,
})
const length = { 'content-length': String(payload.length), 'content-type': 'application/json' }
const url = 'http://localhost/webhooks'
let handled = 0

const handleByHand = async (request: Request): Promise<Response> => {
  const sentId = request.headers.get('webhook-id')
  const sentAt = request.headers.get('webhook-timestamp')
  const [, signature] = request.headers.get('webhook-signature')?.split(',') ?? []
  if (!sentId || !sentAt || !signature) return new Response('missing header', { status: 401 })
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > 300) return new Response('too old', { status: 401 })
  const text = await request.text()
  const expected = createHmac('sha256', key).update(`${sentId}.${sentAt}.${text}`).digest()
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64')))
    return new Response('forged', { status: 401 })
  const event = JSON.parse(text)
  if (event.event === 'CALL_AI_SUMMARY') handled += 1
  return new Response(null, { status: 200 })
}

const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).on(
  'CALL_AI_SUMMARY',
  () => {
    handled += 1
  },
)

const octokit = new Webhooks({ secret })
octokit.onAny(() => {
  handled += 1
})
const octokitMiddleware = createWebMiddleware(octokit, { path: '/webhooks' })
const octokitHeaders = {
  'x-github-event': 'ping',
  'x-github-delivery': id,
  'x-hub-signature-256': await octokit.sign(payload),
}

const svix = new SvixWebhook(secret)
const hono = new Hono()
hono.post('/webhooks', async (context) => {
  const text = await context.req.text()
  svix.verify(text, {
    'svix-id': context.req.header('svix-id') ?? '',
    'svix-timestamp': context.req.header('svix-timestamp') ?? '',
    'svix-signature': context.req.header('svix-signature') ?? '',
  })
  if (JSON.parse(text).event === 'CALL_AI_SUMMARY') handled += 1
  return context.body(null, 200)
})
const svixHeaders = {
  'svix-id': id,
  'svix-timestamp': String(timestamp),
  'svix-signature': headers['webhook-signature'],
}

const createRun = (
  sent: HeadersInit,
  handle: (request: Request) => Response | Promise<Response>,
): Contender['run'] => {
  return async (count) => {
    const before = handled
    for (let done = 0; done < count; done += 1) {
      const response = await handle(new Request(url, { method: 'POST', body: payload, headers: sent }))
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    }
    if (handled - before !== count) throw new Error(`handled ${handled - before} of ${count}`)
  }
}

const floor = 'bare handler'
const contenders: Contender[] = [
  { name: floor, run: createRun({ ...headers, ...length }, handleByHand) },
  { name: 'wabakit (also validates)', floor, run: createRun({ ...headers, ...length }, receiver.handle) },
  {
    name: '@octokit/webhooks',
    floor,
    run: createRun({ ...octokitHeaders, ...length }, (request) => octokitMiddleware(request)),
  },
  {
    name: 'hono + svix',
    floor,
    run: createRun({ ...svixHeaders, ...length }, (request) => hono.fetch(request)),
  },
]

const rows = await measure(contenders, { count: 100, rounds: 301, warmUpRounds: 50 })
publish({
  name: 'webhooks-receiver',
  title: 'A whole receiver',
  about: `The time from a Fetch \`Request\` with a CALL_AI_SUMMARY to a \`Response\`, including the creation of the request. The
floor is a bare handler that reads headers and body, checks time and signature with node:crypto, and parses the body.`,
  unit: 'time',
  rows,
  goals: [
    {
      id: 'P2',
      what: 'receiver, relative to a bare handler',
      result: findRow(rows, 'wabakit (also validates)').ofFloor ?? NaN,
      limit: { atLeast: 1 },
    },
  ],
})
