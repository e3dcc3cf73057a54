import { join } from 'node:path'
import type { Engine } from './engine.ts'

/** One process on a SQLite file. Its claims are in its memory and end with it. */
export const sqliteEngine: Engine = {
  roles: ['all'],
  dropCommits: join(import.meta.dirname, 'preload/drop-sqlite-commits.ts'),
  createDatabase: async (folder) => {
    const path = join(folder, 'wabakit.db')
    return {
      address: path,
      addressFor: () => path,
      prepare: async () => {},
      countClaims: async () => 0,
      endLeases: async () => {},
    }
  },
}
