import { findRemedy as findPostgresRemedy } from './postgres/remedies.ts'
import { findRemedy as findSqliteRemedy } from './sqlite/storage-errors.ts'

/** Lists an error and its causes. A database with several hosts fails with an error for each. */
const listCauses = (error: unknown): unknown[] => {
  if (!(error instanceof Error)) return []
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  return [error, ...[...several, error.cause].flatMap(listCauses)]
}

/**
 * Returns what is known about a database failure, with the remedy, or `undefined`. It is fixed text, while the error itself may
 * contain names or addresses.
 */
export const findRemedy = (error: unknown): string | undefined => {
  for (const cause of listCauses(error)) {
    const remedy = findSqliteRemedy(cause) ?? findPostgresRemedy(cause)
    if (remedy !== undefined) return remedy
  }
  return undefined
}
