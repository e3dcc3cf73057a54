import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { startSilentProxy } from '../../webhooks/test/silent-proxy.ts'
import type { ServerConfig } from '../src/index.ts'
import { bundles } from './bundle-processes.ts'
import { acme, control, createGroup, listenForWebhooks } from './fixture.ts'
import { createCluster } from './postgres-cluster.ts'

// Two clusters and four processes take longer on a busy machine.

/** Starts a server in a separate process, and returns its URL. */
const serve = async (config: Partial<ServerConfig>): Promise<string> => {
  const settings = { port: 0, logLevel: 'silent', ...config }
  const child = spawn(process.execPath, [bundles.serve, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [url] = await once(createInterface(child.stdout), 'line')
  return String(url)
}

/** Starts an API process and a worker on a database, and an endpoint for what they deliver. */
const startProcesses = async (database: string) => {
  const endpoint = await listenForWebhooks()
  const api = await serve({ database, role: 'api', organizations: [acme] })
  const worker = await serve({ database, role: 'worker' })
  await control({ url: api }, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  // Several at once, so that each process has several connections.
  const names = ['1', '2', '3', '4']
  await Promise.all(names.map((name) => createGroup(api, { groupId: `before${name}` })))
  await endpoint.arrived(4)
  return { api, worker, endpoint }
}

test('API processes and workers find the new primary, by an address that moves and by those of both, while the old one is reachable, and read only', async () => {
  const old = await createCluster()
  onTestFinished(old.remove)
  const standby = await createCluster({ standbyOf: old })
  onTestFinished(standby.remove)
  const proxy = await startSilentProxy(old.port)
  onTestFinished(proxy.close)
  const at = async (hosts: string): Promise<string> =>
    (await old.createDatabase()).replace(`127.0.0.1:${old.port}`, hosts)
  const moving = await startProcesses(await at(`127.0.0.1:${proxy.port}`))
  const both = await startProcesses(await at(`127.0.0.1:${old.port},127.0.0.1:${standby.port}`))

  // A reload reaches the connections later. Until then, the old primary accepts writes that the new one never gets.
  await old.query('ALTER SYSTEM SET default_transaction_read_only = on')
  await old.query('SELECT pg_reload_conf()')
  const readOnly = 'SHOW default_transaction_read_only'
  await expect.poll(() => old.query(readOnly)).toEqual([{ default_transaction_read_only: 'on' }])
  const [written] = await old.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn')
  const caughtUp = `SELECT 1 AS yes WHERE pg_last_wal_replay_lsn() >= '${written?.lsn}'`
  await expect.poll(() => standby.query(caughtUp)).toHaveLength(1)
  proxy.redirect(standby.port)
  await standby.query('SELECT pg_promote()')

  const readStatus = async (url: string) => (await fetch(`${url}/readyz`)).status
  for (const { api, worker, endpoint } of [moving, both]) {
    await expect.poll(async () => (await createGroup(api, { groupId: 'after' })).status).toBe(200)
    await expect.poll(async () => [await readStatus(api), await readStatus(worker)]).toEqual([200, 200])
    const isDelivered = () => endpoint.arrivals.some(({ body }) => body.includes('"after"'))
    await expect.poll(isDelivered).toBe(true)
  }
  // The lock of the worker, and announcements, must not stay on the old one.
  const listening = `SELECT FROM pg_stat_activity WHERE application_name = 'wabakit' AND datname IS NOT NULL`
  await expect.poll(() => old.query(listening)).toEqual([])
})
