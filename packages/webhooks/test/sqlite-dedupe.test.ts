import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Dedupe, sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'
import BetterSqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dedupeCases, tableCases } from './dedupe-cases.ts'

const dialect = 'sqlite'
const folder = mkdtempSync(join(tmpdir(), 'wabakit-dedupe-'))
const file = join(folder, 'webhooks.db')
const open: { close(): unknown }[] = []

const keep = <Database extends { close(): unknown }>(database: Database): Database => {
  open.push(database)
  return database
}
const openNode = () => keep(new DatabaseSync(file, { timeout: 5_000 }))
const openBetter = () => keep(new BetterSqlite(file))

beforeAll(() => {
  const database = openNode()
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(sqlDedupeTable({ dialect }))
  database.exec(sqlDedupeTable({ dialect }))
})
afterAll(() => {
  for (const database of open) database.close()
  rmSync(folder, { recursive: true })
})

describe.each<[string, (ttlMs: number) => readonly [Dedupe, Dedupe]]>([
  [
    'with a better-sqlite3 connection, alongside a node:sqlite connection',
    (ttlMs) => [sqlDedupe(openBetter(), { dialect, ttlMs }), sqlDedupe(openNode(), { dialect, ttlMs })],
  ],
  [
    "with Drizzle's driver, alongside a query function that resolves to rows",
    (ttlMs) => {
      const database = openNode()
      const query = async (text: string, values: (string | number | null)[]) =>
        database.prepare(text).all(...values)
      return [
        sqlDedupe(drizzle(openBetter()).$client, { dialect, ttlMs }),
        sqlDedupe(query, { dialect, ttlMs }),
      ]
    },
  ],
])('sqlDedupe on SQLite, %s', (_, pair) => {
  dedupeCases(async (ttlMs) => pair(ttlMs))
})

it.each([openNode, openBetter])(
  'refuses a connection in a transaction, and writes nothing in it',
  async (open) => {
    const database = open()
    const [dedupe, key] = [sqlDedupe(database, { dialect }), crypto.randomUUID()]
    database.exec('BEGIN')
    await expect(Promise.resolve(dedupe.claim(key, 60_000))).rejects.toThrow('in a transaction')
    database.exec('COMMIT')
    expect(await dedupe.claim(key, 60_000)).toBeTypeOf('object')
  },
)

describe('sqlDedupe on SQLite, with other table names', () => {
  tableCases({
    open: (options) => {
      const database = openBetter()
      database.exec(sqlDedupeTable({ dialect, table: options.table }))
      return sqlDedupe(database, { dialect, ...options })
    },
    listKeys: async (table) => openBetter().prepare(`SELECT key FROM ${table}`).pluck().all(),
  })
})

it('sqlDedupe lists the dialects that it supports', () => {
  const wrong: string = 'sqllite'
  expect(() => sqlDedupe(openNode(), { dialect: wrong as 'sqlite' })).toThrow(
    /"sqllite" is not a dialect of sqlDedupe\(\)\. Known names: .*sqlite/,
  )
})
