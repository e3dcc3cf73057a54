import { DatabaseSync } from 'node:sqlite'
import {
  createReceiver,
  type Inbox,
  type SqlClient,
  type SqliteDatabase,
  sqlDedupe,
  sqlDedupeTable,
  sqlInbox,
  unsigned,
} from '@wabakit/webhooks'
import BetterSqlite from 'better-sqlite3'
import type { PoolOptions } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { claim } from './dedupe-cases.ts'
import { type Context, newTable, toEnd, toRequest, toSummary } from './inbox/environment.ts'
import { hasMariadb, startMariadb } from './mariadb.ts'
import { sharePostgres } from './postgres.ts'

/** Limit on a wait for something that takes a second at most on an idle machine. */
const patience = { timeout: 120_000 }

/** Stores, handles, retries, lists, shows, counts and reconciles, and expects what an inbox does with any driver. */
const expectInboxToWork = async (inbox: Inbox<Context>) => {
  const receiver = createReceiver({ verify: unsigned(), inbox })
  onTestFinished(() => receiver.stop())
  const seen: unknown[] = []
  const errors: unknown[] = []
  let failures = 1
  receiver
    .onError((error) => errors.push(error))
    .on('CALL_ENDED', (event, { delivery, attempt }) => {
      if (failures-- > 0) throw new Error('once')
      seen.push([event.callId, delivery.id, delivery.identity, attempt.number])
      expect(delivery.key).toMatch(/^id:[0-9a-f]{64}$/)
      expect(Math.abs(attempt.receivedAt.getTime() - Date.now())).toBeLessThan(60_000)
      expect(attempt.at).toEqual(new Date(1_800_000_000_000))
    })
  const send = async (body: unknown, id?: string) => (await receiver.handle(toRequest(body, id))).status
  const ended = { ...toEnd('c'), note: 'Grüße 👋' }
  const statuses = []
  for (const [body, id] of [[ended, 'a'], [ended, 'a'], ['\u0000ÿ'], [toSummary('d')]] as const)
    statuses.push(await send(body, id))
  expect([errors, statuses]).toEqual([[], [200, 200, 200, 200]])
  const [first] = await inbox.list()
  expect(new TextDecoder().decode((await inbox.show(first?.id ?? ''))?.body)).toBe(JSON.stringify(ended))
  await vi.waitFor(async () => expect((await receiver.drain()).remaining).toBe(0), patience)
  expect(errors.map(String)).toEqual(['Error: once'])
  expect(seen).toEqual([['c', 'a', 'id', 2]])
  expect(await inbox.count()).toEqual({ handled: 1, parked: 1, unhandled: 1 })
  expect(await inbox.count({ by: 'reason' })).toEqual({ unreadable: 1 })
  expect((await inbox.list()).slice(1)).toMatchObject([
    { state: 'parked', reason: 'unreadable', deliveryId: undefined, subject: undefined },
    { state: 'unhandled', name: 'CALL_AI_SUMMARY', subject: 'call:d' },
  ])
  const client = {
    calls: {
      getSummary: async (callId: string) => ({
        ...toSummary(callId),
        summary: { recap: '', keyPoints: [], nextSteps: [] },
      }),
    },
  }
  const reconcile = () => receiver.reconcile(client, { olderThanMs: 1, intervalMs: 1 })
  await vi.waitFor(async () => expect(await reconcile()).toMatchObject({ asked: 1, accepted: 1 }), patience)
  expect(await inbox.erase({ callId: 'c' })).toBe(2)
}

/** Claims, completes and releases, and expects what a dedupe store does with any driver. */
const expectDedupeToWork = async (
  database: SqlClient | SqliteDatabase,
  dialect: 'postgresql' | 'mysql' | 'sqlite',
) => {
  const dedupe = sqlDedupe(database, { dialect, table: 'dedupe_settings' })
  const key = crypto.randomUUID()
  const first = await claim(dedupe, key)
  expect([await dedupe.claim(key, 60_000), await first.renew(60_000)]).toEqual(['in_progress', true])
  await first.release()
  expect(await (await claim(dedupe, key)).complete()).toBe(true)
  expect(await dedupe.claim(key, 60_000)).toBe('duplicate')
}

const toCamel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const rename = (result: pg.QueryResult) => ({
  ...result,
  rows: result.rows.map((row: object) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [toCamel(name), value])),
  ),
})

/** A client whose queries an application has wrapped. */
const wrap = (
  run: (query: (config: object) => Promise<pg.QueryResult>, text: string, values?: unknown[]) => unknown,
) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      const query = this.query.bind(this) as (config: unknown) => Promise<pg.QueryResult>
      Object.assign(this, {
        query: (text: unknown, ...rest: unknown[]) =>
          typeof text === 'string' && typeof rest.at(-1) !== 'function'
            ? run(query, text, rest[0] as unknown[])
            : Reflect.apply(query, undefined, [text, ...rest]),
      })
    }
  }

const parseAs = (parse: (oid: number, text: string) => unknown) =>
  ({ getTypeParser: (oid: number) => (text: string) => parse(oid, text) }) as pg.CustomTypesConfig

describe('on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof sharePostgres>>
  beforeAll(async () => {
    postgres = await sharePostgres()
    await postgres.pool().query(sqlDedupeTable({ table: 'dedupe_settings' }))
  })
  afterAll(() => postgres.stop())

  const open = (options: pg.PoolConfig) => {
    const pool = new pg.Pool({ connectionString: postgres.connectionString, max: 4, ...options })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return pool
  }
  const run = async (options: pg.PoolConfig) => {
    await expectInboxToWork(
      sqlInbox(open(options), { table: newTable(), onParked: () => {} }) as unknown as Inbox<Context>,
    )
    await expectDedupeToWork(open(options), 'postgresql')
  }

  it.each<[string, () => pg.PoolConfig]>([
    [
      'with int8 as bigint',
      () => ({
        types: parseAs((oid, text) => (oid === 20 ? BigInt(text) : pg.types.getTypeParser(oid)(text))),
      }),
    ],
    ['with everything as text, bytes included', () => ({ types: parseAs((_, text) => text) })],
    [
      'with columns in camel case',
      () => ({
        Client: wrap(async (query, text, values) => {
          const result = await query({ text, values })
          return Array.isArray(result) ? result.map(rename) : rename(result)
        }),
      }),
    ],
    [
      'with rows as arrays',
      () => ({ Client: wrap((query, text, values) => query({ text, values, rowMode: 'array' })) }),
    ],
    [
      'with serializable transactions and a query_timeout',
      () => ({ options: '-c default_transaction_isolation=serializable', query_timeout: 5_000 }),
    ],
  ])('everything works %s', async (_, options) => run(options()))

  it.each<[string, string, () => pg.PoolConfig]>([
    [
      'converts text',
      'text',
      () => ({
        types: parseAs((oid, text) => (oid === 25 ? text.toUpperCase() : pg.types.getTypeParser(oid)(text))),
      }),
    ],
    [
      'loses bytes',
      'bytes',
      () => ({
        types: parseAs((oid, text) => (oid === 17 ? Buffer.from(text) : pg.types.getTypeParser(oid)(text))),
      }),
    ],
    [
      'nests rows',
      'the shape of rows, or the names of columns',
      () => ({
        Client: wrap(async (query, text, values) => {
          const result = await query({ text, values })
          return Array.isArray(result)
            ? result
            : { ...result, rows: result.rows.map((row: object) => ({ row })) }
        }),
      }),
    ],
  ])('an inbox says so if the driver %s', async (_, what, options) => {
    const inbox = sqlInbox(open(options()), { table: newTable() })
    await expect(inbox.count()).rejects.toThrow(`the settings of its driver change ${what}.`)
  })
})

describe.skipIf(!hasMariadb)('on MariaDB (skipped where mariadbd is not installed)', () => {
  let mariadb: Awaited<ReturnType<typeof startMariadb>>
  beforeAll(async () => {
    mariadb = await startMariadb()
    await mariadb.pool().query(sqlDedupeTable({ table: 'dedupe_settings', dialect: 'mysql' }))
  })
  afterAll(() => mariadb?.stop())

  it.each<[string, PoolOptions]>([
    ['rowsAsArray', { rowsAsArray: true }],
    ['nestTables', { nestTables: true } as PoolOptions],
    ['typeCast: false', { typeCast: false }],
    ['a typeCast that returns text', { typeCast: (field) => field.string() }],
    [
      'settings that do not depend on one another, all at once',
      {
        supportBigNumbers: true,
        bigNumberStrings: true,
        dateStrings: true,
        namedPlaceholders: true,
        multipleStatements: true,
        decimalNumbers: true,
        flags: ['-FOUND_ROWS'],
      },
    ],
  ])('everything works with %s', async (_, options) => {
    const inbox = sqlInbox(mariadb.pool(options), { table: newTable(), onParked: () => {} })
    await expectInboxToWork(inbox as unknown as Inbox<Context>)
    await expectDedupeToWork(mariadb.pool(options), 'mysql')
  })
})

describe('on SQLite', () => {
  it.each<[string, () => DatabaseSync | BetterSqlite.Database]>([
    ['readBigInts of node:sqlite', () => new DatabaseSync(':memory:', { readBigInts: true })],
    ['returnArrays of node:sqlite', () => new DatabaseSync(':memory:', { returnArrays: true })],
    ['defaultSafeIntegers of better-sqlite3', () => new BetterSqlite(':memory:').defaultSafeIntegers(true)],
  ])('everything works with %s', async (_, open) => {
    const database = open()
    onTestFinished(() => void database.close())
    const inbox = sqlInbox(database, { dialect: 'sqlite', table: newTable(), onParked: () => {} })
    await expectInboxToWork(inbox as unknown as Inbox<Context>)
    database.exec(sqlDedupeTable({ table: 'dedupe_settings', dialect: 'sqlite' }))
    await expectDedupeToWork(database, 'sqlite')
  })

  it('an inbox refuses a database whose statements are asynchronous', async () => {
    const database = { prepare: () => ({ all: async () => [] }), exec: () => {} }
    const inbox = sqlInbox(database as unknown as DatabaseSync, { dialect: 'sqlite' })
    await expect(inbox.count()).rejects.toThrow('needs a database whose statements are synchronous')
  })
})

describe('what cannot be used is refused when the store is created:', () => {
  const postgresJs = Object.assign(() => {}, { unsafe: () => {} })
  it.each<[string, unknown, string]>([
    ['postgres.js', postgresJs, 'This object has no connect()'],
    ['a client of pg', new pg.Client(), 'This is a single client of pg'],
    ['Prisma', { $queryRawUnsafe: () => {} }, 'This object has no connect()'],
    ['Knex', { raw: () => {}, query: () => {} }, 'This object has no connect()'],
    ['a connection of mysql2', { query: () => {}, execute: () => {} }, 'This object has no connect()'],
    ['a promise of a pool', Promise.resolve(), 'This object has no connect()'],
    ['nothing', undefined, 'sqlInbox() needs a pool'],
    ['a URL', 'postgres://localhost', 'sqlInbox() needs a pool'],
  ])('%s, by sqlInbox', (_, database, message) => {
    expect(() => Reflect.apply(sqlInbox, undefined, [database])).toThrow(message)
  })

  it.each<[string, unknown, string]>([
    ['postgres.js', postgresJs, '(text, values) => sql.unsafe(text, values)'],
    ['Prisma', { $queryRawUnsafe: () => {} }, 'sqlDedupe() needs'],
    ['nothing', undefined, 'sqlDedupe() needs'],
    ['a URL', 'postgres://localhost', 'sqlDedupe() needs'],
  ])('%s, by sqlDedupe', (_, database, message) => {
    expect(() => Reflect.apply(sqlDedupe, undefined, [database])).toThrow(message)
  })
})
