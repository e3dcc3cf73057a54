import type { Contents } from './contents.ts'

/** Reads a database with its own SQL. */
export const readDatabase = async (address: string): Promise<Contents> => {
  if (!address.startsWith('postgres://')) return (await import('./read-sqlite.ts')).readSqlite(address)
  return (await import('./read-postgres.ts')).readPostgres(address)
}
