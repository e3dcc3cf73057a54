/**
 * The whole integration over real HTTP: the server as a process with a SQLite file, your webhook endpoint on another port,
 * and a client that creates a group and fetches a call's summary. Halfway, the server is killed with SIGKILL and restarted.
 * No webhook is lost, and none is handled twice. Run it with `npm run demo`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createClient } from 'wabakit'
import type { EventName, WebhookEvent } from 'wabakit/contract'
import { createReceiver, generateSecret, memoryDedupe, signWebhook, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const deadline = AbortSignal.timeout(60_000)
const folder = mkdtempSync(join(tmpdir(), 'wabakit-demo-'))

const started = performance.now()
const printRequest = (from: string, to: string, what: string, status: number | string, ms: number): void => {
  const at = `${Math.round(performance.now() - started)}`.padStart(6)
  const duration = ms.toFixed(0).padStart(4)
  console.log(`${at} ms  ${from.padEnd(8)} → ${to.padEnd(8)}  ${what.padEnd(66)} ${status}  ${duration} ms`)
}

// The vendor's side: `wabakit serve`, run from the sources as a process that can be killed.
const processes = new Set<ChildProcess>()
const serve = async (port: number) => {
  const main = join(import.meta.dirname, '../packages/server/src/cli/main.ts')
  const settings = {
    port,
    database: join(folder, 'demo.db'),
    'webhook-url': webhookUrl,
    'log-level': 'error',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
  const child = spawn(
    process.execPath,
    ['--conditions=@wabakit/source', main, 'serve', '--format', 'json', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  processes.add(child)
  const exited = once(child, 'exit', { signal: deadline })
  const failed = exited.then(() => Promise.reject(new Error('The server did not start.')))
  const [ready] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  const { url, demo } = JSON.parse(ready)
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return { url, demo, end }
}

// Your side: a webhook endpoint on plain node:http that verifies, deduplicates and types webhooks.
const secrets: string[] = [] // the server prints its secret when it has started
const handled: WebhookEvent[] = []
const arrivals = new Map<string, { name: EventName; times: number }>()
const progress = new EventEmitter()
let responsesHeld = Promise.resolve()
const receiver = createReceiver({
  verify: (delivery) => standardWebhooks({ secrets })(delivery),
  dedupe: memoryDedupe(),
}).onAny(async (event, { delivery }) => {
  handled.push(event)
  arrivals.set(delivery.id ?? '', { name: event.event, times: 0 })
  progress.emit('handled')
  await responsesHeld
})
const receive = toNodeHandler(receiver)
const endpoint = createServer((request, response) => {
  const receivedAt = performance.now()
  response.on('close', () => {
    const arrival = arrivals.get(String(request.headers['webhook-id']))
    if (arrival === undefined) return
    arrival.times += 1
    const what = arrival.times > 1 ? `${arrival.name} (duplicate, not handled again)` : arrival.name
    printRequest(
      'server',
      'endpoint',
      what,
      response.writableFinished ? response.statusCode : '---',
      performance.now() - receivedAt,
    )
  })
  receive(request, response)
})
endpoint.listen(0, '127.0.0.1')
await once(endpoint, 'listening')
const webhookUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`
const waitForHandled = async (count: number): Promise<void> => {
  while (handled.length < count) await once(progress, 'handled', { signal: deadline })
}

try {
  const first = await serve(0)
  const { url, demo } = first
  const { organizationId, wabaNumber, apiKey } = demo
  secrets.push(demo.webhookSecret)
  console.log(`Server: ${url}, with a SQLite file. Webhook endpoint: ${webhookUrl}\n`)

  // Your side: the client. Its hook prints a line of the timeline for each response.
  const client = createClient({
    baseUrl: url,
    apiKey,
    hooks: {
      afterResponse: ({ request: { method, url }, response, durationMs }) =>
        printRequest('client', 'server', `${method} ${new URL(url).pathname}`, response.status, durationMs),
    },
  })
  // The vendor's side: customers join groups and make calls. The control API simulates them.
  const callControlApi = async (path: string, body?: object) => {
    const response = await fetch(`${url}/_wabakit/organizations/${organizationId}/${path}`, {
      signal: deadline,
      ...(body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.json()
  }
  const summary = {
    recap: 'Asked when order 1042 arrives.',
    keyPoints: ['Order 1042'],
    nextSteps: ['Send the tracking link'],
  }

  const { groupId } = await client.groups.create({ wabaNumber, subject: 'Order 1042' })
  await callControlApi('participants', { groupId, phone: '+15550003333', state: 'joined' })
  const agentCall = await callControlApi('simulated-calls', {
    channel: 'PSTN',
    direction: 'INCOMING',
    agentNumber: '+15550004444',
    durationInSeconds: 42,
    summary,
  })
  await waitForHandled(6)

  // Halfway: the endpoint handles a webhook but responds slowly, and the server dies meanwhile.
  const slowResponses = Promise.withResolvers<void>()
  responsesHeld = slowResponses.promise
  const botCall = await callControlApi('simulated-calls', {
    channel: 'WHATSAPP',
    direction: 'OUTGOING',
    callType: 'AI_BOT',
    triggeredVia: 'CAMPAIGN',
    summary,
  })
  await waitForHandled(7)
  const { items } = await callControlApi('deliveries?limit=100')
  const open = items.filter(({ status }: { status: string }) => status !== 'delivered').length
  await first.end('SIGKILL')
  slowResponses.resolve()
  console.log(`\n           SIGKILL with ${open} unfinished deliveries, then a restart on the same file\n`)
  const second = await serve(Number(new URL(url).port))
  await waitForHandled(10)

  const record = await client.calls.getSummary(agentCall.callId)

  // A forgery: signed, but not with the subscription's secret.
  const payload = JSON.stringify({ event: 'GROUP_CREATED', groupId: 'forged' })
  const { headers } = await signWebhook({ payload, secret: generateSecret() })
  const sentAt = performance.now()
  const forged = await fetch(webhookUrl, { method: 'POST', body: payload, headers, signal: deadline })
  printRequest('forger', 'endpoint', 'GROUP_CREATED (forged)', forged.status, performance.now() - sentAt)
  const exitCode = await second.end('SIGTERM')

  const listCallEvents = (callId: string): EventName[] =>
    handled.filter((event) => 'callId' in event && event.callId === callId).map(({ event }) => event)
  const groupEvents = handled.filter((event) => 'groupId' in event && event.groupId === groupId)
  const rest = 'CALL_ACCEPTED,CALL_ENDED,CALL_AI_SUMMARY'

  const checks: Record<string, boolean> = {
    'deliveries were unfinished when the server was killed': open >= 4,
    'all ten webhooks arrived, verified and typed, and none was handled twice':
      handled.length === 10 && arrivals.size === 10,
    'the webhook whose response the killed server missed was sent again with the same id':
      [...arrivals.values()].filter(({ times }) => times > 1).length >= 1,
    'the group has the same id in the response and in its webhooks':
      groupEvents.map(({ event }) => event).join() === 'GROUP_CREATED,GROUP_PARTICIPANT_JOINED',
    'the events of each call arrived in order, the summary last':
      listCallEvents(agentCall.callId).join() === `CALL_INCOMING_INITIATED,${rest}` &&
      listCallEvents(botCall.callId).join() === `CALL_OUTGOING_INITIATED,${rest}`,
    'the fetched summary equals the one in the webhook': record.summary.recap === summary.recap,
    'the forgery was rejected': forged.status === 401,
    'the server exited with code 0 after SIGTERM': exitCode === 0,
  }
  console.log()
  for (const [what, happened] of Object.entries(checks)) console.log(happened ? '✓' : '✗', what)
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1
} finally {
  for (const child of processes) child.kill('SIGKILL')
  endpoint.close()
  endpoint.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
