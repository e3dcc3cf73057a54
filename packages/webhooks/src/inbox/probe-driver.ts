import { readColumn, type SqlDialect } from '../sql/sql-database.ts'
import { type InboxEngine, refuse } from './engine.ts'
import { readBytes, readText } from './read-entry.ts'

// Text that a connection with another character set would change. Only MySQL gets an emoji: PostgreSQL databases in
// Latin-1 cannot hold one, and events rarely need it.
const toText = (dialect: SqlDialect) => `[["content-type","a ${dialect === 'mysql' ? '😀' : 'é'}"]]`
const milliseconds = 1_800_000_000_123

/**
 * Checks that the driver returns what the inbox stores. Drivers can be set to rename columns and to convert
 * values. The inbox could then read a stored value as missing, and would park or lose events, or handle them
 * twice.
 *
 * @throws WebhookUsageError that names the driver's change.
 * @throws any database error.
 */
export const probeDriver = async ({ dialect, query }: InboxEngine): Promise<void> => {
  const text = toText(dialect)
  const bytes = { postgresql: '?::bytea', sqlite: '?', mysql: 'CAST(? AS BINARY)' }[dialect]
  const words = { postgresql: '?::text', sqlite: '?', mysql: 'CAST(? AS CHAR)' }[dialect]
  const number = dialect === 'postgresql' ? `${milliseconds}::bigint` : `${milliseconds}`
  const probe = `SELECT ${number} AS due_at, ${words} AS event_key, NULL AS delivery_id, ${bytes} AS body`
  const { rows } = await query(probe, [text, Uint8Array.of(0, 255)])
  const [row] = rows
  const expectations = {
    'the shape of rows, or the names of columns':
      rows.length === 1 && readColumn(row, 'due_at') !== undefined,
    integers: Number(readColumn(row, 'due_at')) === milliseconds,
    text: readText(row, 'event_key') === text,
    null: (readColumn(row, 'delivery_id') ?? null) === null,
    bytes: Array.from(readBytesSafely(row) ?? []).join() === '0,255',
  }
  const changed = Object.entries(expectations).find(([, holds]) => !holds)?.[0]
  if (changed === undefined) return
  refuse(
    `sqlInbox() cannot use this database: the settings of its driver change ${changed}. ` +
      'Open a pool without them for the inbox.',
  )
}

const readBytesSafely = (row: unknown): Uint8Array | undefined => {
  try {
    return readBytes(row)
  } catch {
    return undefined
  }
}
