import { readColumn } from '../dedupe/sql-database.ts'
import type { Handlers } from '../receiver/handlers.ts'
import type { InboxEntries } from '../receiver/inbox.ts'
import type { InboxEngine } from './engine.ts'
import { parseStored } from './identify.ts'
import { readBytes } from './read-entry.ts'

/** Number of entries per query. */
const pageSize = 200

/** Options for {@link createUnpark}. */
type UnparkOptions = {
  readonly table: string
  readonly host: { readonly handlers: Pick<Handlers<never>, 'find'>; readonly maxBodyBytes: number }
  readonly retry: InboxEntries['retry']
}

/**
 * Creates a function that retries entries that were parked for lack of a handler, if a handler takes them now, because
 * an upgrade knows the event or a handler was added.
 */
export const createUnpark = (
  { query }: Pick<InboxEngine<unknown, unknown>, 'query'>,
  { table, host: { handlers, maxBodyBytes }, retry }: UnparkOptions,
) => {
  const isTaken = (row: unknown): boolean => {
    const body = readBytes(row)
    const parsed = body && parseStored(body, maxBodyBytes)
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
        const { rows } = await query({ text, values: [after] })
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
