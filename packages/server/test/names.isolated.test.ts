import { getServers, setServers } from 'node:dns'
import { expect, onTestFinished, test } from 'vitest'
import { blockThreads } from '../../webhooks/test/names/blocked-threads.ts'
import { startNameServer, type Zone } from '../../webhooks/test/names/name-server.ts'
import { createTransport } from '../src/delivery/transport.ts'
import { openPostgres } from '../src/stores/postgres/index.ts'
import { listenForWebhooks, start } from './fixture.ts'
import { createCluster } from './postgres-cluster.ts'

/** Makes a name server of the test the one of this process. */
const useNameServer = async (zone: Zone) => {
  const server = await startNameServer(zone)
  const before = getServers()
  setServers([server.address])
  onTestFinished(() => {
    setServers(before)
    server.close()
  })
  return server
}

const silent = { delayMs: Infinity }

/** Blocks the thread pool until the end of the test, so that a call of `dns.lookup` never returns. */
const block = (): void => onTestFinished(blockThreads())

test('delivers to a name while another one gets no answer, and no thread is free', async () => {
  const endpoint = await listenForWebhooks()
  const nameServer = await useNameServer((name) => (name === 'good.test' ? { a: ['127.0.0.1'] } : silent))
  const transport = createTransport({ allowPrivateTargets: true })
  onTestFinished(transport.close)
  await transport.load()
  block()
  const send = (url: string) =>
    transport.fetch(url, { headers: {}, body: '{}', signal: AbortSignal.timeout(60_000) })
  const waiting = Array.from({ length: 20 }, (_, number) => send(`https://silent-${number}.test/`))
  const ended = Promise.race(waiting).catch(() => 'one has ended')
  await expect.poll(() => new Set(nameServer.asked).size).toBe(20)

  expect(await send(endpoint.url.replace('127.0.0.1', 'good.test'))).toMatchObject({ status: 200 })
  expect(await Promise.race([ended, 'all wait'])).toBe('all wait')
  // Closing ends the lookups.
  await transport.close()
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
})

test('organizations with names that get no answer or fail do not delay others, and see the cause', async () => {
  const nameServer = await useNameServer((name) => (name.startsWith('silent') ? silent : { code: 3 }))
  const endpoint = await listenForWebhooks()
  const { service } = await start({
    allowPrivateTargets: true,
    shutdownGraceMs: 0,
    organizations: [
      { id: 'slow', integrations: [{ wabaNumber: '+15550100001' }] },
      { id: 'other', integrations: [{ wabaNumber: '+15550100002' }] },
    ],
  })
  await service.ready()
  const subscribe = (organizationId: string, number: string, url: string) =>
    service.subscriptions.create(organizationId, { channel: 'WHATSAPP', number, url })
  const publish = (organizationId: string, number: string, subject: string) =>
    service.events.publish(organizationId, {
      name: 'GROUP_CREATED',
      channel: 'WHATSAPP',
      number,
      subject: `group:${subject}`,
      payload: '{"event":"GROUP_CREATED"}',
    })
  await subscribe('other', '+15550100002', endpoint.url.replace('127.0.0.1', 'localhost'))
  await publish('other', '+15550100002', 'first')
  await endpoint.arrived(1)
  block()
  const reported: (string | null)[] = []
  onTestFinished(
    service.dispatcher.onAttempt(({ result }) => {
      if (result.kind !== 'released') reported.push(result.attempt.error)
    }),
  )
  for (let number = 0; number < 20; number++)
    await subscribe('slow', '+15550100001', `https://silent-${number}.test/`)
  await subscribe('slow', '+15550100001', 'https://missing.test/')
  await publish('slow', '+15550100001', 'silent')
  await expect
    .poll(() => nameServer.asked.filter((name) => name.startsWith('silent')).length)
    .toBeGreaterThan(19)
  for (let number = 0; number < 50; number++) await publish('other', '+15550100002', `group-${number}`)
  await endpoint.arrived(51)

  await expect
    .poll(() => reported)
    .toContain(
      'the name missing.test could not be resolved (ENOTFOUND): it does not exist or has no address. Check its spelling and its DNS records',
    )
})

test('finds PostgreSQL by its name, also after its sessions ended, while no thread is free', async () => {
  const cluster = await createCluster()
  onTestFinished(cluster.remove)
  const url = (await cluster.createDatabase()).replace('127.0.0.1', 'database.test')
  await useNameServer((name) => (name === 'database.test' ? { a: ['127.0.0.1'] } : silent))
  block()
  const database = await openPostgres({ url, onError: () => {} })
  onTestFinished(database.close)
  const readName = () => database.read('SELECT current_database() AS name')
  expect(await readName()).toHaveLength(1)
  await cluster.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
  )
  await expect.poll(() => readName().catch(() => [])).toHaveLength(1)
})

test('says that the name of the database could not be resolved', async () => {
  await useNameServer((name) => (name === 'silent.test' ? silent : { code: 3 }))
  const open = (host: string) =>
    openPostgres({ url: `postgres://user@${host}/db`, connectTimeoutMs: 500, onError: () => {} })
  await expect(open('missing.test')).rejects.toThrow(/missing\.test could not be resolved \(ENOTFOUND\)/)
  await expect(open('silent.test')).rejects.toThrow(
    /silent\.test could not be resolved \(ETIMEOUT\): no answer from the name server within 400 ms/,
  )
})
