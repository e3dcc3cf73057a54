import { sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { claim, dedupeCases, tableCases } from './dedupe-cases.ts'
import { sharePostgres } from './postgres.ts'

let postgres: Awaited<ReturnType<typeof sharePostgres>>
let pool: ReturnType<typeof postgres.pool>
beforeAll(async () => {
  postgres = await sharePostgres()
  pool = postgres.pool()
  await pool.query(sqlDedupeTable())
  await pool.query(sqlDedupeTable())
})
afterAll(() => postgres.stop())

describe('sqlDedupe on a real PostgreSQL', () => {
  describe('with a pg pool, alongside a query function', () => {
    dedupeCases(async (ttlMs) => [
      sqlDedupe(pool, { ttlMs }),
      sqlDedupe((text, values) => pool.query(text, values), { ttlMs }),
    ])
  })

  describe('with other table names', () => {
    tableCases({
      open: async (options) => {
        await pool.query(sqlDedupeTable({ table: options.table }))
        return sqlDedupe(pool, options)
      },
      listKeys: async (table) => (await pool.query(`SELECT key FROM ${table}`)).rows.map(({ key }) => key),
    })
  })

  it('accepts a table in a schema, and rejects invalid names', async () => {
    await pool.query('CREATE SCHEMA hooks')
    await pool.query(sqlDedupeTable({ table: 'hooks.seen' }))
    await claim(sqlDedupe(pool, { table: 'hooks.seen' }), 'a')
    for (const table of ['a; DROP TABLE b', '"quoted"', '', 'a.b.c']) {
      expect(() => sqlDedupe(pool, { table })).toThrow(RangeError)
      expect(() => sqlDedupeTable({ table })).toThrow(RangeError)
    }
  })

  it('refuses a client in a transaction', async () => {
    const client = await pool.connect()
    onTestFinished(() => client.release())
    await client.query('BEGIN')
    await expect(Promise.resolve(sqlDedupe(client).claim('open', 1))).rejects.toThrow('in a transaction')
    await client.query('ROLLBACK')
  })

  it('explains a query function that does not resolve to rows', async () => {
    const wrong = async () => ({ rows: [] })
    await expect(Promise.resolve(sqlDedupe(wrong).claim('a', 1))).rejects.toThrow(
      /neither be inserted nor read/,
    )
  })
})
