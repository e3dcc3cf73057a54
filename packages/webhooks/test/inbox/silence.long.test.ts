import { type Inbox, type SqlInboxOptions, sqlInbox } from '@wabakit/webhooks'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { it, type TestContext, vi } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { startPostgres } from '../postgres.ts'
import { startSilentProxy } from '../silent-proxy.ts'
import { type Context, type Environment, receive, toJoin, toRequest } from './environment.ts'

const events = 24

/** A database behind a proxy. */
type Setting = Environment & { readonly silence: () => void }

const onPostgres = async ({ onTestFinished }: TestContext): Promise<Setting> => {
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const url = new URL(postgres.connectionString)
  const proxy = await startSilentProxy(Number(url.port))
  const direct = postgres.pool()
  Object.assign(url, { hostname: '127.0.0.1', port: `${proxy.port}` })
  const pool = new pg.Pool({ connectionString: url.href, max: 6 })
  pool.on('error', () => {})
  onTestFinished(async () => {
    await proxy.close()
    await pool.end()
  })
  return {
    inbox: (options: SqlInboxOptions) => sqlInbox(pool, options) as unknown as Inbox<Context>,
    write: async ({ transaction }, effect) =>
      (await transaction()).query(`INSERT INTO effects VALUES ('${effect}')`),
    query: async (text) => (await direct.query(text)).rows,
    silence: proxy.silence,
  }
}

/** Starts MariaDB behind a proxy, which falls silent after the first statement whose text contains `after`, if it is given. */
const onMariadb = async ({ onTestFinished }: TestContext, after?: string) => {
  const mariadb = await startMariadb()
  onTestFinished(mariadb.stop)
  const proxy = await startSilentProxy(Number(new URL(mariadb.url).port))
  const direct = mariadb.pool()
  const pool = createPool({
    host: '127.0.0.1',
    port: proxy.port,
    user: 'root',
    database: 'webhooks',
    connectionLimit: 6,
  })
  onTestFinished(async () => {
    await proxy.close()
    pool.end().catch(() => {})
  })
  const silenced = Promise.withResolvers<void>()
  const connect = pool.getConnection.bind(pool)
  pool.getConnection = async () => {
    const connection = await connect()
    const execute: (...statement: never[]) => Promise<unknown> = connection.execute.bind(connection)
    const silenceAfter = async (...statement: never[]): Promise<unknown> => {
      const result = await execute(...statement)
      if (after !== undefined && JSON.stringify(statement).includes(after)) {
        after = undefined
        proxy.silence()
        silenced.resolve()
      }
      return result
    }
    return Object.assign(connection, { execute: silenceAfter as typeof connection.execute })
  }
  const setting: Setting = {
    inbox: (options: SqlInboxOptions) => sqlInbox(pool, options) as unknown as Inbox<Context>,
    write: async ({ transaction }, effect) =>
      (await transaction()).query(`INSERT INTO effects VALUES ('${effect}')`),
    query: async (text) => (await direct.query(text))[0] as Record<string, unknown>[],
    silence: proxy.silence,
  }
  const other: Setting = {
    ...setting,
    inbox: (options: SqlInboxOptions) => sqlInbox(direct, options) as unknown as Inbox<Context>,
  }
  return { ...setting, other, silenced: silenced.promise }
}

type Case = readonly [name: string, open: (context: TestContext) => Promise<Setting>]

const onAll: readonly Case[] = [
  ['PostgreSQL', onPostgres],
  ['MariaDB', (context) => onMariadb(context)],
]
const cases = onAll.filter(([name]) => name !== 'MariaDB' || hasMariadb)

// These tests wait most of the time, so they run at once.
it.concurrent.for(cases)(
  'goes on after every connection to %s has fallen silent',
  { timeout: 300_000 },
  async ([, open], context) => {
    const { expect } = context
    const setting = await open(context)
    await setting.query('CREATE TABLE effects (effect text)')
    const { receiver, inbox, errors } = receive(setting)
    const silenced = Promise.withResolvers<void>()
    let started = 0
    receiver.onAny(async (event, context) => {
      await setting.write(context, 'groupId' in event ? `${event.groupId}` : '')
      started += 1
      if (started <= 4) await silenced.promise
      await setting.write(context, 'last')
    })
    receiver.start()
    for (let index = 0; index < events; index += 1)
      expect((await receiver.handle(toRequest(toJoin(`g${index}`), `${index}`))).status).toBe(200)
    await expect.poll(() => started).toBeGreaterThanOrEqual(4)
    setting.silence()
    const sendLate = () => receiver.handle(toRequest(toJoin('late'), 'late'))
    // The first statement on the silent connection of the inbox, unless a claim already waits for one.
    const first = sendLate()
    silenced.resolve()
    await first
    expect((await sendLate()).status).toBe(200)
    await vi.waitFor(
      async () => {
        expect(await setting.query('SELECT effect FROM effects')).toHaveLength(2 * (events + 1))
      },
      { timeout: 240_000, interval: 500 },
    )
    expect(await inbox.count()).toEqual({ handled: events + 1 })
    const messages = errors.map(String).join('\n')
    expect(messages).toContain('The connection of this transaction no longer responds.')
    expect(messages).toContain('The database did not respond within 10000 ms.')
    await receiver.stop()
  },
)

it.runIf(hasMariadb)(
  'another process claims on MariaDB seconds after one has fallen silent during a claim',
  { timeout: 120_000 },
  async (context) => {
    const { expect } = context
    const { other, silenced, ...setting } = await onMariadb(context, 'ON DUPLICATE KEY UPDATE')
    const { receiver: silent, table } = receive(setting)
    const { receiver, inbox } = receive(other, { table })
    for (const each of [silent, receiver]) each.onAny(() => {})
    expect((await receiver.handle(toRequest(toJoin('g'), 'a'))).status).toBe(200)
    silent.start()
    await silenced
    // Its new connections would work.
    const stopped = silent.stop()
    receiver.start()
    await expect.poll(() => inbox.count(), { timeout: 60_000 }).toEqual({ handled: 1 })
    await Promise.all([receiver.stop(), stopped])
  },
)

it.concurrent('does not give up a statement that takes long', async (context) => {
  const { expect } = context
  const setting = await onPostgres(context)
  const { receiver, inbox, errors } = receive(setting)
  receiver.onAny(async (_, { transaction }) => (await transaction()).query('SELECT pg_sleep(25)'))
  await receiver.handle(toRequest(toJoin('g'), 'a'))
  await receiver.drain()
  expect([await inbox.count(), errors]).toEqual([{ handled: 1 }, []])
})
