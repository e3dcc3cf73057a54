import { join } from 'node:path'
import type { Engine } from './engine.ts'

/** A single process on a SQLite file. */
export const sqliteEngine: Engine = {
  roles: ['all'],
  dropCommits: join(import.meta.dirname, 'preload/drop-sqlite-commits.ts'),
  createDatabase: async (folder) => {
    const path = join(folder, 'wabakit.db')
    return {
      address: path,
      addressFor: () => path,
      countShards: async () => 0,
    }
  },
}
