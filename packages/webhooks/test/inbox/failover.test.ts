import { type Inbox, sqlInbox } from '@wabakit/webhooks'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { startPostgres } from '../postgres.ts'
import { startSilentProxy } from '../silent-proxy.ts'
import { type Context, receive, toEnd, toRequest } from './environment.ts'

/** Two servers behind one address, which leads to the second one after a failover. The first one stays reachable, read only. */
type Servers = { readonly inbox: Inbox<never>; readonly failOver: () => Promise<unknown> }

const onPostgres = async (): Promise<Servers> => {
  const [first, second] = await Promise.all([startPostgres(), startPostgres()])
  const [from, to] = [first, second].map(({ connectionString }) => new URL(connectionString))
  const proxy = await startSilentProxy(Number(from?.port))
  const admins = [first.pool(), second.pool()]
  const url = new URL(`postgres://app@127.0.0.1:${proxy.port}/app`)
  url.password = from?.password ?? ''
  for (const admin of admins) {
    await admin.query(`CREATE ROLE app LOGIN SUPERUSER PASSWORD '${url.password}'`)
    await admin.query('CREATE DATABASE app')
  }
  const pool = new pg.Pool({ connectionString: url.href, max: 4 })
  pool.on('error', () => {})
  onTestFinished(async () => {
    await pool.end()
    await proxy.close()
    await Promise.all([first.stop(), second.stop()])
  })
  return {
    inbox: sqlInbox(pool) as unknown as Inbox<never>,
    failOver: async () => {
      proxy.redirect(Number(to?.port))
      // The server tells its sessions one after another. Once one knows of a second change, all of them know of the first.
      for (const [name, value] of [
        ['default_transaction_read_only', 'on'],
        ['log_checkpoints', 'off'],
      ]) {
        await admins[0]?.query(`ALTER SYSTEM SET ${name} = ${value}`)
        await admins[0]?.query('SELECT pg_reload_conf()')
        await expect
          .poll(async () => (await admins[0]?.query(`SELECT current_setting('${name}') AS value`))?.rows)
          .toEqual([{ value }])
      }
    },
  }
}

const onMariadb = async (): Promise<Servers> => {
  const [first, second] = await Promise.all([startMariadb(), startMariadb()])
  const proxy = await startSilentProxy(Number(new URL(first.url).port))
  const admins = [first.pool({ multipleStatements: true }), second.pool({ multipleStatements: true })]
  // Only users without all rights are kept from writing.
  for (const admin of admins)
    await admin.query("CREATE USER app@'127.0.0.1'; GRANT ALL ON webhooks.* TO app@'127.0.0.1'")
  const settings = { host: '127.0.0.1', port: proxy.port, user: 'app', database: 'webhooks' }
  const pool = createPool({ ...settings, connectionLimit: 4 })
  onTestFinished(async () => {
    await pool.end().catch(() => {})
    await proxy.close()
    await Promise.all([first.stop(), second.stop()])
  })
  return {
    inbox: sqlInbox(pool) as unknown as Inbox<never>,
    failOver: async () => {
      proxy.redirect(Number(new URL(second.url).port))
      await admins[0]?.query('SET GLOBAL read_only = 1')
    },
  }
}

const cases = [['PostgreSQL', onPostgres], ...(hasMariadb ? [['MariaDB', onMariadb] as const] : [])] as const

it.each(cases)(
  'stores and handles on the new primary of %s while the old one is read only',
  async (_, start) => {
    const { inbox, failOver } = await start()
    const { receiver, errors } = receive({
      inbox: () => inbox as unknown as Inbox<Context>,
      write: () => {},
      query: async () => [],
    })
    onTestFinished(() => receiver.stop())
    const handled: string[] = []
    receiver.on('CALL_ENDED', async ({ callId }, { transaction }) => {
      await (await transaction()).query('SELECT 1')
      handled.push(callId)
    })
    receiver.start()
    const send = async (callId: string) => (await receiver.handle(toRequest(toEnd(callId), callId))).status
    // Each leaves connections in the pool.
    expect(await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(send))).toEqual(Array(6).fill(200))
    await expect.poll(() => handled.length).toBe(6)
    await failOver()
    const listHandled = () => inbox.list({ state: 'handled' })
    // Idle connections still lead to the old one. A list may fail because of them, but never shows the six events that it has.
    expect(await listHandled().catch(() => [])).toEqual([])
    for (const callId of ['g', 'h']) {
      expect([await send(callId), errors.map(String)]).toEqual([200, expect.anything()])
      await expect.poll(() => handled).toContain(callId)
    }
    await expect.poll(listHandled).toHaveLength(2)
  },
)
