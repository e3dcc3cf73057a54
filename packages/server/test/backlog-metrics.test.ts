import { createServer } from 'node:http'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { control, createGroup, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { createTcpProxy } from './tcp-proxy.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Starts an endpoint that responds on demand with a given status. */
const startEndpoint = async () => {
  const held: Array<(status: number) => void> = []
  const server = createServer((request, response) => {
    request.resume()
    held.push((status) => response.writeHead(status).end())
  })
  return { held, url: `${await listenOnFreePort(server)}/` }
}

const subscribe = (server: Pick<RunningServer, 'url'>, url: string) =>
  control(server, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url,
  })

const join_ = (server: Pick<RunningServer, 'url'>, groupId: string, phone: string) =>
  control(server, 'POST /organizations/acme/participants', { groupId, phone, state: 'joined' })

/** Returns the database metrics of a process. */
const readBacklog = async ({ url }: Pick<RunningServer, 'url'>): Promise<Record<string, number>> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const found = metrics.matchAll(
    /^wabakit_(?:deliveries|subscriptions|delivery_backlog)(?:_age_seconds|\{state="(\w+)"\}) (\S+)$/gm,
  )
  return Object.fromEntries(Array.from(found, ([, state = 'age', value]) => [state, Number(value)]))
}

const empty = { age: 0, due: 0, later: 0, waiting: 0, behind: 0, failing: 0, disabled: 0 }

const databases = {
  SQLite: () => join(temporaryFolder(), 'wabakit.db'),
  PostgreSQL: createPostgresDatabase,
}

for (const [name, createDatabase] of Object.entries(databases)) {
  test(`counts deliveries that are attempted, waiting, scheduled and failing, on ${name}`, async () => {
    const server = await start({ database: await createDatabase(), shutdownGraceMs: 0 })
    const endpoint = await startEndpoint()
    const { body: subscription } = await subscribe(server, endpoint.url)

    await createGroup(server.url, { groupId: 'team' })
    for (const phone of ['+15550100011', '+15550100012']) await join_(server, 'team', phone)
    await expect.poll(() => endpoint.held.length).toBe(1)
    // A reading is reused for 50 times its duration, so an earlier one might outlast the attempt.
    await expect
      .poll(() => readBacklog(server))
      .toEqual({ ...empty, age: expect.any(Number), due: 1, waiting: 2 })

    endpoint.held[0]?.(500)
    const failing = { ...empty, later: 1, waiting: 2, failing: 1 }
    await expect.poll(() => readBacklog(server)).toEqual(failing)

    await control(server, `PATCH /organizations/acme/subscriptions/${subscription.id}`, { enabled: false })
    await expect.poll(() => readBacklog(server)).toEqual({ ...empty, disabled: 1 })
  })
}

test('shows the same metrics from every process, and the age of the oldest due delivery', async () => {
  const database = await createPostgresDatabase()
  const apis = [await start({ database, role: 'api' }), await start({ database, role: 'api' })] as const
  await subscribe(apis[0], 'http://127.0.0.1:9/')
  for (const groupId of ['a', 'b', 'c']) await createGroup(apis[0].url, { groupId })
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  // The check of readiness uses numbers of events up, so the first one need not be 1.
  const first = 'SELECT min(event) FROM wabakit.unfinished_deliveries'
  await client.query(
    `UPDATE wabakit.unfinished_deliveries SET due_at = due_at - 3600000 WHERE event = (${first})`,
  )

  for (const api of apis) {
    const { age, ...backlog } = await readBacklog(api)
    expect(backlog).toMatchObject({ due: 3, waiting: 0 })
    expect(age).toBeGreaterThanOrEqual(3_600)
    expect(age).toBeLessThan(3_660)
  }
})

test('promptly shows its own metrics when the database does not respond', async () => {
  const database = new URL(await createPostgresDatabase())
  const proxy = await createTcpProxy(Number(database.port))
  database.port = String(proxy.port)
  const server = await start({ database: database.href, role: 'api' })
  onTestFinished(proxy.close)
  await createGroup(server.url)

  proxy.blackHole()
  const asked = performance.now()
  const response = await fetch(`${server.url}/metrics`)
  const metrics = await response.text()

  expect(response.status).toBe(200)
  // Prometheus waits for 10 s.
  expect(performance.now() - asked).toBeLessThan(9_000)
  expect(metrics).toContain('wabakit_events_total{event="GROUP_CREATED"} 1')
  expect(metrics).toMatch(/^wabakit_deliveries\{state="due"\} nan$/im)
  expect(metrics).toMatch(/^wabakit_delivery_backlog_age_seconds nan$/im)

  proxy.restore()
  await expect.poll(() => readBacklog(server)).toEqual(empty)
})
