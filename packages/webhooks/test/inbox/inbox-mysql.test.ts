import { type Inbox, sqlInbox, sqlInboxTable } from '@wabakit/webhooks'
import { createPool as createCallbackPool } from 'mysql2'
import type { Pool } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { InboxEngine } from '../../src/inbox/engine.ts'
import { createMysqlEngine } from '../../src/inbox/engines/mysql.ts'
import { hasMariadb, startMariadb } from '../mariadb.ts'
import { claimOrderCases } from './claim-order-cases.ts'
import { type Context, type Environment, newTable, receive, toEnd, toJoin, toRequest } from './environment.ts'
import { eventCostCases, failureCostCases } from './event-cost-cases.ts'
import { inboxCases } from './inbox-cases.ts'

describe.skipIf(!hasMariadb)('an inbox on a real MariaDB (skipped where mariadbd is not installed)', () => {
  let mariadb: Awaited<ReturnType<typeof startMariadb>>
  let shared: Environment

  const createEnvironment = (pool: Pool): Environment => ({
    inbox: (options) => sqlInbox(pool, options) as unknown as Inbox<Context>,
    write: async ({ transaction }, effect) => {
      const connection = await transaction()
      await connection.query(`INSERT INTO effects VALUES ('${effect}')`)
    },
    query: async (text) => (await pool.query(text))[0] as Record<string, unknown>[],
  })

  beforeAll(async () => {
    mariadb = await startMariadb()
    const pool = mariadb.pool()
    await pool.query('CREATE TABLE effects (effect text)')
    shared = createEnvironment(pool)
  })
  afterAll(() => mariadb?.stop())

  inboxCases('MariaDB', () => shared)
  claimOrderCases('MariaDB', {
    environment: () => shared,
    openEngine: (table) => createMysqlEngine(mariadb.pool(), table) as unknown as InboxEngine,
  })
  const reads = {
    environment: () => shared,
    readCost: async () => {
      const rows = await shared.query(
        "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name = 'Handler_icp_attempts'",
      )
      return rows.reduce((sum, { Value: value }) => sum + Number(value), 0)
    },
  }
  // Reading a lane once would cost 8,000.
  eventCostCases('MariaDB', {
    ...reads,
    slack: 2_000,
    analyze: (table) => [`ALTER TABLE ${table} STATS_AUTO_RECALC = 0`, `ANALYZE TABLE ${table}`],
  })
  failureCostCases('MariaDB', { ...reads, failure: 4_000 })

  it('does not complete an event when a handler hides that its transaction has ended', async () => {
    const { receiver, inbox, errors } = receive(shared)
    receiver.onAny(async (_, { transaction }) => {
      const connection = await transaction()
      await connection.query("INSERT INTO effects VALUES ('lost')")
      // As a deadlock does.
      await connection.query('ROLLBACK')
      await connection.query("INSERT INTO effects VALUES ('half')")
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.drain()
    expect([await inbox.count(), errors[0]]).toMatchObject([{ failed: 1 }, { code: 'ER_SP_DOES_NOT_EXIST' }])
    expect(await shared.query("SELECT * FROM effects WHERE effect IN ('lost', 'half')")).toEqual([])
  })

  it('stores while handlers occupy all other connections of the pool', async () => {
    const { receiver, inbox } = receive(createEnvironment(mariadb.pool({ connectionLimit: 4 })))
    const gate = Promise.withResolvers<void>()
    let started = 0
    receiver.onAny(async (_, { transaction }) => {
      await transaction()
      started += 1
      await gate.promise
    })
    receiver.start()
    for (let index = 0; index < 5; index += 1)
      await receiver.handle(toRequest(toJoin(`${index}`), `${index}`))
    await expect.poll(() => started).toBe(2)
    expect((await receiver.handle(toRequest(toJoin('late'), 'late'))).status).toBe(200)
    gate.resolve()
    await expect.poll(() => inbox.count()).toEqual({ handled: 6 })
    await receiver.stop()
  })

  it('stores while a claim waits for another process', async () => {
    const { receiver, inbox, table } = receive(createEnvironment(mariadb.pool()))
    receiver.onAny(() => {})
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    const locking = await mariadb.pool().getConnection()
    await locking.query('START TRANSACTION')
    // As another process does.
    await locking.query(
      `INSERT INTO ${table} (id, event_key, source, state, due_at, received_at) VALUES (-1, 'k', 'inbox', 'lock', 0, 0)`,
    )
    receiver.start()
    const isWaiting = () =>
      shared.query(
        `SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE '%${table}%'`,
      )
    // MariaDB shows an old list of transactions until it was not asked for 100 ms. A claim that was given up may wait, too.
    await expect.poll(isWaiting, { interval: 500 }).not.toEqual([])
    expect((await receiver.handle(toRequest(toEnd('c'), 'b'))).status).toBe(200)
    expect(await inbox.count()).toEqual({ stored: 2 })
    await locking.query('ROLLBACK')
    locking.release()
    await expect.poll(() => inbox.count()).toEqual({ handled: 2 })
    await receiver.stop()
  })

  it('survives the loss of all connections, while events arrive and handlers run', async () => {
    const { receiver, inbox, errors, table } = receive(
      createEnvironment(mariadb.pool({ connectionLimit: 4 })),
      // A claim whose response is lost is made again when it has expired.
      { pollMs: 50, claimTtlMs: 3_000 },
    )
    receiver.onAny(async (_, context) => {
      const connection = await context.transaction()
      await connection.query(`INSERT INTO effects VALUES ('${table}')`)
    })
    receiver.start()
    for (let index = 0; index < 20; index += 1) {
      if (index % 10 === 5) {
        const others = await shared.query(
          'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = DATABASE()',
        )
        for (const { id } of others) await shared.query(`KILL CONNECTION ${id}`).catch(() => {})
      }
      expect((await receiver.handle(toRequest(toJoin(`${index}`), `${index}`))).status).toBe(200)
    }
    await expect.poll(() => inbox.count()).toEqual({ handled: 20 })
    expect((await shared.query(`SELECT 1 FROM effects WHERE effect = '${table}'`)).length).toBe(20)
    expect(errors.length).toBeGreaterThan(0)
    await receiver.stop()
  })

  it('works on a table that a migration has created, and refuses pools that take callbacks or have two connections', async () => {
    const table = newTable()
    for (let times = 0; times < 2; times += 1) await shared.query(sqlInboxTable({ table, dialect: 'mysql' }))
    const { receiver, inbox } = receive(shared, { table })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    expect(await inbox.count()).toEqual({ stored: 1 })
    expect(() => Reflect.apply(sqlInbox, undefined, [createCallbackPool({})])).toThrow(/pool\.promise\(\)/)
    expect(() => sqlInbox(mariadb.pool({ connectionLimit: 2 }))).toThrow(/at least 3/)
  })

  it('warns when the database acknowledges before it syncs', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { receiver } = receive(shared)
    receiver.start()
    await expect.poll(() => warn.mock.calls.flat().join()).toContain('innodb_flush_log_at_trx_commit=0')
    await receiver.stop()
    warn.mockRestore()
  })
})
