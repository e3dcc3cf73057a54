import { readColumn } from '../sql/sql-database.ts'
import { type ClaimedEntry, readClaimed } from './read-entry.ts'
import type { InboxTable } from './table.ts'

type Reader = Pick<InboxTable, 'table' | 'engine'> & {
  /** The expressions to select for each entry. */
  readonly columns: string
}

const sort = (entries: readonly ClaimedEntry[]): ClaimedEntry[] =>
  entries.toSorted((left, right) => left.order - right.order)

/**
 * Creates the functions that read claimed entries, in the order of their ids. An entry whose row is damaged has a `damage`, with
 * which its attempt fails: so it is named, tried again with backoff, and then parked, and only its lane waits for it.
 */
export const createClaimReader = ({ table, engine, columns }: Reader) => {
  type Failure = { readonly token: string; readonly cause: unknown }
  const toDamaged = (row: unknown, { token, cause }: Failure): ClaimedEntry => {
    const [id, attempts, subject] = ['id', 'attempts', 'subject'].map((name) => readColumn(row, name))
    const damage = new Error(
      `Entry ${id} of ${table} cannot be read (${cause}). Repair its row, or discard it. It is tried again until it is parked.`,
      { cause },
    )
    return { ...readClaimed({ id, attempts, subject }, token), damage }
  }
  const read = (rows: readonly unknown[], token: string): ClaimedEntry[] =>
    rows.map((row) => {
      try {
        return readClaimed(row, token)
      } catch (error) {
        return toDamaged(row, { token, cause: error })
      }
    })

  return {
    read: (rows: readonly unknown[], token: string) => sort(read(rows, token)),
    /** Reads the entries with a token one by one, because one that cannot be read makes the whole statement fail. */
    readApart: async (token: string): Promise<ClaimedEntry[]> => {
      const held = `FROM ${table} WHERE state = 'claimed' AND token = ?`
      const { rows } = await engine.query(`SELECT id, attempts, subject ${held}`, [token])
      const entries: ClaimedEntry[] = []
      for (const row of rows) {
        const values = [token, String(readColumn(row, 'id'))]
        try {
          const found = await engine.query(`SELECT ${columns} ${held} AND id = ?`, values)
          entries.push(...read(found.rows, token))
        } catch (error) {
          if (engine.isTransient(error)) throw error
          entries.push(toDamaged(row, { token, cause: error }))
        }
      }
      return sort(entries)
    },
  }
}
