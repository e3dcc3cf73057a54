import { type SqlValue, sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'
import { drizzle } from 'drizzle-orm/mysql2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claim, dedupeCases, tableCases } from './dedupe-cases.ts'
import { hasMariadb, startMariadb } from './mariadb.ts'

const dialect = 'mysql'

describe.skipIf(!hasMariadb)('sqlDedupe on a real MariaDB (skipped where mariadbd is not installed)', () => {
  let mariadb: Awaited<ReturnType<typeof startMariadb>>
  let pool: ReturnType<typeof mariadb.pool>
  beforeAll(async () => {
    mariadb = await startMariadb()
    pool = mariadb.pool()
    await pool.query(sqlDedupeTable({ dialect }))
    await pool.query(sqlDedupeTable({ dialect }))
  })
  afterAll(() => mariadb?.stop())

  describe("with Drizzle's driver, alongside prepared statements", () => {
    dedupeCases(async (ttlMs) => [
      sqlDedupe(drizzle({ client: pool }).$client, { dialect, ttlMs }),
      sqlDedupe((text, values) => pool.execute(text, values), { dialect, ttlMs }),
    ])
  })

  it('distinguishes keys that differ in case or in spaces at the end', async () => {
    const dedupe = sqlDedupe(pool, { dialect })
    for (const key of ['key', 'KEY', 'key ', 'kéy', '👋'.repeat(100)]) await claim(dedupe, key)
    expect(await dedupe.claim('👋'.repeat(100), 1_000)).toBe('in_progress')
  })

  it('refuses sessions with autocommit off, and a connection in a transaction', async () => {
    const reset = mariadb.pool()
    // mysql2 passes a connection whose methods take callbacks.
    reset.pool.on('connection', (connection) => void connection.query('SET autocommit = 0', () => {}))
    const connection = await mariadb.pool().getConnection()
    await connection.query('START TRANSACTION')
    const databases = [reset, connection, (text: string, values: SqlValue[]) => reset.execute(text, values)]
    // Each has a key of its own: a claim that is not committed keeps its row locked.
    for (const [index, database] of databases.entries())
      await expect(
        Promise.resolve(sqlDedupe(database, { dialect }).claim(`open-${index}`, 1)),
      ).rejects.toThrow('autocommit')
    connection.release()
  })

  it('renews a claim whose time does not change', async () => {
    const renewed = await claim(sqlDedupe(pool, { dialect }), 'renewed')
    const renewals = Array.from({ length: 50 }, () => renewed.renew(60_000))
    expect(new Set(await Promise.all(renewals))).toEqual(new Set([true]))
  })

  describe('with other table names', () => {
    tableCases({
      open: async (options) => {
        await pool.query(sqlDedupeTable({ dialect, table: options.table }))
        return sqlDedupe(pool, { dialect, ...options })
      },
      listKeys: async (table) => {
        const [rows] = await pool.query(`SELECT convert(\`key\` USING utf8mb4) AS name FROM ${table}`)
        return Array.isArray(rows) ? rows.map((row) => 'name' in row && row.name) : []
      },
    })
  })
})
