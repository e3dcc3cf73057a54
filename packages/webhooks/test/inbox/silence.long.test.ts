import { type Inbox, type SqlInboxOptions, sqlInbox } from '@wabakit/webhooks'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { it, type TestContext, vi } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { sharePostgres } from '../postgres.ts'
import { startSilentProxy } from '../silent-proxy.ts'
import { type Context, type Environment, receive, toJoin, toRequest } from './environment.ts'

const events = 24

/** A database behind a proxy. */
type Setting = Environment & { readonly silence: () => void }
/** The same, which another process uses without the proxy. */
type TwoSettings = Setting & { readonly other: Setting; readonly silenced: Promise<void> }

/** Returns a function that wraps those of a driver: it falls silent after the first statement whose text contains `after`. */
const createSilencer = (silence: () => void, after: string | undefined) => {
  const silenced = Promise.withResolvers<void>()
  const wrap =
    (run: (...statement: never[]) => unknown) =>
    async (...statement: never[]): Promise<unknown> => {
      const result = await run(...statement)
      if (after !== undefined && JSON.stringify(statement[0]).includes(after)) {
        after = undefined
        silence()
        silenced.resolve()
      }
      return result
    }
  return { silenced: silenced.promise, wrap }
}

/** Opens PostgreSQL behind a proxy, which falls silent after the first statement whose text contains `after`, if it is given. */
const onPostgres = async ({ onTestFinished }: TestContext, after?: string): Promise<TwoSettings> => {
  const postgres = await sharePostgres()
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
  const { silenced, wrap } = createSilencer(proxy.silence, after)
  if (after !== undefined)
    pool.on('connect', (client) => void Object.assign(client, { query: wrap(client.query.bind(client)) }))
  const setting: Setting = {
    inbox: (options: SqlInboxOptions) => sqlInbox(pool, options) as unknown as Inbox<Context>,
    write: async ({ transaction }, effect) =>
      (await transaction()).query(`INSERT INTO effects VALUES ('${effect}')`),
    query: async (text) => (await direct.query(text)).rows,
    silence: proxy.silence,
  }
  const other: Setting = {
    ...setting,
    inbox: (options: SqlInboxOptions) => sqlInbox(direct, options) as unknown as Inbox<Context>,
  }
  return { ...setting, other, silenced }
}

/** Starts MariaDB behind a proxy, which falls silent after the first statement whose text contains `after`, if it is given. */
const onMariadb = async ({ onTestFinished }: TestContext, after?: string): Promise<TwoSettings> => {
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
  const { silenced, wrap } = createSilencer(proxy.silence, after)
  const connect = pool.getConnection.bind(pool)
  pool.getConnection = async () => {
    const connection = await connect()
    const execute = wrap(connection.execute.bind(connection)) as typeof connection.execute
    return Object.assign(connection, { execute })
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
  return { ...setting, other, silenced }
}

type Case = readonly [name: string, open: (context: TestContext) => Promise<Setting>]

const onAll: readonly Case[] = [
  ['PostgreSQL', (context) => onPostgres(context)],
  ['MariaDB', (context) => onMariadb(context)],
]
const cases = onAll.filter(([name]) => name !== 'MariaDB' || hasMariadb)

// These tests wait most of the time, so they run at once.
it.concurrent.for(cases)(
  'goes on after every connection to %s has fallen silent',
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
      { timeout: 500_000, interval: 500 },
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
    await expect.poll(() => inbox.count()).toEqual({ handled: 1 })
    await Promise.all([receiver.stop(), stopped])
  },
)

it.runIf(hasMariadb)(
  'handles an event on MariaDB seconds after its connection has fallen silent before the commit of its completion',
  async (context) => {
    const { expect } = context
    const { silenced, ...setting } = await onMariadb(context, "SET state = 'handled'")
    await setting.query('CREATE TABLE effects (effect text)')
    const { receiver, inbox } = receive(setting)
    receiver.onAny((_, context) => setting.write(context, 'once'))
    await receiver.handle(toRequest(toJoin('g'), 'a'))
    receiver.start()
    await silenced
    await expect.poll(() => inbox.count()).toEqual({ handled: 1 })
    expect(await setting.query('SELECT effect FROM effects')).toHaveLength(1)
    await receiver.stop()
  },
)

it('another process retries an entry on PostgreSQL seconds after one has fallen silent before the commit of its retry', async (context) => {
  const { expect } = context
  const { other, silenced, ...setting } = await onPostgres(context, "fact = CASE WHEN state = 'suppressed'")
  const { receiver, inbox: silent, table } = receive(setting)
  await receiver.handle(toRequest(toJoin('g'), 'a'))
  await receiver.drain()
  // Ends only after a minute.
  void silent.retry({ state: 'unhandled' }).catch(() => {})
  await silenced
  const { receiver: next, inbox } = receive(other, { table })
  next.onAny(() => {})
  const retry = async () => {
    await inbox.retry({ state: 'unhandled' })
    await next.drain()
    return inbox.count()
  }
  await expect.poll(retry).toEqual({ handled: 1 })
})

it.concurrent('does not give up a statement that takes long', async (context) => {
  const { expect } = context
  const setting = await onPostgres(context)
  const { receiver, inbox, errors } = receive(setting)
  receiver.onAny(async (_, { transaction }) => (await transaction()).query('SELECT pg_sleep(25)'))
  await receiver.handle(toRequest(toJoin('g'), 'a'))
  await receiver.drain()
  expect([await inbox.count(), errors]).toEqual([{ handled: 1 }, []])
})
