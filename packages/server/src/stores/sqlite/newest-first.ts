import type { DatabaseSync } from 'node:sqlite'
import { formatTimeKey, type PageRows, parseTimeKey, type RecordQuery } from '@wabakit/core/storage'
import { type Conditions, createQueries, type Row } from './queries.ts'

/** A table whose records have a start time. An index orders them by organization, time and id. */
type TimedTable = { readonly table: string; readonly time: string; readonly id: string }

/** Returns a function that reads a page of the rows that meet a query's conditions and the `filters`, newest first. */
export const createNewest = (database: DatabaseSync, { table, time, id }: TimedTable) => {
  const { read } = createQueries(database)
  const toCursor = (row: Row): string => formatTimeKey([Number(row[time]), String(row[id])])

  return (
    { organizationId, digits, from, before, cursor, limit, maxExamined }: RecordQuery,
    filters: Conditions,
  ): Omit<PageRows<Row, unknown>, 'toItem'> => {
    const after = cursor === undefined ? undefined : parseTimeKey(cursor)
    const where = {
      'organizationId = ?': organizationId,
      [`${time} <= ?`]: after?.[0],
      [`(${time}, ${id}) < (?, ?)`]: after,
    }
    const orderBy = `${time} desc, ${id} desc`
    const [last, next] =
      maxExamined === undefined
        ? []
        : read({
            select: `select ${time}, ${id} from ${table}`,
            where,
            orderBy,
            limit: 2,
            offset: maxExamined - 1,
          })
    const rows = read({
      select: `select * from ${table}`,
      where: {
        ...where,
        [`(${time}, ${id}) >= (?, ?)`]: last && [last[time] ?? null, last[id] ?? null],
        [`${time} >= ?`]: from,
        [`${time} < ?`]: before,
        'digits = ?': digits,
        ...filters,
      },
      orderBy,
      limit: limit + 1,
    })
    return { rows, limit, toCursor, end: last && next && toCursor(last) }
  }
}
