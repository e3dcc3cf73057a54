import { readColumn } from '../sql/sql-database.ts'
import type { Statement } from './engine.ts'
import type { InboxTable } from './table.ts'

const pageSize = 200

type Rows = {
  readonly columns: string
  readonly condition: string
  readonly values?: Statement['values']
  /** Gets the entries that the database or its driver cannot read, such as those whose body a failing disk has lost. */
  readonly unreadable: Map<string, unknown>
}

/** Yields the rows that meet a condition and can be read, in the order of their ids. */
export async function* readRows(
  { table, engine }: InboxTable,
  { columns, condition, values = [], unreadable }: Rows,
) {
  const select = (selected: string): string => `SELECT ${selected} FROM ${table} WHERE ${condition}`
  for (let after = '0'; ; ) {
    const readPage = async (selected: string) =>
      (await engine.query(`${select(selected)} AND id > ? ORDER BY id LIMIT ${pageSize}`, [...values, after]))
        .rows
    let page: readonly unknown[]
    try {
      page = await readPage(`id, ${columns}`)
      yield* page
    } catch (error) {
      if (engine.isTransient(error)) throw error
      // One row that cannot be read makes the whole statement fail.
      page = await readPage('id')
      for (const row of page) {
        const id = String(readColumn(row, 'id'))
        const found = engine.query(`${select(`id, ${columns}`)} AND id = ?`, [...values, id])
        const { rows } = await found.catch((cause: unknown) => {
          if (engine.isTransient(cause)) throw cause
          unreadable.set(id, cause)
          return { rows: [] }
        })
        yield* rows
      }
    }
    if (page.length < pageSize) return
    after = String(readColumn(page.at(-1), 'id'))
  }
}

/**
 * Reads all rows that meet a condition. Damaged ones lack the columns that the database or its driver cannot read, and their
 * `error` names these.
 */
export const readAllRows = async (
  place: InboxTable,
  { columns, condition, values }: Pick<Rows, 'columns' | 'condition'> & Pick<Statement, 'values'>,
): Promise<readonly unknown[]> => {
  const { table, engine } = place
  const select = async (selected: string): Promise<readonly unknown[]> =>
    (await engine.query(`SELECT ${selected} FROM ${table} WHERE ${condition}`, values)).rows
  try {
    return await select(columns)
  } catch (error) {
    if (engine.isTransient(error)) throw error
  }
  const ids = (await select('id')).map((row) => String(readColumn(row, 'id')))
  const found = new Map(ids.map((id) => [id, { row: {}, failures: [] as string[] }]))
  for (const column of columns.split(', ')) {
    const unreadable = new Map<string, unknown>()
    const rows = { columns: column, condition: `id IN (${['0', ...ids].join()})`, unreadable }
    for await (const part of readRows(place, rows))
      Object.assign(found.get(String(readColumn(part, 'id')))?.row ?? {}, part)
    for (const [id, cause] of unreadable) found.get(id)?.failures.push(`${column} (${cause})`)
  }
  for (const [id, { row, failures }] of found) {
    const error = `Entry ${id} of ${table} cannot be read: ${failures.join(', ')}. Repair its row, or discard it.`
    if (failures.length > 0) Object.assign(row, { error })
    // It was deleted in the meantime.
    if (readColumn(row, 'id') === undefined) found.delete(id)
  }
  return Array.from(found.values(), ({ row }) => row)
}

/** Returns an error that names the entries that could not be read, if any. */
export const toUnreadableError = (
  table: string,
  unreadable: ReadonlyMap<string, unknown>,
): Error | undefined => {
  const [cause] = unreadable.values()
  if (unreadable.size === 0) return undefined
  return new Error(
    `Entries of ${table} cannot be read, so they were not examined: ${[...unreadable.keys()].join(', ')} (${cause}). ` +
      'All others were. Repair these rows, or set their body to NULL, and try again.',
    { cause },
  )
}

/** @throws Error that names the entries that could not be read. */
export const reportUnreadable = (...entries: Parameters<typeof toUnreadableError>): void => {
  const error = toUnreadableError(...entries)
  if (error !== undefined) throw error
}
