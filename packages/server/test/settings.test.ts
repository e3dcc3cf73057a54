import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createReferenceServer } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { ServerConfig } from '../src/config/server-config.ts'
import { type ServerConfig as Settings, startServer } from '../src/index.ts'
import { openDatabase } from '../src/stores/sqlite/open-database.ts'
import { storeOnDatabase } from '../src/stores/sqlite/sqlite-store.ts'
import { acme, control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { temporaryFolder } from './temporary-folder.ts'

// Each setting works through a running server, with its default and with another value: a setting that reaches the wrong
// place is no error in any part of the server.

const day = 86_400_000

/** Creates a database with a delivered event and its group of each age, in days. */
const fillDatabase = async (ages: readonly number[]): Promise<string> => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = storeOnDatabase(openDatabase(path, () => {}))
  let now = 0
  const service = createReferenceServer({
    store,
    organizations: [acme],
    clock: { now: () => now },
    fetch: async () => new Response(),
  })
  for (const age of ages.toSorted((one, other) => other - one)) {
    now = Date.now() - age * day
    await service.ready()
    if ((await service.subscriptions.list('acme')).items.length === 0) {
      const url = 'https://receiver.example/'
      await service.subscriptions.create('acme', { channel: 'WHATSAPP', number: '+15550100001', url })
    }
    const groupId = `${age}-days`
    await service.groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team', groupId })
    await service.dispatcher.runDue()
  }
  await store.close()
  return path
}

const ages = [1, 29, 31, 59, 61, 400]

test.each<[Partial<Settings>, events: readonly number[], groups: readonly number[]]>([
  [{}, [1, 29], ages],
  [{ retentionDays: 60 }, [1, 29, 31, 59], ages],
  [{ recordRetentionDays: 60 }, [1, 29], [1, 29, 31, 59]],
  [{ retentionDays: 60, recordRetentionDays: 30 }, [1, 29, 31, 59], [1, 29]],
])('with %j, events of %j and groups of %j days are kept', async (settings, events, groups) => {
  const database = await fillDatabase(ages)
  const { service } = await start({ ...settings, database })
  const listEvents = async () =>
    (await service.events.list('acme')).items.map(({ subject }) => Number.parseInt(subject.slice(6), 10))
  await expect.poll(async () => (await listEvents()).toSorted((a, b) => a - b)).toEqual(events)
  const listGroups = async () => {
    const found = await Promise.all(ages.map((age) => service.groups.find('acme', `${age}-days`)))
    return ages.filter((_, index) => found[index] !== undefined)
  }
  await expect.poll(listGroups).toEqual(groups)
})

test.each<[Partial<Settings>, organization: string, key: string]>([
  [{}, '"organization";q=600;w=60', '"key";q=300;w=60'],
  [{ rateLimitPerOrganization: 50 }, '"organization";q=50;w=60', '"key";q=300;w=60'],
  [{ rateLimitPerKey: 70 }, '"organization";q=600;w=60', '"key";q=70;w=60'],
])('with %j, the limits are %s and %s', async (settings, organization, key) => {
  const { url } = await start(settings)
  expect((await createGroup(url)).headers.get('ratelimit-policy')).toBe(`${organization}, ${key}`)
})

test.each<[Partial<Settings>, string]>([
  [{}, '"ip";q=60;w=60'],
  [{ rateLimitPerAddress: 7 }, '"ip";q=7;w=60'],
])('with %j, the limit of an address is %s', async (settings, policy) => {
  const { url } = await start(settings)
  const response = await createGroup(url, {}, { authorization: 'wk_wrong_key_0123456789' })
  expect(response.headers.get('ratelimit-policy')).toBe(policy)
})

test.each<[Partial<Settings>, number]>([
  [{}, 30],
  [{ rateLimitPerCall: 3 }, 3],
])('with %j, the summary of a call may be requested %i times in a minute', async (settings, limit) => {
  const { url } = await start(settings)
  const statuses: number[] = []
  for (let count = 0; count <= limit; count++) {
    const headers = { authorization: 'wk_test_key_0123456789' }
    statuses.push((await fetch(`${url}/v1/call/ai-summary?callId=c1`, { headers })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: limit }, () => 404), 429])
})

test.each<[Partial<Settings>, number]>([
  [{}, 8],
  [{ deliveryConcurrencyPerSubscription: 3 }, 3],
  [{ deliveryConcurrency: 2 }, 2],
])('with %j, a subscription gets %i deliveries at a time', async (settings, limit) => {
  const held: ServerResponse[] = []
  let isHolding = false
  let most = 0
  const endpoint = createServer((request, response) => {
    request.resume()
    if (!isHolding) return void response.end()
    held.push(response)
    most = Math.max(most, held.length)
    // Answers long before the attempt counts as slow, which would free its place.
    setTimeout(() => {
      held.splice(held.indexOf(response), 1)
      response.end()
    }, 25)
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    endpoint.closeAllConnections()
    endpoint.close()
  })
  const address = endpoint.address()
  const port = typeof address === 'object' ? address?.port : 0
  const server = await start({ rateLimitPerKey: 0, ...settings })
  const url = `http://127.0.0.1:${port}/`
  await server.service.subscriptions.create('acme', { channel: 'WHATSAPP', number: '+15550100001', url })
  await createGroup(server.url, { groupId: 'first' })
  await expect
    .poll(async () => (await server.service.deliveries.list('acme')).items[0]?.status)
    .toBe('delivered')
  isHolding = true
  await Promise.all(Array.from({ length: 40 }, () => createGroup(server.url)))
  await expect.poll(() => most).toBe(limit)
  const isDone = async () =>
    (await server.service.deliveries.list('acme', { statuses: ['waiting', 'pending'] })).items.length === 0
  await expect.poll(isDone).toBe(true)
  expect(most).toBe(limit)
})

test.each<[Partial<Settings>, readonly string[]]>([
  [{}, ['info']],
  [{ logLevel: 'debug' }, ['debug', 'info']],
  [{ logLevel: 'error' }, []],
])('with %j, requests and stops are logged with the levels %j', async (settings, levels) => {
  const log = new PassThrough()
  let text = ''
  log.on('data', (chunk) => {
    text += chunk
  })
  const server = await startServer(
    { port: 0, database: ':memory:', organizations: [acme], logFormat: 'json', ...settings },
    { logStream: log },
  )
  onTestFinished(server.close)
  await (await createGroup(server.url)).text()
  await server.close()
  const found = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).level)
  expect([...new Set(found)].toSorted()).toEqual(levels)
})

test('a request must arrive within requestTimeoutMs, and at most maxConnections are accepted', async () => {
  const { url } = await start({ requestTimeoutMs: 1_000, maxConnections: 4 })
  const open = () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    let text = ''
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
    socket.on('data', (chunk) => {
      text += chunk
    })
    return { socket, closed }
  }
  // One address can have half of the connections.
  const [first, second, third] = [open(), open(), open()]
  expect(await third?.closed).toBe('')
  first?.socket.write('POST /whatsapp/wa-group/create HTTP/1.1\r\nhost: localhost\r\n')
  expect(await first?.closed).toMatch(/^HTTP\/1\.1 408 /)
  second?.socket.destroy()
})

test.each<[Partial<Settings>, string | undefined]>([
  [{}, undefined],
  [{ webhookAuthorization: 'Bearer t0ken' }, 'Bearer t0ken'],
])(
  'with %j, webhooks of the demo organization have the authorization %s',
  async (settings, authorization) => {
    const endpoint = await listenForWebhooks()
    const { url, demo } = await start({ ...settings, webhookUrl: endpoint.url, organizations: [] })
    const { apiKey = '', wabaNumber } = demo ?? {}
    await createGroup(url, { wabaNumber }, { authorization: apiKey })
    await endpoint.arrived(1)
    expect(endpoint.arrivals[0]?.headers.authorization).toBe(authorization)
  },
)

test.each<[Partial<Settings>, number]>([
  [{}, 201],
  [{ allowPrivateTargets: false }, 400],
])('with %j, a subscription to this machine gets %i', async (settings, status) => {
  const server = await start(settings)
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: 'http://127.0.0.1:9/' }
  expect((await control(server, 'POST /organizations/acme/subscriptions', subscription)).status).toBe(status)
})

test('the connections to endpoints are closed with the server', async () => {
  const endpoint = await listenForWebhooks()
  const server = await start()
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: endpoint.url } as const
  await server.service.subscriptions.create('acme', subscription)
  await createGroup(server.url)
  await endpoint.arrived(1)
  await expect.poll(endpoint.countConnections).toBe(1)
  await server.close()
  // An idle connection would stay open for two minutes.
  await expect.poll(endpoint.countConnections).toBe(0)
})

/** The tests of the other settings. */
const elsewhere: Readonly<Record<string, string>> = {
  host: 'control-guard.test.ts',
  port: 'start-failures.test.ts',
  database: 'restart.test.ts',
  role: 'roles.test.ts',
  controlToken: 'control-guard.test.ts',
  metricsToken: 'metrics-token.test.ts',
  publicUrl: 'control-guard.test.ts',
  trustProxy: 'host.test.ts',
  authHeader: 'host.test.ts',
  operationsUrl: 'operations.test.ts',
  operationsSecret: 'operations.test.ts',
  shutdownGraceMs: 'shutdown.test.ts',
  webhookUrl: 'cli/serve.isolated.test.ts',
  mock: 'faults.test.ts',
  profile: 'live-profile.test.ts',
  seed: 'cli/exec-mock.isolated.test.ts',
  organizations: 'restart.test.ts',
}

const here = [
  ...[
    'retentionDays',
    'recordRetentionDays',
    'rateLimitPerOrganization',
    'rateLimitPerKey',
    'rateLimitPerCall',
  ],
  ...[
    'rateLimitPerAddress',
    'deliveryConcurrency',
    'deliveryConcurrencyPerSubscription',
    'logLevel',
    'logFormat',
  ],
  ...['maxConnections', 'requestTimeoutMs', 'allowPrivateTargets', 'webhookAuthorization'],
]

test('every setting has such a test', () => {
  expect([...here, ...Object.keys(elsewhere)].toSorted()).toEqual(Object.keys(ServerConfig.shape).toSorted())
})
