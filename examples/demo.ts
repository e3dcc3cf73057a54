/**
 * The main job over real HTTP: the server as a process with a SQLite file, your webhook endpoint on another port, and a
 * client that creates a group and fetches a call's summary. Half-way the server is killed with SIGKILL and started again;
 * nothing is lost, and nothing is handled twice. Run it with `npm run demo`.
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
const line = (from: string, to: string, what: string, status: number | string, ms: number): void => {
  const at = `${Math.round(performance.now() - started)}`.padStart(6)
  const took = ms.toFixed(0).padStart(4)
  console.log(`${at} ms  ${from.padEnd(8)} → ${to.padEnd(8)}  ${what.padEnd(66)} ${status}  ${took} ms`)
}

// The vendor's side: `wabakit serve` from the sources, as a process that can be killed.
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

// Your side: a webhook endpoint on plain node:http, which verifies, de-duplicates and types what arrives.
const secrets: string[] = [] // the server tells its secret when it has started
const handled: WebhookEvent[] = []
const arrivals = new Map<string, { name: EventName; times: number }>()
const progress = new EventEmitter()
let answersHeld = Promise.resolve()
const receiver = createReceiver({
  verify: (delivery) => standardWebhooks({ secrets })(delivery),
  dedupe: memoryDedupe(),
}).onAny(async (event, { delivery }) => {
  handled.push(event)
  arrivals.set(delivery.id ?? '', { name: event.event, times: 0 })
  progress.emit('handled')
  await answersHeld
})
const receive = toNodeHandler(receiver)
const endpoint = createServer((request, response) => {
  const at = performance.now()
  response.on('close', () => {
    const arrival = arrivals.get(String(request.headers['webhook-id']))
    if (arrival === undefined) return
    arrival.times += 1
    const what = arrival.times > 1 ? `${arrival.name} (again, not handled)` : arrival.name
    line(
      'server',
      'endpoint',
      what,
      response.writableFinished ? response.statusCode : '---',
      performance.now() - at,
    )
  })
  receive(request, response)
})
endpoint.listen(0, '127.0.0.1')
await once(endpoint, 'listening')
const webhookUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/webhooks`
const allHandled = async (count: number): Promise<void> => {
  while (handled.length < count) await once(progress, 'handled', { signal: deadline })
}

try {
  const first = await serve(0)
  const { url, demo } = first
  const { organizationId, wabaNumber, apiKey } = demo
  secrets.push(demo.webhookSecret)
  console.log(`server ${url} on a SQLite file, webhook endpoint ${webhookUrl}\n`)

  // Your side: the client. Its hook draws a line of the timeline for each answer.
  const client = createClient({
    baseUrl: url,
    apiKey,
    hooks: {
      afterResponse: ({ request: { method, url }, response, durationMs }) =>
        line('client', 'server', `${method} ${new URL(url).pathname}`, response.status, durationMs),
    },
  })
  // What happens at the vendor: customers join groups and call. The control API plays it.
  const control = async (path: string, body?: object) => {
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
  await control('participants', { groupId, phone: '+15550003333', state: 'joined' })
  const agentCall = await control('simulated-calls', {
    ...{
      channel: 'PSTN',
      direction: 'INCOMING',
      agentNumber: '+15550004444',
      durationInSeconds: 42,
      summary,
    },
  })
  await allHandled(6)

  // Half-way: the endpoint handles what arrives but its answer is slow, and the server dies meanwhile.
  const slowAnswers = Promise.withResolvers<void>()
  answersHeld = slowAnswers.promise
  const botCall = await control('simulated-calls', {
    ...{ channel: 'WHATSAPP', direction: 'OUTGOING', callType: 'AI_BOT', triggeredVia: 'CAMPAIGN', summary },
  })
  await allHandled(7)
  const { items } = await control('deliveries?limit=100')
  const open = items.filter(({ status }: { status: string }) => status !== 'delivered').length
  await first.end('SIGKILL')
  slowAnswers.resolve()
  console.log(`\n           SIGKILL while ${open} deliveries are open; starting again on the same file\n`)
  const second = await serve(Number(new URL(url).port))
  await allHandled(10)

  const record = await client.calls.getSummary(agentCall.callId)

  // A forgery: signed, but with a secret that is not the subscription's.
  const payload = JSON.stringify({ event: 'GROUP_CREATED', groupId: 'forged' })
  const { headers } = await signWebhook({ payload, secret: generateSecret() })
  const sent = performance.now()
  const forged = await fetch(webhookUrl, { method: 'POST', body: payload, headers, signal: deadline })
  line('forger', 'endpoint', 'GROUP_CREATED (forged)', forged.status, performance.now() - sent)
  const exitCode = await second.end('SIGTERM')

  const ofCall = (callId: string): EventName[] =>
    handled.filter((event) => 'callId' in event && event.callId === callId).map(({ event }) => event)
  const ofGroup = handled.filter((event) => 'groupId' in event && event.groupId === groupId)
  const rest = 'CALL_ACCEPTED,CALL_ENDED,CALL_AI_SUMMARY'

  const checks: Record<string, boolean> = {
    'deliveries were open when the server was killed': open >= 4,
    'each of the ten webhooks arrived, verified and typed, and none was handled twice':
      handled.length === 10 && arrivals.size === 10,
    'the one whose answer the killed server missed came again under the same id':
      [...arrivals.values()].filter(({ times }) => times > 1).length >= 1,
    'the group is known by the same id in the response and in its webhooks':
      ofGroup.map(({ event }) => event).join() === 'GROUP_CREATED,GROUP_PARTICIPANT_JOINED',
    'each call told its events in order, the summary last':
      ofCall(agentCall.callId).join() === `CALL_INCOMING_INITIATED,${rest}` &&
      ofCall(botCall.callId).join() === `CALL_OUTGOING_INITIATED,${rest}`,
    'the fetched summary is the one of the webhook': record.summary.recap === summary.recap,
    'the forgery was refused': forged.status === 401,
    'told to end, the server ended with 0': exitCode === 0,
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
