import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { findParent, readFamilyCpuTime } from './src/cpu-time.ts'
import { writeResult } from './src/report.ts'
import { organizationId, startCallSimulator } from './src/storage/call-simulator.ts'

// Measures the bytes that calls need in a database. The server simulates complete calls with four events each, delivered
// by the first attempt. The first run, on empty databases, measures the size of the tables. The second run, on PostgreSQL
// with a million older deliveries and after a checkpoint, measures the write-ahead log and the next checkpoint: it makes as
// many deliveries as 116 per second make between two checkpoints (5 minutes).
//
//   node --conditions=@wabakit/source packages/bench/storage.ts [older deliveries = 1000000]
const [older = '1000000'] = process.argv.slice(2)
const callsForSizes = 5_000
const callsForLog = 8_700
const deliveriesPerCall = 4
const tables = ['events', 'deliveries', 'attempts', 'calls', 'summaries']

/** Inserts older, finished deliveries with random subjects, like those of calls. */
const formatFillSql = (count: number): string => `
  INSERT INTO wabakit.events
  SELECT 10000000 + n, 'old_' || n, '${organizationId}', 'CALL_ENDED', 'call:' || md5(n::text), 'PSTN', '15550100002',
    '{"event":"CALL_ENDED","text":"${'x'.repeat(400)}"}', NULL, n FROM generate_series(1, ${count}) n;
  INSERT INTO wabakit.deliveries
    (position, organization_id, subscription, event, event_name, subject, status, holds_lane, finished_at, attempts)
  OVERRIDING SYSTEM VALUE
  SELECT 10000000 + n, '${organizationId}', 1, 10000000 + n, 'CALL_ENDED', 'call:' || md5(n::text), 'delivered', false, n, 1
  FROM generate_series(1, ${count}) n;
  INSERT INTO wabakit.attempts
  SELECT 1, 10000000 + n, 1, 0, 12, 'https://receiver.example/', 200, NULL, 'ok', true FROM generate_series(1, ${count}) n`

const folder = mkdtempSync(join(tmpdir(), 'wabakit-storage-'))
const file = join(folder, 'wabakit.db')
const sqlite = await startCallSimulator(file)
await sqlite.run(callsForSizes)
await sqlite.close()
const sqliteBytes = Math.round(statSync(file).size / (callsForSizes * deliveriesPerCall))
rmSync(folder, { recursive: true })

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '16GB', checkpoint_timeout: '1d' },
})
const database = await cluster.createDatabase()
const simulator = await startCallSimulator(database)
const client = new pg.Client({ connectionString: database })
await client.connect()
const readOne = async (sql: string): Promise<Record<string, number>> => {
  const { rows } = await client.query<Record<string, unknown>>(sql)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}
const readSizes = () =>
  readOne(
    `SELECT ${tables
      .map(
        (name) =>
          `pg_total_relation_size('wabakit.${name}') / (SELECT count(*) FROM wabakit.${name}) AS ${name}`,
      )
      .join(', ')}`,
  )
const readCounters = () =>
  readOne(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes, wal_fpi AS pages,
       (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS fsyncs,
       (SELECT sum(writes) FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'checkpointer') AS written,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits
     FROM pg_stat_wal`,
  )
// Statistics become visible within seconds.
const waitForStatistics = () => new Promise((resolve) => setTimeout(resolve, 3_000))

await simulator.run(callsForSizes)
const asUsed = await readSizes()
for (const table of tables) await client.query(`VACUUM FULL wabakit.${table}`)
const packed = await readSizes()
const { payload } = await readOne('SELECT avg(length(payload)) AS payload FROM wabakit.events')

for (const statement of formatFillSql(Number(older)).split(';\n')) await client.query(statement)
await client.query('VACUUM (ANALYZE)')
await client.query('CHECKPOINT')
await waitForStatistics()
const { pid } = await readOne('SELECT pg_backend_pid() AS pid')
const postmaster = findParent(pid ?? 0)
const before: Record<string, number> = {
  ...(await readCounters()),
  cpu: readFamilyCpuTime(postmaster),
  at: performance.now(),
}
await simulator.run(callsForLog)
const afterRun = { cpu: readFamilyCpuTime(postmaster), at: performance.now() }
await client.query('CHECKPOINT')
await waitForStatistics()
const after: Record<string, number> = { ...(await readCounters()), ...afterRun }

const count = callsForLog * deliveriesPerCall
const perDelivery = (name: string, digits = 0): number =>
  Number((((after[name] ?? 0) - (before[name] ?? 0)) / count).toFixed(digits))
const result = {
  'bytes per payload, on average': Math.round(payload ?? 0),
  'SQLite, bytes per delivery, with its event and attempts': sqliteBytes,
  'PostgreSQL, bytes per row with indexes, in use': asUsed,
  'PostgreSQL, bytes per row with indexes, after VACUUM FULL': packed,
  'PostgreSQL, per delivery': {
    'bytes of write-ahead log': perDelivery('bytes'),
    'of which full pages, at most': Math.round(perDelivery('pages', 4) * 8_192),
    'pages written by the checkpoint': perDelivery('written', 2),
    commits: perDelivery('commits', 2),
    'fsyncs of the write-ahead log': perDelivery('fsyncs', 3),
    'CPU µs of the database': perDelivery('cpu'),
  },
  'deliveries per second': Math.round(count / (((after.at ?? 0) - (before.at ?? 0)) / 1_000)),
}
console.log(result)
writeResult('storage', { title: 'Storage used by calls', ...result })

await client.end()
await simulator.close()
