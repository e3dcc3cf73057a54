import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { createCluster } from './postgres-cluster.ts'
import { type ServerProcess, startServerProcess } from './torture/server-process.ts'

const number = '+15550100001'

/** An endpoint that takes its time, and notes of each attempt when it began and ended. */
const startRecorder = async () => {
  const attempts: Array<{ id: string; groupId: string; begun: number; ended: number }> = []
  const server = createServer((request, response) => {
    const begun = performance.now()
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => void setTimeout(5 + Math.random() * 20).then(() => response.end()))
    response.on('close', () => {
      if (body === '') return
      const id = String(request.headers['webhook-id'])
      attempts.push({ id, groupId: JSON.parse(body).groupId, begun, ended: performance.now() })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { attempts, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/` }
}

test('two processes that answer and two that deliver lose nothing when one of each is killed', async () => {
  const cluster = await createCluster()
  onTestFinished(() => cluster.remove())
  const database = await cluster.createDatabase()
  const recorder = await startRecorder()
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-processes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const start = (role: string): ServerProcess => {
    const integrations = [{ wabaNumber: number }]
    const organizations = [{ id: 'acme', integrations, apiKeys: [{ key: 'wk_processes' }] }]
    const limits = { rateLimitPerOrganization: 0, rateLimitPerKey: 0 }
    const settings = { port: 0, database, role, logLevel: 'silent', organizations, ...limits }
    const config = join(folder, `${role}.json`)
    writeFileSync(config, JSON.stringify(settings))
    const started = startServerProcess({ config })
    onTestFinished(() => void started.end('SIGKILL'))
    return started
  }
  // All four at once, on an empty database.
  const [apiToKill, api] = [start('api'), start('api')]
  const [workerToKill, worker] = [start('worker'), start('worker')]
  const urls = await Promise.all([apiToKill.ready, api.ready])
  await Promise.all([workerToKill.ready, worker.ready])
  const subscribed = await fetch(`${urls[0]}/_wabakit/organizations/acme/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'WHATSAPP', number, url: recorder.url }),
  })
  expect(subscribed.ok).toBe(true)

  const acknowledged: string[] = []
  let isOver = false
  const create = async (writer: number): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      const groupId = `g-${writer}-${count}`
      const answer = await fetch(`${urls[(writer + count) % 2]}/whatsapp/wa-group/create`, {
        method: 'POST',
        headers: { authorization: 'wk_processes', 'content-type': 'application/json' },
        body: JSON.stringify({ wabaNumber: number, subject: 'Team', groupId }),
      }).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(groupId)
      else expect(answer?.status ?? 'broken').toBe('broken')
    }
  }
  const creating = Array.from({ length: 6 }, (_, writer) => create(writer))
  const arrived = (count: number) =>
    expect.poll(() => recorder.attempts.length, { timeout: 20_000 }).toBeGreaterThan(count)
  await arrived(50)
  await workerToKill.end('SIGKILL')
  await arrived(100)
  await apiToKill.end('SIGKILL')
  await arrived(200)
  isOver = true
  await Promise.all(creating)

  // The leases of the killed worker run out: the database's clock, by which all of them go, is two minutes ahead.
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(
    `CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
     RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 120000`,
  )
  await client.end()

  const missing = () => {
    const delivered = new Set(recorder.attempts.map(({ groupId }) => groupId))
    return acknowledged.filter((groupId) => !delivered.has(groupId))
  }
  await expect.poll(missing, { timeout: 20_000 }).toEqual([])
  const byGroup = Map.groupBy(recorder.attempts, ({ groupId }) => groupId)
  for (const attempts of byGroup.values()) {
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
    const inOrder = attempts.toSorted((left, right) => left.begun - right.begun)
    for (const [index, { begun }] of inOrder.entries()) {
      expect(begun).toBeGreaterThanOrEqual(inOrder[index - 1]?.ended ?? 0)
    }
  }
  expect(await worker.end('SIGTERM')).toBe(0)
  expect(await api.end('SIGTERM')).toBe(0)
}, 90_000)
