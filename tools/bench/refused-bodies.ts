import { createServer } from 'node:http'
import { startServer } from '@wabakit/server'
import { createReceiver, generateSecret, signWebhook, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { sendBesideStrangers } from '../../packages/server/test/beside-strangers.ts'
import {
  hasProxy,
  type ProxyName,
  programs,
  startReverseProxy,
} from '../../packages/server/test/reverse-proxy.ts'
import { listen } from './src/commands.ts'
import { type Figure, type Goal, publish } from './src/result.ts'

const perTarget = Number(process.env.BENCH_REQUESTS ?? 5_000)
const sizes = [900_000, 16_000_000]
const secret = generateSecret()
const apiKey = 'wk_bench_0123456789'

const startReceiver = (): Promise<string> => {
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
  receiver.onError(() => {})
  return listen(createServer(toNodeHandler(receiver.onAny(() => {}))))
}

const startApi = async (): Promise<string> => {
  const { url } = await startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    rateLimitPerAddress: 0,
    rateLimitPerKey: 0,
    rateLimitPerOrganization: 0,
    controlToken: 'a-control-token-of-24-bytes',
    trustProxy: 1,
    organizations: [
      { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: apiKey }] },
    ],
  })
  return url
}

let sent = 0
const targets = {
  receiver: {
    servers: [await startReceiver(), await startReceiver()],
    path: '/webhooks',
    genuine: async () => {
      sent += 1
      const body = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'g', sent })
      const { headers } = await signWebhook({ payload: body, secret })
      return { method: 'POST', headers, body }
    },
  },
  server: {
    servers: [await startApi(), await startApi()],
    path: '/whatsapp/wa-group/create',
    genuine: async () => ({
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team' }),
    }),
  },
}

const figures: Figure[] = []
const goals: Goal[] = []
for (const name of Object.keys(programs) as ProxyName[]) {
  if (!hasProxy(name)) throw new Error(`Install ${name}: ${programs[name].path} does not exist.`)
  let failed = 0
  let refused = 0
  for (const { servers, path, genuine } of Object.values(targets)) {
    const proxy = await startReverseProxy(name, { servers })
    const outcomes = await sendBesideStrangers(proxy.url + path, { count: perTarget, sizes, genuine })
    await proxy.close()
    failed += perTarget - (outcomes.genuine[200] ?? 0)
    refused += Object.values(outcomes.strangers).reduce((sum, count) => sum + count, 0)
    console.log(name, path, outcomes)
  }
  figures.push({ name, figure: `${failed} of ${2 * perTarget} failed beside ${refused} bodies` })
  goals.push({
    id: 'P15',
    what: `${name}, genuine requests that fail beside refused bodies, of ${(2 * perTarget).toLocaleString('en')}`,
    result: failed,
    limit: { atMost: 0 },
  })
}
publish({
  name: 'refused-bodies',
  title: 'Refused bodies behind a proxy',
  about: `Genuine requests that fail behind a proxy with two servers and its default settings, half of them webhooks to a receiver on
node:http and half of them to the API of the server, while two strangers send bodies of 900 kB and 16 MB that are refused.`,
  unit: 'time',
  figures,
  goals,
})
process.exit()
