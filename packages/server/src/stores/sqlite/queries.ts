import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'

export type Row = Record<string, SQLOutputValue>

/** The conditions of a query: SQL with its values. A condition whose value is `undefined` is left out. */
export type Conditions = Readonly<Record<string, SQLInputValue | readonly SQLInputValue[] | undefined>>

export type ListQuery = {
  /** The query up to `where`. */
  readonly select: string
  readonly where: Conditions
  readonly orderBy: string
  readonly limit: number
  readonly offset?: number
}

/** Runs queries with varying conditions. Each combination is prepared once. */
export const createQueries = (database: DatabaseSync): ((query: ListQuery) => Row[]) => {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return ({ select, where, orderBy, limit, offset = 0 }) => {
    const conditions = Object.entries(where).filter(([, value]) => value !== undefined)
    const sql = `${select} where ${conditions.map(([text]) => text).join(' and ')} order by ${orderBy} limit ? offset ?`
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    const values = conditions.flatMap(([, value]) => value ?? null)
    return statement.all(...values, limit, offset)
  }
}
