import { type Inbox, sqlInbox, sqlInboxTable } from '@wabakit/webhooks'
import type { Pool, PoolConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { startPostgres } from '../postgres.ts'
import { type Context, newTable, receive, toEnd, toRequest } from './environment.ts'

// What a server, a role, a pool or other code has set for a session changes what the statements of an inbox mean.

const toEnvironment = (inbox: Inbox<never>) => ({
  inbox: () => inbox as unknown as Inbox<Context>,
  write: () => {},
  query: async () => [],
})

/** Stores and handles an event, and returns the status, the errors, and the callIds of handled events. */
const run = async (inbox: Inbox<never>, id: string = crypto.randomUUID()) => {
  const { receiver, errors } = receive(toEnvironment(inbox))
  onTestFinished(() => receiver.stop())
  const handled: string[] = []
  receiver.on('CALL_ENDED', async ({ callId }, { transaction }) => {
    await transaction()
    handled.push(callId)
  })
  const { status } = await receiver.handle(toRequest(toEnd('c'), id))
  await receiver.drain()
  return { status, errors: errors.map(String), handled }
}

const works = { status: 200, errors: [], handled: ['c'] }

describe.skipIf(!hasMariadb)('on MariaDB (skipped where mariadbd is not installed)', () => {
  let mariadb: Awaited<ReturnType<typeof startMariadb>>
  let admin: Pool
  beforeAll(async () => {
    mariadb = await startMariadb()
    admin = mariadb.pool({ multipleStatements: true })
  })
  afterAll(() => mariadb?.stop())

  /** Creates a pool whose sessions all begin with a statement. */
  const open = (statement: string, options = {}): Pool => {
    const pool = mariadb.pool({ connectionLimit: 4, ...options })
    // The pool passes the connection of callbacks.
    pool.pool.on('connection', (connection) => void connection.query(statement, () => {}))
    return pool
  }
  const read = async (connection: Pool | PoolConnection, text: string) =>
    Object.values(Object(Object(await connection.query(text))[0][0]))

  it('commits although sessions have autocommit off, and returns them as they were', async () => {
    const table = newTable()
    const pool = open('SET autocommit = 0')
    const { receiver } = receive(toEnvironment(sqlInbox(pool, { table })))
    receiver.on('CALL_ENDED', () => {})
    expect((await receiver.handle(toRequest(toEnd('c'), 'a'))).status).toBe(200)
    expect(await read(admin, `SELECT count(*) FROM ${table} WHERE state = 'stored'`)).toEqual([1])
    expect(await run(sqlInbox(pool, { table }), 'b')).toMatchObject({ status: 200, errors: [] })
    expect(await read(admin, `SELECT count(*) FROM ${table} WHERE state = 'handled'`)).toEqual([2])
    for (let connection = 0; connection < 4; connection += 1)
      expect(await read(await pool.getConnection(), 'SELECT @@autocommit')).toEqual([0])
  })

  it('takes a table with its schema, without a default database', async () => {
    const pool = mariadb.pool({ database: '' })
    expect(await run(sqlInbox(pool, { table: `webhooks.${newTable()}` }))).toEqual(works)
  })

  it('stores nothing in a transaction that other code has left open', async () => {
    const pool = mariadb.pool({ connectionLimit: 3 })
    const table = newTable()
    await run(sqlInbox(pool, { table }))
    const left = await Promise.all([1, 2, 3].map(() => pool.getConnection()))
    for (const connection of left) {
      await connection.query('START TRANSACTION')
      connection.release()
    }
    const { receiver } = receive(toEnvironment(sqlInbox(pool, { table })))
    expect((await receiver.handle(toRequest(toEnd('c'), 'late'))).status).toBe(200)
    expect(await read(admin, `SELECT count(*) FROM ${table} WHERE state = 'stored'`)).toEqual([1])
  })

  it.each(['ANSI', '', 'TRADITIONAL', 'NO_BACKSLASH_ESCAPES'])(
    'works with the sql_mode "%s"',
    async (mode) => {
      expect(await run(sqlInbox(open(`SET sql_mode = '${mode}'`), { table: newTable() }))).toEqual(works)
    },
  )

  it.each([
    ['completion_type', 'SET completion_type = 1'],
    ['tx_isolation', 'SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED'],
    ['sql_safe_updates', 'SET sql_safe_updates = 1'],
    ['sql_mode', "SET sql_mode = 'ORACLE'"],
    ['sql_select_limit', 'SET sql_select_limit = 10'],
  ])('refuses sessions with %s, by name', async (name, statement) => {
    const inbox = sqlInbox(open(statement), { table: newTable() })
    await expect(inbox.count()).rejects.toThrow(`its sessions have ${name}=`)
  })

  it('refuses a character set without all characters', async () => {
    const inbox = sqlInbox(mariadb.pool({ charset: 'latin1' }), { table: newTable() })
    await expect(inbox.count()).rejects.toThrow('the settings of its driver change text.')
  })

  it('needs no right to create a table that exists, and says how to create one that does not', async () => {
    const table = newTable()
    await admin.query(sqlInboxTable({ table, dialect: 'mysql' }))
    await admin.query(
      "CREATE USER app@'127.0.0.1'; GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks.* TO app@'127.0.0.1'",
    )
    const pool = mariadb.pool({ user: 'app' })
    expect(await run(sqlInbox(pool, { table }))).toEqual(works)
    const { status, errors } = await run(sqlInbox(pool, { table: newTable() })).catch((error) => ({
      status: 0,
      errors: [String(error)],
    }))
    expect([status, errors.join()]).toEqual([0, expect.stringContaining('sqlInboxTable()')])
  })
})

describe('on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  let admin: pg.Pool
  beforeAll(async () => {
    postgres = await startPostgres()
    admin = postgres.pool()
  })
  afterAll(() => postgres.stop())

  const open = (options: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ connectionString: postgres.connectionString, max: 4, ...options })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return pool
  }
  const count = async (table: string, state: string) =>
    Number((await admin.query(`SELECT count(*) AS n FROM ${table} WHERE state = '${state}'`)).rows[0].n)

  it.each(['BEGIN', 'BEGIN; SELECT 1 / 0'])(
    'stores nothing in a transaction that other code has left open with %s',
    async (statements) => {
      const [table, pool] = [newTable(), open({ max: 3 })]
      await run(sqlInbox(pool, { table }))
      for (const client of await Promise.all([1, 2, 3].map(() => pool.connect()))) {
        await client.query(statements).catch(() => {})
        client.release()
      }
      const { receiver } = receive(toEnvironment(sqlInbox(pool, { table })))
      expect((await receiver.handle(toRequest(toEnd('c'), 'late'))).status).toBe(200)
      expect(await count(table, 'stored')).toBe(1)
    },
  )

  it('takes a table with its schema', async () => {
    await admin.query('CREATE SCHEMA hooks')
    expect(await run(sqlInbox(open(), { table: `hooks.${newTable()}` }))).toEqual(works)
  })

  it('keeps a transaction whose handler waits longer than idle_in_transaction_session_timeout', async () => {
    const pool = open({ options: '-c idle_in_transaction_session_timeout=50' })
    const { receiver, errors } = receive(toEnvironment(sqlInbox(pool, { table: newTable() })))
    receiver.on('CALL_ENDED', async (_, { transaction }) => {
      const client = await transaction()
      await admin.query('SELECT pg_sleep(0.3)')
      await client.query('SELECT 1')
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    expect([(await receiver.drain()).handled, errors]).toEqual([1, []])
  })

  it('refuses row security, which would hide entries', async () => {
    const table = newTable()
    await admin.query(sqlInboxTable({ table }))
    await admin.query(
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY; CREATE ROLE app; GRANT ALL ON ${table} TO app`,
    )
    const pool = open({ options: '-c role=app' })
    await expect(sqlInbox(pool, { table }).count()).rejects.toThrow(
      `Row security would hide entries of ${table}`,
    )
  })

  it('responds 503 if a second connection does not see what was stored', async () => {
    // A test whose statements are all in one transaction that it rolls back, as some libraries do it.
    class InTransaction extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config)
        const query = this.query.bind(this) as (...given: unknown[]) => unknown
        Object.assign(this, {
          query: async (...given: unknown[]) => {
            if (String(given[0]).startsWith('WITH added')) await query('BEGIN')
            return query(...given)
          },
        })
      }
    }
    const { status, errors } = await run(
      sqlInbox(open({ Client: InTransaction }), { table: newTable() }),
    ).catch((error) => ({ status: 0, errors: [String(error)] }))
    expect([status, errors.join()]).toEqual([503, expect.stringContaining('does not see what was stored')])
  })
})
