import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { bundles } from './bundle-processes.ts'
import { acme, createGroup } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'

/** Starts a server in a separate process, because one that spins would block this process, too. */
const serve = async (database: string): Promise<string> => {
  const settings = { port: 0, database, role: 'api', organizations: [acme] }
  const child = spawn(process.execPath, [bundles.serve, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [url] = await once(createInterface(child.stdout), 'line')
  return String(url)
}

const whoWaits = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`

test('a server stays responsive when statements of a busy rate limit fail', async () => {
  const database = await createPostgresDatabase()
  const url = await serve(database)
  const operator = new pg.Client({ connectionString: database })
  await operator.connect()
  onTestFinished(() => operator.end())
  const send = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const response = await createGroup(url)
        await response.text()
        return response.status
      }),
    )
  // More than 50 requests within a second make the buckets of the organization and its key busy.
  expect(await send(120)).toContain(200)

  await operator.query('BEGIN')
  await operator.query('LOCK TABLE wabakit.token_buckets')
  const blocked = send(60)
  await expect.poll(async () => (await operator.query(whoWaits)).rowCount).toBeGreaterThan(0)
  await operator.query(`SELECT pg_terminate_backend(pid) FROM (${whoWaits}) AS waiting`)
  await operator.query('ROLLBACK')

  expect(await blocked).toContain(503)
  const live = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
  expect(live.status).toBe(200)
  // The connections have been replaced, so the limits count again.
  await expect.poll(() => send(1)).toEqual([200])
})
