import { formatTimeKey, type PageRows, parseTimeKey, type RecordQuery } from '@wabakit/core/storage'
import { type Conditions, createConditions } from './conditions.ts'
import type { Query } from './query.ts'
import { ifOrganizationExists, type SelectedRow } from './records.ts'

/** A table whose records have a start time. An index orders them by organization, time and id. */
type TimedTable = { readonly table: string; readonly time: string; readonly id: string }

/**
 * Returns a function that reads a page of the rows that meet a query's conditions, newest first. `addFilters` adds conditions
 * on the table `r`.
 */
export const createNewest =
  (read: Query, { table, time, id }: TimedTable) =>
  async (
    { organizationId, digits, from, before, cursor, limit, maxExamined }: RecordQuery,
    addFilters: (where: Conditions) => Conditions,
  ): Promise<Omit<PageRows<SelectedRow, unknown>, 'toItem'>> => {
    const toCursor = ({ row }: SelectedRow): string => formatTimeKey([Number(row[time]), String(row[id])])
    const where = createConditions().and('r.organization_id = ?', organizationId)
    if (cursor !== undefined) where.and(`(r.${time}, r.${id}) < (?, ?)`, ...parseTimeKey(cursor))
    const order = `ORDER BY r.${time} DESC, r.${id} DESC`
    const [last, next] =
      maxExamined === undefined
        ? []
        : await read<SelectedRow>(
            `SELECT row_to_json(r) AS row FROM (
               SELECT r.${time}, r.${id} FROM wabakit.${table} r
               WHERE ${where.sql} ${order} LIMIT 2 OFFSET ${maxExamined - 1}
             ) AS r`,
            where.values,
          )
    if (last !== undefined) where.and(`(r.${time}, r.${id}) >= (?, ?)`, last.row[time], last.row[id])
    addFilters(where)
      .andIf(`r.${time} >= ?`, from)
      .andIf(`r.${time} < ?`, before)
      .andIf('r.digits = ?', digits)
      .and(ifOrganizationExists('?'), organizationId)
    const rows = await read<SelectedRow>(
      `SELECT row_to_json(r) AS row FROM wabakit.${table} r
       WHERE ${where.sql} ${order} LIMIT ${where.addValue(limit + 1)}`,
      where.values,
    )
    return { rows, limit, toCursor, end: last && next && toCursor(last) }
  }
