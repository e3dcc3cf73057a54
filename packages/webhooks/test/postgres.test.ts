import { sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claim, dedupeCases } from './dedupe-cases.ts'
import { startPostgres } from './postgres.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
beforeAll(async () => {
  postgres = await startPostgres()
}, 30_000)
afterAll(() => postgres.stop())

describe('sqlDedupe on a real PostgreSQL', () => {
  beforeAll(async () => {
    const pool = postgres.pool()
    await pool.query(sqlDedupeTable())
    await pool.query(sqlDedupeTable())
  })

  describe('with a pool of pg', () => {
    dedupeCases(async (ttlMs) => [
      sqlDedupe(postgres.pool(), { ttlMs }),
      sqlDedupe(postgres.pool(), { ttlMs }),
    ])
  })

  describe('with a query function', () => {
    dedupeCases(async (ttlMs) => {
      const pool = postgres.pool()
      const dedupe = sqlDedupe((text, values) => pool.query(text, values), { ttlMs })
      return [dedupe, dedupe]
    })
  })

  it('deletes expired rows, and nothing else', async () => {
    const pool = postgres.pool()
    await pool.query(sqlDedupeTable({ table: 'swept' }))
    const [brief, lasting] = [
      sqlDedupe(pool, { table: 'swept', ttlMs: 1 }),
      sqlDedupe(pool, { table: 'swept' }),
    ]
    await (await claim(lasting, 'lasting')).complete()
    await claim(lasting, 'claimed')
    for (let key = 0; key < 1_000; key += 1) await (await claim(brief, `${key}`)).complete()
    const { rows } = await pool.query('SELECT key FROM swept ORDER BY key')
    expect(rows.length).toBeLessThan(100)
    expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(['claimed', 'lasting']))
  })

  it('accepts a table in a schema, and rejects invalid names', async () => {
    const pool = postgres.pool()
    await pool.query('CREATE SCHEMA hooks')
    await pool.query(sqlDedupeTable({ table: 'hooks.seen' }))
    await claim(sqlDedupe(pool, { table: 'hooks.seen' }), 'a')
    for (const table of ['a; DROP TABLE b', '"quoted"', '', 'a.b.c']) {
      expect(() => sqlDedupe(pool, { table })).toThrow(RangeError)
      expect(() => sqlDedupeTable({ table })).toThrow(RangeError)
    }
  })

  it('explains a query function that does not resolve to rows', async () => {
    const wrong = async () => ({ rows: [] })
    await expect(Promise.resolve(sqlDedupe(wrong).claim('a', 1))).rejects.toThrow(
      /neither be inserted nor read/,
    )
  })
})
