import { statSync } from 'node:fs'
import { runSql } from '../postgres-sql.ts'

/** Sizes in bytes, by the name of the file, table or index. */
export type Sizes = Readonly<Record<string, number>>

const relations = `SELECT c.relname AS name, c.relkind = 'i' AS "isIndex", pg_relation_size(c.oid)::float8 AS bytes
  FROM pg_class c WHERE c.relnamespace = 'wabakit'::regnamespace AND c.relkind IN ('r', 'i')`

const measurePostgres = async (address: string): Promise<Sizes> => {
  const sizes: Record<string, number> = { tables: 0, indexes: 0 }
  for (const { name, isIndex, bytes } of await runSql(address, relations)) {
    const kind = isIndex ? 'indexes' : 'tables'
    sizes[kind] = (sizes[kind] ?? 0) + Number(bytes)
    sizes[`${isIndex ? 'index' : 'table'} ${name}`] = Number(bytes)
  }
  return sizes
}

const measureSqlite = (path: string): Sizes =>
  Object.fromEntries(
    ['', '-wal', '-shm'].map((suffix) => [
      `file${suffix}`,
      statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0,
    ]),
  )

/** Measures the sizes of a database: SQLite's files, or PostgreSQL's tables and indexes. */
export const measureSizes = async (address: string): Promise<Sizes> =>
  address.startsWith('postgres://') ? measurePostgres(address) : measureSqlite(address)
