import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

/** A row as SQLite gives it. */
export type Row = Record<string, SQLOutputValue>

/** Conditions of a query by their SQL, each with the one value that it compares with; `undefined`: not restricted. */
export type Conditions = Readonly<Record<string, SQLInputValue | readonly SQLInputValue[] | undefined>>

/** What a list is made of. */
export type ListQuery = {
  /** Up to `where`. */
  readonly select: string
  readonly where: Conditions
  readonly orderBy: string
  readonly limit: number
}

/** Makes queries whose conditions vary; each form of one is prepared once. */
export const createQueries = (database: DatabaseSync): ((query: ListQuery) => Row[]) => {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return ({ select, where, orderBy, limit }) => {
    const conditions = Object.entries(where).filter(([, value]) => value !== undefined)
    const sql = `${select} where ${conditions.map(([text]) => text).join(' and ')} order by ${orderBy} limit ?`
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    const values = conditions.flatMap(([, value]) => value ?? null)
    return statement.all(...values, limit)
  }
}
