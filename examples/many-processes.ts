/**
 * The service as four processes on one PostgreSQL database: two respond to requests, and two deliver webhooks. One of
 * each is killed with SIGKILL while groups are created. No acknowledged group is lost, and no webhook is handled twice:
 * within about 3 seconds, the other worker takes over the killed worker's subscription, and resends, with the same ids,
 * the webhooks that had no response. Run it with `npm run demo:postgres`. It takes about 15 seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, createClient, OutcomeUnknownError } from 'wabakit'
import { startEndpoint } from './many-processes/endpoint.ts'
import { startPostgres } from './many-processes/postgres.ts'
import { killAll, serve } from './many-processes/serve.ts'

const startedAt = performance.now()
const print = (text: string): void => {
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${text}`)
}
const waitUntil = async (what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) {
    if (performance.now() - startedAt > 90_000) throw new Error(`Timed out before ${what}.`)
    await sleep(50)
  }
}

let isOver = false
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    process.exitCode = 130
    void killAll()
  })
}

const postgres = await startPostgres()
const endpoint = await startEndpoint()
try {
  print(`PostgreSQL: ${postgres.url.replace(/\/\/.*@/, '//')}. Webhook endpoint: ${endpoint.url}`)
  const shared = {
    database: postgres.url,
    'webhook-url': endpoint.url,
    'delivery-concurrency': 8,
    'delivery-concurrency-per-subscription': 64,
    'rate-limit-per-key': 0,
    'rate-limit-per-organization': 0,
  }
  // The first process creates the tables and a demo organization.
  const api1 = await serve('api-1', { ...shared, role: 'api' })
  const [api2, worker1, worker2] = await Promise.all([
    serve('api-2', { ...shared, role: 'api' }),
    serve('worker-1', { ...shared, role: 'worker' }),
    serve('worker-2', { ...shared, role: 'worker' }),
  ])
  for (const { name, pid, url } of [api1, api2, worker1, worker2])
    print(`${name.padEnd(8)} pid ${pid}  ${url}`)
  if (api1.demo === undefined) throw new Error('There is no demo organization.')
  const { organizationId, wabaNumber, apiKey, webhookSecret } = api1.demo
  endpoint.trust(webhookSecret)

  // Your side: one client per API process. If one process fails, `createGroup` uses the other, like a load balancer.
  const clients = [api1, api2].map(({ url }) => createClient({ baseUrl: url, apiKey, retry: { limit: 0 } }))
  const acknowledged = new Set<string>()
  let failovers = 0
  const createGroup = async (groupId: string): Promise<void> => {
    for (const client of clients) {
      try {
        await client.groups.create({ wabaNumber, subject: 'Order', groupId })
        acknowledged.add(groupId)
        return
      } catch (error) {
        // This server returns the same group for a repeated groupId, so the request can be repeated.
        if (!(error instanceof ConnectionError || error instanceof OutcomeUnknownError)) throw error
        failovers++
      }
    }
    throw new Error(`No process created ${groupId}.`)
  }
  const callControlApi = async (path: string, body?: object) => {
    const response = await fetch(`${api2.url}/_wabakit/organizations/${organizationId}/${path}`, {
      ...(body && {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.json()
  }

  // Until the end, groups are created alternately through both processes.
  const creating = (async () => {
    for (let index = 0; !isOver; index++) {
      await createGroup(`group-${index}`)
      clients.reverse()
      await sleep(100)
    }
  })()
  creating.catch(() => {})
  const { callId } = await callControlApi('simulated-calls', {
    channel: 'WHATSAPP',
    summary: { after: 5_000 },
  })
  await waitUntil('webhooks arrived', () => endpoint.handled.length >= 20)
  print(`${acknowledged.size} groups created, ${endpoint.handled.length} webhooks verified`)

  // Of the two workers, one owns the subscription.
  const hasDelivered = async ({ url }: { readonly url: string }): Promise<boolean> =>
    /^wabakit_delivery_attempts_total\{outcome="delivered"\} [1-9]/m.test(
      await (await fetch(`${url}/metrics`)).text(),
    )
  const [owner, other] = (await hasDelivered(worker1)) ? [worker1, worker2] : [worker2, worker1]

  endpoint.holdResponses()
  await Promise.all(Array.from({ length: 60 }, (_, index) => createGroup(`order-${index}`)))
  await waitUntil(`${owner.name} was busy`, () => endpoint.listPending().length >= 4)
  const killedAt = performance.now()
  const unacknowledged = endpoint.listPending()
  await owner.end('SIGKILL')
  endpoint.releaseResponses()
  print(
    `${owner.name} killed (SIGKILL) before it got the responses to ${unacknowledged.length} webhooks that were handled; ${other.name} continues`,
  )

  await api1.end('SIGKILL')
  const failedOver = failovers
  print('api-1 killed (SIGKILL); requests continue through api-2')
  await waitUntil('requests had failed over', () => failovers >= failedOver + 3)

  const isSentAgain = (id: string): boolean => (endpoint.arrivals.get(id) ?? 0) > 1
  await waitUntil('they were sent again', () => unacknowledged.every(isSentAgain))
  const waitedSeconds = ((performance.now() - killedAt) / 1_000).toFixed(1)
  print(`${other.name} had sent them again, with the same ids, ${waitedSeconds} s after the kill`)

  await waitUntil("the call's summary arrived", () =>
    endpoint.handled.some(({ event }) => event.event === 'CALL_AI_SUMMARY'),
  )
  isOver = true
  await creating
  await waitUntil('everything was delivered', async () => {
    const open = await Promise.all(
      ['waiting', 'pending'].map((status) => callControlApi(`deliveries?status=${status}&limit=1`)),
    )
    return open.every(({ items }) => items.length === 0)
  })
  const exitCodes = await Promise.all([other.end('SIGTERM'), api2.end('SIGTERM')])

  const idsByEvent = new Map<string, string[]>()
  for (const { id, event } of endpoint.handled) {
    const about = 'groupId' in event ? event.groupId : 'callId' in event ? event.callId : ''
    const key = `${event.event} ${about}`
    idsByEvent.set(key, [...(idsByEvent.get(key) ?? []), id])
  }
  const lost = [...acknowledged].filter((groupId) => !idsByEvent.has(`GROUP_CREATED ${groupId}`))
  const doubled = [...idsByEvent.values()].filter((ids) => ids.length > 1)
  const summaries = idsByEvent.get(`CALL_AI_SUMMARY ${callId}`) ?? []
  console.log()
  console.table({
    'groups acknowledged': acknowledged.size,
    'requests repeated on the other process': failovers,
    'webhooks handled': endpoint.handled.length,
    'sent again with the same id': unacknowledged.length,
    'handled twice, or with two ids': doubled.length,
    'groups lost': lost.length,
    'summaries of the call': summaries.length,
  })
  const checks: Record<string, boolean> = {
    'GROUP_CREATED arrived for every acknowledged group': lost.length === 0,
    'no event was handled twice, with the same id or another': doubled.length === 0,
    "the call's summary arrived once": summaries.length === 1,
    'the other processes exited with code 0 after SIGTERM': exitCodes.every((code) => code === 0),
  }
  for (const [what, isTrue] of Object.entries(checks)) console.log(isTrue ? '✓' : '✗', what)
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1
} catch (error) {
  if (!isInterrupted) throw error
} finally {
  isOver = true
  await killAll()
  endpoint.close()
  await postgres.stop()
}
