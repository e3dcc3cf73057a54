import { readColumn } from '../dedupe/sql-database.ts'
import type { InboxHost } from '../receiver/inbox.ts'
import type { InboxEntries } from '../receiver/inbox-entries.ts'
import { parseRow } from './identify.ts'
import { readRows } from './read-entry.ts'
import type { InboxTable } from './table.ts'

type Parts = Pick<InboxHost<never>, 'handlers' | 'maxBodyBytes'> & Pick<InboxEntries, 'retry'>

/** Creates a function that retries parked entries that now have a handler, after an upgrade or a new call of `on`. */
export const createUnpark = (place: InboxTable, { handlers, maxBodyBytes, retry }: Parts) => {
  const { table } = place
  /**
   * Selects one entry for each event name, because a handler takes either all events with a name or none. Drifted
   * entries and entries without a name are examined one by one, because each may be different.
   */
  const representatives = `SELECT min(id) AS id FROM ${table}
    WHERE state = 'parked' AND name IS NOT NULL AND reason IN ('no_handler', 'unknown') AND body IS NOT NULL
    GROUP BY reason, name`
  const others = `SELECT id FROM ${table} WHERE state = 'parked' AND body IS NOT NULL
    AND (reason = 'drifted' OR (name IS NULL AND reason IN ('no_handler', 'unknown')))`

  return async (): Promise<void> => {
    for (const ids of [representatives, others]) {
      for await (const row of readRows(place, 'name, reason, body', `id IN (${ids})`)) {
        const parsed = parseRow(row, maxBodyBytes)
        if (parsed === undefined || handlers.find(parsed).length === 0) continue
        const [id, reason, name] = ['id', 'reason', 'name'].map((column) => readColumn(row, column))
        const all = typeof name === 'string' && (reason === 'no_handler' || reason === 'unknown')
        await retry(all ? { state: 'parked', reason, name } : { id: String(id), state: 'parked' })
      }
    }
  }
}
