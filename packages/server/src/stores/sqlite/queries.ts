import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { maxSearchedBytes } from '@wabakit/core/storage'

export type Row = Record<string, SQLOutputValue>

/** The conditions of a query: SQL with its values. A condition whose value is `undefined` is omitted. */
export type Conditions = Readonly<Record<string, SQLInputValue | readonly SQLInputValue[] | undefined>>

type Selection = {
  /** The query up to `where`. */
  readonly select: string
  readonly where: Conditions
  readonly orderBy: string
}

export type ListQuery = Selection & { readonly limit: number; readonly offset?: number }

/** Limits on the rows examined for a page. */
export type Bounds = {
  readonly maxExamined?: number | undefined
  /** The text to search for in payloads. If set, the selection has the payload sizes in the column `bytes`. */
  readonly text?: string | undefined
}

/** Runs queries with varying conditions. Each combination is prepared once. */
export const createQueries = (database: DatabaseSync) => {
  const statements = new Map<string, StatementSync>()

  const prepare = ({ select, where, orderBy }: Selection) => {
    const conditions = Object.entries(where).filter(([, value]) => value !== undefined)
    const sql = `${select} where ${conditions.map(([text]) => text).join(' and ')} order by ${orderBy} limit ? offset ?`
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return { statement, values: conditions.flatMap(([, value]) => value ?? null) }
  }

  const read = ({ limit, offset = 0, ...selection }: ListQuery): Row[] => {
    const { statement, values } = prepare(selection)
    return statement.all(...values, limit, offset)
  }

  return {
    read,
    /** Returns the first row that a page may not examine, if there is one. */
    findEnd: (selection: Selection, { maxExamined, text }: Bounds): Row | undefined => {
      if (maxExamined === undefined) return undefined
      if (text === undefined) return read({ ...selection, limit: 1, offset: maxExamined })[0]
      const { statement, values } = prepare(selection)
      let [examined, bytes] = [0, 0]
      for (const row of statement.iterate(...values, maxExamined + 1, 0)) {
        bytes += Number(row.bytes)
        if (examined === maxExamined || (examined > 0 && bytes > maxSearchedBytes)) return row
        examined += 1
      }
      return undefined
    },
  }
}
