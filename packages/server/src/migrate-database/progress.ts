import { type CopiedTable, copiedTables } from './copied-tables.ts'
import type { Source } from './open-source.ts'

/** The progress of a migration: its step and table, and the row counts of all tables. */
export type Progress = {
  readonly step: 'reading' | 'copying' | 'comparing'
  readonly table: string
  readonly done: number
  readonly total: number
}

/** Called when further rows of a table have been processed. */
export type OnRows = (table: CopiedTable, rows: number) => void

/** Returns a function that creates a counter for each step. */
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
