import { join } from 'node:path'
import type { Engine } from './engine.ts'

/** One process on a SQLite file. It alone delivers. */
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
