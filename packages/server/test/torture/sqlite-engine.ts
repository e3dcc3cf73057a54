import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Engine } from './engine.ts'

/** One process on a SQLite file. A start releases whatever was claimed, so that leases mean nothing here. */
export const sqliteEngine: Engine = {
  roles: ['all'],
  dropCommits: join(import.meta.dirname, 'preload/drop-sqlite-commits.ts'),
  createDatabase: async (folder) => {
    const path = join(folder, 'wabakit.db')
    return {
      address: path,
      addressFor: () => path,
      prepare: async () => {},
      countClaims: async () => {
        const database = new DatabaseSync(path, { readOnly: true })
        const row = database
          .prepare("select count(*) as claims from deliveries where status = 'claimed'")
          .get()
        database.close()
        return Number(row?.claims)
      },
      endLeases: async () => {},
    }
  },
}
