import { Pool } from 'pg'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { runConcurrently } from '../run-concurrently.ts'
import { connections } from './job.ts'

// The write throughput of PostgreSQL: inserts the same body into a table without indexes, with a commit per row over many
// connections, or a commit per 64 rows over one connection.
const [database = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString: database, max: connections })
await pool.query('CREATE TABLE bodies (body text)')
const batch = 64
const bodies = Array.from({ length: batch }, () => payload)

const each = { name: 'each', text: 'INSERT INTO bodies VALUES ($1)', values: [payload] }
const batched = { name: 'batched', text: 'INSERT INTO bodies SELECT unnest($1::text[])', values: [bodies] }

serveCommands({
  each: (times) => runConcurrently({ times, concurrency: connections }, () => pool.query(each)),
  batched: (times) => runConcurrently({ times: times / batch, concurrency: 1 }, () => pool.query(batched)),
})
