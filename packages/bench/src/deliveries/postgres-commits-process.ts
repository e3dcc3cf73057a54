import { Pool } from 'pg'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { connections } from './job.ts'

// What PostgreSQL can write at all: the same body into a table without an index, a commit for each row over as many
// connections, or for each 64 rows over one.
const [database = ''] = process.argv.slice(2)
const pool = new Pool({ connectionString: database, max: connections })
await pool.query('CREATE TABLE bodies (body text)')
const batch = 64
const bodies = Array.from({ length: batch }, () => payload)

const each = { name: 'each', text: 'INSERT INTO bodies VALUES ($1)', values: [payload] }
const batched = { name: 'batched', text: 'INSERT INTO bodies SELECT unnest($1::text[])', values: [bodies] }

serveCommands({
  each: (times) => inParallel({ times, concurrency: connections }, () => pool.query(each)),
  batched: (times) => inParallel({ times: times / batch, concurrency: 1 }, () => pool.query(batched)),
})
