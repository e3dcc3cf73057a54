import { readColumn } from '../dedupe/sql-database.ts'
import type { InboxEntries, InboxHost } from '../receiver/inbox.ts'
import { parseRow } from './identify.ts'
import type { InboxTable } from './table.ts'

/** Number of entries per query. */
const pageSize = 200

type Parts = Pick<InboxHost<never>, 'handlers' | 'maxBodyBytes'> & Pick<InboxEntries, 'retry'>

/**
 * Creates a function that retries entries that were parked for lack of a handler, if a handler takes them now, because
 * an upgrade knows the event or a handler was added.
 */
export const createUnpark = ({ table, engine }: InboxTable, { handlers, maxBodyBytes, retry }: Parts) => {
  const isTaken = (row: unknown): boolean => {
    const parsed = parseRow(row, maxBodyBytes)
    return parsed !== undefined && handlers.find(parsed).length > 0
  }
  /**
   * Selects one entry for each event name: if a handler takes it, a handler takes all with that name. Drifted entries
   * are examined one by one, because each may drift in its own way.
   */
  const representatives = `SELECT min(id) AS id FROM ${table}
    WHERE state = 'parked' AND reason IN ('no_handler', 'unknown') AND body IS NOT NULL GROUP BY reason, name`
  const others = `SELECT id FROM ${table} WHERE state = 'parked' AND reason = 'drifted' AND body IS NOT NULL`

  return async (): Promise<void> => {
    for (const ids of [representatives, others]) {
      let after = '0'
      for (;;) {
        const text = `SELECT id, name, reason, body FROM ${table}
          WHERE id IN (${ids}) AND id > ? ORDER BY id LIMIT ${pageSize}`
        const { rows } = await engine.query(text, [after])
        for (const row of rows) {
          after = String(readColumn(row, 'id'))
          if (!isTaken(row)) continue
          const [reason, name] = [readColumn(row, 'reason'), readColumn(row, 'name')]
          const all = typeof name === 'string' && (reason === 'no_handler' || reason === 'unknown')
          await retry(all ? { state: 'parked', reason, name } : { id: after, state: 'parked' })
        }
        if (rows.length < pageSize) break
      }
    }
  }
}
