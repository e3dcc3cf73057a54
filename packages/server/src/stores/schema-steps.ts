import { createHash } from 'node:crypto'

/** Hashes the text of a step of a schema. */
export const hashStep = (sql: string): string => createHash('sha256').update(sql).digest('hex')

/**
 * Finds a step that had another text when it was applied. The functions and triggers of such a database are those of the
 * other text, so nothing may run on it.
 *
 * @returns its number; `undefined` if there is none.
 */
export const findDifferentStep = (
  applied: readonly string[],
  hashes: readonly unknown[],
): number | undefined => {
  const index = applied.findIndex((sql, position) => hashStep(sql) !== hashes[position])
  return index === -1 ? undefined : index + 1
}

/** Returns what is wrong with a database whose schema differs, and what to do. */
export const explainDifferentStep = (step: number): string =>
  `Step ${step} of its schema differs from that of this version: another build of wabakit, such as a development version, created it. Use that build, or a new database.`
