import { type Inbox, sqlDedupe, sqlDedupeTable, sqlInbox, sqlInboxTable } from '@wabakit/webhooks'
import type { Pool, PoolConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { sharePostgres } from '../postgres.ts'
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
  /** Returns what the next users of all four connections find. */
  const readSettings = async (pool: Pool) => {
    const connections = await Promise.all([1, 2, 3, 4].map(() => pool.getConnection()))
    return Promise.all(connections.map((each) => read(each, 'SELECT @@autocommit, @@wait_timeout')))
  }

  it.each([0, 1])(
    'commits in sessions with autocommit=%i, and returns them as they were',
    async (autocommit) => {
      const table = newTable()
      const pool = open(`SET autocommit = ${autocommit}, wait_timeout = 1234`)
      const { receiver } = receive(toEnvironment(sqlInbox(pool, { table })))
      receiver.on('CALL_ENDED', () => {})
      expect((await receiver.handle(toRequest(toEnd('c'), 'a'))).status).toBe(200)
      expect(await read(admin, `SELECT count(*) FROM ${table} WHERE state = 'stored'`)).toEqual([1])
      expect(await run(sqlInbox(pool, { table }), 'b')).toMatchObject({ status: 200, errors: [] })
      expect(await read(admin, `SELECT count(*) FROM ${table} WHERE state = 'handled'`)).toEqual([2])
      expect(await readSettings(pool)).toEqual(Array(4).fill([autocommit, 1234]))
    },
  )

  it('returns no session that it cannot set back as it was', async () => {
    const pool = open('SET wait_timeout = 1234')
    const connect = pool.getConnection.bind(pool)
    let refused = 0
    pool.getConnection = async () => {
      const connection = await connect()
      const query = connection.query.bind(connection)
      const refuse = (text: string) => {
        if (!text.endsWith('wait_timeout = 1234')) return query(text)
        refused += 1
        return query('SET unknown_variable = 1')
      }
      return Object.assign(connection, { query: refuse as typeof query })
    }
    expect(await run(sqlInbox(pool, { table: newTable() }))).toEqual(works)
    // After a claim, and after a completion.
    expect(refused).toBeGreaterThanOrEqual(2)
    expect(await readSettings(pool)).toEqual(Array(4).fill([1, 1234]))
  })

  it('lets 10 seconds pass between the update and the commit of a completion', async () => {
    const table = newTable()
    await admin.query(`${sqlInboxTable({ table, dialect: 'mysql' })}; CREATE TABLE completions (wait_timeout int);
      CREATE TRIGGER completed AFTER UPDATE ON ${table} FOR EACH ROW
      INSERT INTO completions SELECT @@wait_timeout FROM DUAL WHERE NEW.state = 'handled'`)
    expect(await run(sqlInbox(mariadb.pool(), { table }))).toEqual(works)
    expect(await read(admin, 'SELECT wait_timeout FROM completions')).toEqual([10])
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

  it('claims while a user without privileges on the table holds every lock that a version has taken', async () => {
    const table = newTable()
    const inbox = sqlInbox(mariadb.pool(), { table })
    await inbox.count()
    await admin.query("CREATE USER stranger@'127.0.0.1'")
    const stranger = mariadb.pool({ user: 'stranger', database: 'information_schema' })
    const connection = await stranger.getConnection()
    // A stranger may guess the second in which the table was created.
    const names = await read(
      admin,
      `SELECT MD5(CONCAT(table_schema, '.', table_name, ' ', create_time)) FROM information_schema.tables WHERE table_name = '${table}'`,
    )
    for (const name of [`MD5('webhooks.${table}')`, `'${names[0]}'`])
      expect(await read(connection, `SELECT GET_LOCK(${name}, 0)`)).toEqual([1])
    await expect(connection.query(`INSERT INTO webhooks.${table} (id) VALUES (-1)`)).rejects.toThrow('denied')
    expect(await run(inbox)).toEqual(works)
    connection.release()
  })

  it('uses the same table after other code has chosen another database', async () => {
    const table = newTable()
    await admin.query(
      `CREATE DATABASE IF NOT EXISTS other; ${sqlInboxTable({ table: `other.${table}`, dialect: 'mysql' })}`,
    )
    const pool = mariadb.pool({ connectionLimit: 4 })
    const { receiver, errors } = receive(toEnvironment(sqlInbox(pool, { table })))
    onTestFinished(() => receiver.stop())
    receiver.on('CALL_ENDED', async (_, { transaction }) => {
      await (await transaction()).query('USE other')
    })
    for (const id of ['a', 'b', 'c']) {
      // Each connection of the pool may be the next one.
      const all = await Promise.all([1, 2, 3, 4].map(() => pool.getConnection()))
      for (const connection of all) {
        if (id !== 'a') await connection.query('USE other')
        connection.release()
      }
      expect((await receiver.handle(toRequest(toEnd('c'), id))).status).toBe(200)
      await receiver.drain()
    }
    expect(errors).toEqual([])
    expect(await read(admin, `SELECT count(*) FROM webhooks.${table} WHERE state = 'handled'`)).toEqual([3])
    expect(await read(admin, `SELECT count(*) FROM other.${table}`)).toEqual([0])
  })

  it('remembers a delivery in the same table after other code has chosen another database', async () => {
    const table = newTable()
    const statements = ['webhooks', 'other'].map((name) =>
      sqlDedupeTable({ table: `${name}.${table}`, dialect: 'mysql' }),
    )
    await admin.query(`CREATE DATABASE IF NOT EXISTS other; ${statements.join(';')}`)
    const pool = mariadb.pool({ connectionLimit: 1 })
    const dedupe = sqlDedupe(pool, { table, dialect: 'mysql' })
    const claim = await dedupe.claim('a', 60_000)
    await pool.query('USE other')
    expect(await dedupe.claim('a', 60_000)).toBe('in_progress')
    await Object(claim).complete()
    expect(await read(admin, `SELECT count(*) FROM webhooks.${table} WHERE claimed_by IS NULL`)).toEqual([1])
  })
})

describe('on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof sharePostgres>>
  let admin: pg.Pool
  beforeAll(async () => {
    postgres = await sharePostgres()
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
    const pool = open({ options: '-c idle_in_transaction_session_timeout=1000' })
    const { receiver, errors } = receive(toEnvironment(sqlInbox(pool, { table: newTable() })))
    receiver.on('CALL_ENDED', async (_, { transaction }) => {
      const client = await transaction()
      await admin.query('SELECT pg_sleep(1.5)')
      await client.query('SELECT 1')
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    expect([(await receiver.drain()).handled, errors]).toEqual([1, []])
  })

  it('refuses row security, which would hide entries', async () => {
    const table = newTable()
    await admin.query(sqlInboxTable({ table }))
    await admin.query(
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY; CREATE ROLE of_${table}; GRANT ALL ON ${table} TO of_${table}`,
    )
    onTestFinished(async () => {
      await admin.query(`DROP OWNED BY of_${table}; DROP ROLE of_${table}`)
    })
    const pool = open({ options: `-c role=of_${table}` })
    await expect(sqlInbox(pool, { table }).count()).rejects.toThrow(
      `Row security would hide entries of ${table}`,
    )
  })

  it('uses the same table after other code has changed the search path', async () => {
    const table = newTable()
    await admin.query(`CREATE SCHEMA IF NOT EXISTS other; ${sqlInboxTable({ table: `other.${table}` })}`)
    const pool = open({ max: 4 })
    const { receiver, errors } = receive(toEnvironment(sqlInbox(pool, { table })))
    onTestFinished(() => receiver.stop())
    receiver.on('CALL_ENDED', async (_, { transaction }) => {
      await (await transaction()).query('SET LOCAL search_path TO other')
    })
    for (const id of ['a', 'b', 'c']) {
      // Each connection of the pool may be the next one.
      const all = await Promise.all([1, 2, 3, 4].map(() => pool.connect()))
      for (const client of all) {
        if (id !== 'a') await client.query('SET search_path TO other')
        client.release()
      }
      expect((await receiver.handle(toRequest(toEnd('c'), id))).status).toBe(200)
      await receiver.drain()
    }
    expect(errors).toEqual([])
    expect((await admin.query(`SELECT FROM public.${table} WHERE state = 'handled'`)).rowCount).toBe(3)
    expect((await admin.query(`SELECT FROM other.${table}`)).rowCount).toBe(0)
  })

  it('remembers a delivery in the same table after other code has changed the search path', async () => {
    const table = newTable()
    await admin.query(
      `CREATE SCHEMA IF NOT EXISTS other; ${sqlDedupeTable({ table })}; ${sqlDedupeTable({ table: `other.${table}` })}`,
    )
    const pool = open({ max: 1 })
    const dedupe = sqlDedupe(pool, { table })
    const claim = await dedupe.claim('a', 60_000)
    await pool.query('SET search_path TO other')
    expect(await dedupe.claim('a', 60_000)).toBe('in_progress')
    await Object(claim).complete()
    expect((await admin.query(`SELECT FROM public.${table} WHERE claimed_by IS NULL`)).rowCount).toBe(1)
  })

  it('creates its table while a stranger holds the advisory lock of its name, and in several processes at once', async () => {
    const table = newTable()
    const stranger = await admin.connect()
    await stranger.query(`SELECT pg_advisory_lock(hashtextextended('${table}', 1))`)
    const inboxes = Array.from({ length: 6 }, () => sqlInbox(open({ max: 4 }), { table }))
    expect(await Promise.all(inboxes.map((inbox) => inbox.count()))).toEqual(Array(6).fill({}))
    await stranger.query('SELECT pg_advisory_unlock_all()')
    stranger.release()
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
