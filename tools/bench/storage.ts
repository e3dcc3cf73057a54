import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { findPostmaster, readFamilyCpuTime } from './src/cpu-time.ts'
import { publish } from './src/result.ts'
import { organizationId, startCallSimulator } from './src/storage/call-simulator.ts'

const older = 1_000_000
const callsForSizes = 5_000
const callsForLog = 8_700
const deliveriesPerCall = 4
/** Omits `attempts`, because a delivery that succeeds at once has its only attempt in its own row. */
const tables = ['events', 'deliveries', 'calls', 'summaries']

/** Formats SQL that inserts older, finished deliveries. Their subjects are random, like call ids. */
const formatFillSql = (count: number): string => `
  INSERT INTO wabakit.events
  SELECT 10000000 + n, 'old_' || n, '${organizationId}', 'CALL_ENDED', 'call:' || md5(n::text), 'PSTN', '15550100002',
    '{"event":"CALL_ENDED","text":"${'x'.repeat(400)}"}', NULL, NULL, n, false FROM generate_series(1, ${count}) n;
  INSERT INTO wabakit.deliveries
    (subscription, event, organization_id, state, version, attempts, failures, deferrals, deferred_ms, finished_at,
     started_at, duration_ms, url, status, response_body)
  SELECT 1, 10000000 + n, '${organizationId}', 'delivered', 1, 1, 0, 0, 0, n, 0, 12, 'https://receiver.example/', 200, 'ok'
  FROM generate_series(1, ${count}) n`

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
// PostgreSQL publishes its statistics with a delay of up to a few seconds.
const waitForStatistics = () => new Promise((resolve) => setTimeout(resolve, 3_000))

await simulator.run(callsForSizes)
const asUsed = await readSizes()
for (const table of tables) await client.query(`VACUUM FULL wabakit.${table}`)
const packed = await readSizes()
const { payload } = await readOne('SELECT avg(length(payload)) AS payload FROM wabakit.events')

for (const statement of formatFillSql(older).split(';\n')) await client.query(statement)
await client.query('VACUUM (ANALYZE)')
await client.query('CHECKPOINT')
await waitForStatistics()
const postmaster = await findPostmaster(cluster)
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
const list = (figures: Record<string, number>): string =>
  Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure}`)
    .join(', ')
publish({
  name: 'storage',
  title: 'Storage used by calls',
  about: `The server simulates complete calls. Each call has four events (${Math.round(payload ?? 0)} bytes of payload on average), which are delivered by
the first attempt. The sizes of tables are measured on databases that were empty before. The log and the next checkpoint of
PostgreSQL are measured with ${older.toLocaleString('en')} older deliveries. The number of new deliveries corresponds to the 5 minutes between
two checkpoints at 116 deliveries a second.`,
  unit: 'time',
  figures: [
    { name: 'SQLite, bytes per delivery, with its event and attempts', figure: `${sqliteBytes}` },
    { name: 'PostgreSQL, bytes per row with indexes', figure: list(asUsed) },
    { name: 'the same after VACUUM FULL', figure: list(packed) },
    { name: 'PostgreSQL, bytes of log per delivery', figure: `${perDelivery('bytes')}` },
    { name: 'full pages in this log, at most', figure: `${Math.round(perDelivery('pages', 4) * 8_192)}` },
    { name: 'pages written by the checkpoint', figure: `${perDelivery('written', 2)}` },
    { name: 'commits', figure: `${perDelivery('commits', 2)}` },
    { name: 'fsyncs of the log', figure: `${perDelivery('fsyncs', 3)}` },
    { name: 'CPU µs of PostgreSQL', figure: `${perDelivery('cpu')}` },
    {
      name: 'deliveries per second',
      figure: `${Math.round(count / (((after.at ?? 0) - (before.at ?? 0)) / 1_000))}`,
    },
  ],
})

await client.end()
await simulator.close()
