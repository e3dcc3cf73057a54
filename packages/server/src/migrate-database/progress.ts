import { type CopiedTable, copiedTables } from './copied-tables.ts'
import type { Source } from './open-source.ts'

/** How far a migration is: what it does, with which table, and how many rows of all tables have been through that. */
export type Progress = {
  readonly step: 'reading' | 'copying' | 'comparing'
  readonly table: string
  readonly done: number
  readonly total: number
}

/** Gets told that so many more rows of a table are done. */
export type OnRows = (table: CopiedTable, rows: number) => void

/** Makes what counts the rows of a step, for each step anew. */
export const createProgress = (source: Source, onProgress: (progress: Progress) => void) => {
  const total = copiedTables.reduce((sum, table) => sum + source.count(table), 0)
  return (step: Progress['step']): OnRows => {
    let done = 0
    return ({ name: table }, rows) => {
      done += rows
      onProgress({ step, table, done, total })
    }
  }
}
