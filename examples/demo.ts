/**
 * The main job over real HTTP: a reference server on one port, your webhook endpoint on another, and a client that
 * creates a group and fetches a call's summary. Run it with `npm run demo`.
 */
import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createClient } from 'wabakit'
import type { EventName, WebhookEvent } from 'wabakit/contract'
import { createReferenceServer } from 'wabakit/core'
import { createReceiver, generateSecret, memoryDedupe, signWebhook, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const wabaNumber = '+15550001111'
const pstnNumber = '+15550002222'
const customer = '+15550003333'
const agent = '+15550004444'
const organization = 'acme'
const deadline = AbortSignal.timeout(20_000)

const started = performance.now()
const line = (from: string, to: string, what: string, status: number, ms: number): void => {
  const at = Math.round(performance.now() - started)
  console.log(
    `${`${at}`.padStart(6)} ms  ${from.padEnd(8)} → ${to.padEnd(8)}  ${what.padEnd(64)} ${status}  ${ms.toFixed(0).padStart(4)} ms`,
  )
}

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening', { signal: deadline })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// The vendor's side: the reference server, keeping everything in memory.
const server = createReferenceServer({
  organizations: [
    {
      id: organization,
      integrations: [{ wabaNumber }],
      pstnNumbers: [pstnNumber],
      apiKeys: [{ key: 'demo-key' }],
      callSummaries: 'automatic',
    },
  ],
  allowLoopbackHttp: true,
})
server.dispatcher.onAttempt(({ claimed, result }) => {
  if (result.kind === 'released') return
  const { status, durationMs } = result.attempt
  line(
    'server',
    'endpoint',
    `${claimed.event.name.padEnd(25)} ${claimed.event.subject}`,
    status ?? 0,
    durationMs,
  )
})
const vendor = createAdaptorServer({
  fetch: (request) => server.fetch(request),
  overrideGlobalObjects: false,
}) as Server
const baseUrl = await listen(vendor)

// Your side: a webhook endpoint on plain node:http, which verifies, de-duplicates and types what arrives.
const secret = generateSecret()
const received: WebhookEvent[] = []
const arrivals = new EventEmitter()
const receiver = createReceiver({
  verify: standardWebhooks({ secrets: [secret] }),
  dedupe: memoryDedupe(),
}).onAny((event) => {
  received.push(event)
  arrivals.emit('arrival')
})
const endpoint = createServer(toNodeHandler(receiver))
const url = await listen(endpoint)

// Your side: the client. Its hook draws a line of the timeline for each answer.
const client = createClient({
  baseUrl,
  apiKey: 'demo-key',
  hooks: {
    afterResponse: ({ request, response, durationMs }) => {
      line(
        'client',
        'server',
        `${request.method} ${new URL(request.url).pathname}`,
        response.status,
        durationMs,
      )
    },
  },
})

console.log(`reference server ${baseUrl}, webhook endpoint ${url}\n`)
await server.subscriptions.create(organization, { channel: 'WHATSAPP', number: wabaNumber, url, secret })
await server.subscriptions.create(organization, { channel: 'PSTN', number: pstnNumber, url, secret })
server.dispatcher.start()

const { groupId } = await client.groups.create({ wabaNumber, subject: 'Order 1042' })
await server.participants.join(organization, { groupId, phone: customer })

const summary = {
  recap: 'Asked when order 1042 arrives.',
  keyPoints: ['Order 1042'],
  nextSteps: ['Send the tracking link'],
}
const agentCall = await server.calls.start(organization, {
  channel: 'PSTN',
  direction: 'INCOMING',
  channelNumber: pstnNumber,
  customerNumber: customer,
  agentNumber: agent,
})
const botCall = await server.calls.start(organization, {
  channel: 'WHATSAPP',
  direction: 'OUTGOING',
  channelNumber: wabaNumber,
  customerNumber: customer,
  callType: 'AI_BOT',
  triggeredVia: 'CAMPAIGN',
})
for (const { callId } of [agentCall, botCall]) {
  await server.calls.accept(organization, callId)
  await server.calls.end(organization, callId, { durationInSeconds: 42 })
  await server.summaries.save(organization, callId, summary, { generatedBy: 'automatic' })
}

const expected: EventName[] = [
  'GROUP_CREATED',
  'GROUP_PARTICIPANT_JOINED',
  'CALL_INCOMING_INITIATED',
  'CALL_OUTGOING_INITIATED',
  ...(['CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'] as const).flatMap((name) => [name, name]),
]
while (received.length < expected.length) await once(arrivals, 'arrival', { signal: deadline })

const record = await client.calls.getSummary(agentCall.callId)

// A forgery: signed, but with a secret that is not the subscription's.
const payload = JSON.stringify({ event: 'GROUP_CREATED', groupId: 'forged' })
const { headers } = await signWebhook({ payload, secret: generateSecret() })
const sent = performance.now()
const forged = await fetch(url, {
  method: 'POST',
  body: payload,
  headers: { ...headers, 'content-type': 'application/json' },
  signal: deadline,
})
line('forger', 'endpoint', 'GROUP_CREATED (forged)', forged.status, performance.now() - sent)

const names = received.map(({ event }) => event)
const order = (callId: string): EventName[] =>
  received.filter((event) => 'callId' in event && event.callId === callId).map(({ event }) => event)

const checks: Record<string, boolean> = {
  'each of the ten webhooks arrived once, verified and typed':
    `${names.toSorted()}` === `${expected.toSorted()}`,
  'the group is known by the same id in the response and in its webhooks':
    received.filter((event) => 'groupId' in event && event.groupId === groupId).length === 2,
  'each call told its events in order, the summary last':
    order(agentCall.callId).join() === 'CALL_INCOMING_INITIATED,CALL_ACCEPTED,CALL_ENDED,CALL_AI_SUMMARY' &&
    order(botCall.callId).join() === 'CALL_OUTGOING_INITIATED,CALL_ACCEPTED,CALL_ENDED,CALL_AI_SUMMARY',
  'the fetched summary is the one of the webhook': record.summary.recap === summary.recap,
  'the forgery was refused': forged.status === 401 && received.length === expected.length,
}
console.log()
for (const [what, happened] of Object.entries(checks)) console.log(happened ? '✓' : '✗', what)

await server.dispatcher.stop()
for (const http of [vendor, endpoint]) {
  http.close()
  http.closeAllConnections()
}
process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1
