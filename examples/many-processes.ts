/**
 * The service as four processes on one PostgreSQL: two answer requests, two deliver webhooks. One of each is killed with
 * SIGKILL while groups are created. Nothing that was acknowledged is lost, and nothing is handled twice: the webhooks
 * that the killed worker had in its hands are sent again by the other one within 3 seconds, under the same ids.
 * Run it with `npm run demo:postgres`; it takes about 15 seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, createClient, OutcomeUnknownError } from 'wabakit'
import { startEndpoint } from './many-processes/endpoint.ts'
import { startPostgres } from './many-processes/postgres.ts'
import { killAll, serve } from './many-processes/serve.ts'

const began = performance.now()
const say = (text: string): void => {
  console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${text}`)
}
const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) {
    if (performance.now() - began > 90_000) throw new Error(`It took too long until ${what}.`)
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
  say(`PostgreSQL ${postgres.url.replace(/\/\/.*@/, '//')}, webhook endpoint ${endpoint.url}`)
  const shared = {
    database: postgres.url,
    'webhook-url': endpoint.url,
    'delivery-concurrency': 8,
    'delivery-concurrency-per-subscription': 64,
    'rate-limit-per-key': 0,
    'rate-limit-per-organization': 0,
  }
  // The first one makes the tables and an organization to try things with; the others could start as well at once.
  const api1 = await serve('api-1', { ...shared, role: 'api' })
  const [api2, worker1, worker2] = await Promise.all([
    serve('api-2', { ...shared, role: 'api' }),
    serve('worker-1', { ...shared, role: 'worker' }),
    serve('worker-2', { ...shared, role: 'worker' }),
  ])
  for (const { name, pid, url } of [api1, api2, worker1, worker2]) say(`${name.padEnd(8)} pid ${pid}  ${url}`)
  if (api1.demo === undefined) throw new Error('There is no organization to try things with.')
  const { organizationId, wabaNumber, apiKey, webhookSecret } = api1.demo
  endpoint.trust(webhookSecret)

  // Your side: a client for each process that answers; what does for a load balancer takes the other one when one fails.
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
        // This server answers a repeated groupId with the same group, so another process may be asked.
        if (!(error instanceof ConnectionError || error instanceof OutcomeUnknownError)) throw error
        failovers++
      }
    }
    throw new Error(`Nobody answered for ${groupId}.`)
  }
  const control = async (path: string, body?: object) => {
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

  // Groups go on being created, first through one process and then through the other, until the end.
  const creating = (async () => {
    for (let index = 0; !isOver; index++) {
      await createGroup(`group-${index}`)
      clients.reverse()
      await sleep(100)
    }
  })()
  creating.catch(() => {})
  const { callId } = await control('simulated-calls', { channel: 'WHATSAPP', summary: { after: 5_000 } })
  await until('webhooks arrived', () => endpoint.handled.length >= 20)
  say(`${acknowledged.size} groups created by the typed client, ${endpoint.handled.length} webhooks verified`)

  endpoint.hold()
  const orders = Array.from({ length: 60 }, (_, index) => `order-${index}`)
  await Promise.all(orders.map(createGroup))
  await until('both workers were busy', () => endpoint.unanswered() > 8)
  const killedAt = performance.now()
  await worker1.end('SIGKILL')
  endpoint.answer()
  say('worker-1 killed (SIGKILL) while its webhooks were handled and not answered; worker-2 goes on')

  // Of what is claimed right after the kill, nobody works on what is claimed still a second later.
  const claimed = async (): Promise<Array<{ id: string; webhookId: string }>> =>
    (await control('deliveries?status=claimed&limit=100')).items
  const before = new Set((await claimed()).map(({ id }) => id))
  await sleep(1_000)
  const orphaned = (await claimed()).filter(({ id }) => before.has(id))
  say(
    `worker-1 left ${orphaned.length} claims, which worker-2 takes over 2 seconds after it noticed the death`,
  )

  await api1.end('SIGKILL')
  const failedOver = failovers
  say('api-1 killed (SIGKILL); requests go on through api-2')
  await until('requests had failed over', () => failovers >= failedOver + 3)

  const isTakenOver = async (): Promise<boolean> => {
    const found = await Promise.all(orphaned.map(({ id }) => control(`deliveries/${id}`)))
    return found.every(({ status }) => status === 'delivered')
  }
  await until('the claims were taken over', isTakenOver)
  const waited = ((performance.now() - killedAt) / 1_000).toFixed(1)
  const again = orphaned.filter(({ webhookId }) => (endpoint.arrivals.get(webhookId) ?? 0) > 1)
  const first = orphaned.length - again.length
  say(
    `worker-2 has sent them ${waited} s after the kill: ${again.length} again under the same ids, ${first} for the first time`,
  )

  await until("the call's summary was told", () =>
    endpoint.handled.some(({ event }) => event.event === 'CALL_AI_SUMMARY'),
  )
  isOver = true
  await creating
  await until('everything was delivered', async () => {
    const open = await Promise.all(
      ['waiting', 'pending', 'claimed'].map((status) => control(`deliveries?status=${status}&limit=1`)),
    )
    return open.every(({ items }) => items.length === 0)
  })
  const exitCodes = await Promise.all([worker2.end('SIGTERM'), api2.end('SIGTERM')])

  const idsOf = new Map<string, string[]>()
  for (const { id, event } of endpoint.handled) {
    const about = 'groupId' in event ? event.groupId : 'callId' in event ? event.callId : ''
    const key = `${event.event} ${about}`
    idsOf.set(key, [...(idsOf.get(key) ?? []), id])
  }
  const lost = [...acknowledged].filter((groupId) => !idsOf.has(`GROUP_CREATED ${groupId}`))
  const doubled = [...idsOf.values()].filter((ids) => ids.length > 1)
  const summaries = idsOf.get(`CALL_AI_SUMMARY ${callId}`) ?? []
  console.log()
  console.table({
    'groups acknowledged': acknowledged.size,
    'requests that went to the other process': failovers,
    'webhooks handled': endpoint.handled.length,
    'of them sent again under the same id': again.length,
    'handled twice, or under two ids': doubled.length,
    lost: lost.length,
    "call's summary told": summaries.length,
  })
  const checks: Record<string, boolean> = {
    'every acknowledged group was told': lost.length === 0,
    'no event was handled twice, under whichever id': doubled.length === 0,
    'the killed worker had webhooks in its hands, and they came again': again.length > 0,
    "the call's summary was told once": summaries.length === 1,
    'told to end, the others ended with 0': exitCodes.every((code) => code === 0),
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
