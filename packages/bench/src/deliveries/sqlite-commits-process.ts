import { DatabaseSync } from 'node:sqlite'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'

// The write throughput of SQLite with every commit synced: inserts the same body into a table without indexes, with a commit
// per row or per 64 rows.
const [path = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bodies (body TEXT)')
const insert = database.prepare('INSERT INTO bodies VALUES (?)')
const batch = 64

serveCommands({
  each: (times) => {
    for (let row = 0; row < times; row += 1) insert.run(payload)
  },
  batched: (times) => {
    for (let row = 0; row < times; row += batch) {
      database.exec('BEGIN')
      for (let index = 0; index < batch; index += 1) insert.run(payload)
      database.exec('COMMIT')
    }
  },
})
