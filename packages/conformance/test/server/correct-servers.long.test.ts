import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '@wabakit/mock'
import { type ServerConfig, startServer } from '@wabakit/server'
import { expect, test, vi } from 'vitest'
import { createCluster } from '../../../server/test/postgres-cluster.ts'
import { examineServer, type Report } from '../../src/index.ts'
import { createCorrectServers } from './correct-servers.ts'
import { startReference } from './reference.ts'

vi.setConfig({ maxConcurrency: 4, testTimeout: 600_000 })

/** A correct server never takes this long, so a busy machine is not taken for a flaw. */
const patient = { timeoutMs: 45_000, retryTimeoutMs: 45_000 }

const findProblems = ({ checks }: Report): string[] =>
  checks
    .filter(({ verdict }) => verdict === 'fail' || verdict === 'advice')
    .map(({ id, observed }) => `${id}: ${observed}`)

const findUndecided = ({ checks }: Report): string[] =>
  checks.filter(({ verdict }) => verdict === 'inconclusive').map(({ id, observed }) => `${id}: ${observed}`)

const examineConfigured = async (config: Partial<ServerConfig>): Promise<Report> => {
  await using server = await startServer({ port: 0, logLevel: 'silent', ...config })
  const report = await examineServer({
    baseUrl: server.url,
    wabakitControl: server.url,
    ...patient,
    seed: 17,
    minutes: 0.02,
  })
  const { items } = await server.service.organizations.list()
  expect(items.map(({ id }) => id)).toEqual(['demo'])
  return report
}

test.concurrent('finds nothing in a server on SQLite', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'wabakit-'))
  const report = await examineConfigured({ database: join(folder.path, 'wabakit.db') })
  expect(findProblems(report)).toEqual([])
  expect(findUndecided(report)).toEqual([])
  expect(report).toMatchObject({ tool: 'acceptance', verdict: 'pass', seed: 17 })
  expect(report.counts.skipped).toBe(0)
})

test.concurrent('finds nothing in a server on PostgreSQL', async () => {
  await using cluster = await createCluster()
  const report = await examineConfigured({ database: await cluster.createDatabase() })
  expect(findProblems(report)).toEqual([])
  expect(findUndecided(report)).toEqual([])
  expect(report.counts.skipped).toBe(0)
})

test.concurrent('finds nothing in the mock', async () => {
  await using mock = await createMock({
    port: 0,
    clock: 'machine',
    rateLimit: { ip: { requests: 60, perMs: 60_000 } },
  })
  const report = await examineServer({
    baseUrl: mock.url,
    apiKey: mock.apiKey,
    wabaNumber: mock.wabaNumber,
    secret: mock.secret,
    seed: 17,
    listen: '127.0.0.1:0',
    ...patient,
    play: async (call) => (await mock.simulateCall(call)).callId,
    onListening: async (url) => {
      for (const channel of ['PSTN', 'WHATSAPP'] as const) {
        await mock.subscribe({ channel, url: `${url}/${channel.toLowerCase()}` })
      }
    },
  })
  expect(findProblems(report)).toEqual([])
  expect(report.verdict).toBe('pass')
})

test.concurrent('finds nothing in a mock with a stopped clock, except that it does not retry', async () => {
  await using mock = await createMock({ port: 0 })
  const report = await examineServer({
    baseUrl: mock.url,
    apiKey: mock.apiKey,
    wabaNumber: mock.wabaNumber,
    secret: mock.secret,
    seed: 17,
    listen: '127.0.0.1:0',
    minutes: 0,
    timeoutMs: patient.timeoutMs,
    retryTimeoutMs: 1_000,
    quietMs: 100,
    onListening: async (url) => {
      await mock.subscribe({ url: `${url}/all` })
    },
  })
  expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(findProblems(report).map((each) => each.split(':')[0])).toEqual([
    'webhooks.retry.follows-a-failure',
    'webhooks.retry.follows-a-404',
    'webhooks.retry.follows-a-closed-connection',
    'webhooks.deferral.is-attempted-again',
  ])
})

test.concurrent('finds nothing in the core in process, and examines every rule', async () => {
  const { examination, stop } = await startReference()
  await using _ = { [Symbol.asyncDispose]: stop }
  const report = await examineServer({ ...examination, ...patient, minutes: 0.02 })
  expect(findProblems(report)).toEqual([])
  expect(findUndecided(report)).toEqual([])
  expect(report.counts.skipped).toBe(0)
})

test.concurrent.for(Object.entries(createCorrectServers()))(
  'fails no server that %s',
  async ([, mutation]) => {
    const { examination, stop } = await startReference(mutation)
    await using _ = { [Symbol.asyncDispose]: stop }
    const report = await examineServer({ ...examination, ...patient, minutes: 0.02 })
    expect(report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
    expect(report.verdict).toBe('pass')
  },
)

test.concurrent('fails a server because of advice if the run is strict', async () => {
  const { examination, stop } = await startReference(createCorrectServers()['adds a field to every event'])
  await using _ = { [Symbol.asyncDispose]: stop }
  const report = await examineServer({ ...examination, minutes: 0, strict: true, only: ['events'] })
  expect(report.counts).toMatchObject({ fail: 0 })
  expect(report.counts.advice).toBeGreaterThan(0)
  expect(report.verdict).toBe('fail')
})
