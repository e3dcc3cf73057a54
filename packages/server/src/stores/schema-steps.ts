import { createHash } from 'node:crypto'

export const hashStep = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/**
 * Finds a step that had different SQL when it was applied. The database's functions and triggers come from that SQL, so
 * no server may use it.
 *
 * @returns its number, or `undefined` if there is none.
 */
export const findDifferentStep = (
  applied: readonly string[],
  hashes: readonly unknown[],
): number | undefined => {
  const index = applied.findIndex((sql, position) => hashStep(sql) !== hashes[position])
  return index === -1 ? undefined : index + 1
}

/** Returns the problem of a database whose schema differs, and its remedy. */
export const explainDifferentStep = (step: number): string =>
  `Step ${step} of its schema differs from that of this version: another build of wabakit, such as a development version, created it. Use that build, or a new database.`
