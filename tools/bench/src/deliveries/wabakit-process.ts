import { startServer } from '@wabakit/server'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { runConcurrently, runPaced } from '../run-tasks.ts'
import { connections, number, pace, readSettings, stampPayload, waitUntilNone } from './settings.ts'

// `wabakit serve`, with the same commands as its peers. `store` and `fill` publish each event on its own. `settled` waits
// until all deliveries are settled. `hold` and `release` stop and start the dispatcher of a process that both stores
// and delivers events.
const { database, role, endpoint, subscriptions } = readSettings()
const organization = 'bench'
const numbers = Array.from({ length: subscriptions }, (_, index) => `+${Number(number) + index}`)
const integrations = numbers.map((wabaNumber) => ({ wabaNumber }))
const apiKey = 'wk_bench_0123456789'
const { service, url } = await startServer({
  port: 0,
  database,
  role,
  logLevel: 'warn',
  deliveryConcurrency: connections,
  // Sets no effective limit, because one subscription may get all events.
  deliveryConcurrencyPerSubscription: 10_000,
  rateLimitPerOrganization: 1_000_000,
  rateLimitPerKey: 1_000_000,
  organizations: role === 'worker' ? [] : [{ id: organization, integrations, apiKeys: [{ key: apiKey }] }],
})
if (role !== 'worker') {
  for (const each of numbers)
    await service.subscriptions.create(organization, { channel: 'WHATSAPP', number: each, url: endpoint })
}

let calls = 0
const publish = (body = payload) => {
  calls += 1
  return service.events.publish(organization, {
    name: 'CALL_AI_SUMMARY',
    subject: `call:${calls}`,
    channel: 'WHATSAPP',
    number: numbers[calls % subscriptions] ?? number,
    payload: body,
  })
}

const createGroup = async (): Promise<void> => {
  const response = await fetch(`${url}/whatsapp/wa-group/create`, {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ wabaNumber: number, subject: 'Launch' }),
  })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The server responded with ${response.status}.`)
}

// There is a next due time until all deliveries are settled.
const countOpen = async (): Promise<number> => ((await service.dispatcher.nextDueAt()) === undefined ? 0 : 1)

const store = (times: number): Promise<void> =>
  runConcurrently({ times, concurrency: connections }, () => publish())

serveCommands({
  store,
  fill: store,
  pace: (times) =>
    runPaced({ times, perSecond: pace }, (at, nth) =>
      nth % 10 === 0 ? createGroup() : publish(stampPayload(at)),
    ),
  settled: () => waitUntilNone(countOpen),
  hold: () => service.dispatcher.stop(),
  release: () => service.dispatcher.start(),
})
