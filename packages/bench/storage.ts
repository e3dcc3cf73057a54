import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { cpuTimeOfFamily, parentOf } from './src/cpu-time.ts'
import { writeResult } from './src/rounds.ts'
import { organizationId, startCallPlayer } from './src/storage/call-player.ts'

// What calls cost a database in bytes: the real server plays calls from their beginning to their summary, each with four
// events, which are delivered at the first attempt. First on empty databases, for the sizes of the tables; then, on
// PostgreSQL, in front of a million older deliveries and right after a checkpoint, for the write-ahead log and the next
// checkpoint: as many deliveries as 116 a second are between two checkpoints (5 minutes).
//
//   node --conditions=@wabakit/source packages/bench/storage.ts [older deliveries, 1000000 when omitted]
const [older = '1000000'] = process.argv.slice(2)
const callsForSizes = 5_000
const callsForLog = 8_700
const deliveriesPerCall = 4
const tables = ['events', 'deliveries', 'attempts', 'calls', 'summaries']

/** What was there before: settled, with subjects as random as those of calls are. */
const fillSql = (count: number): string => `
  INSERT INTO wabakit.events
  SELECT 10000000 + n, 'old_' || n, '${organizationId}', 'CALL_ENDED', 'call:' || md5(n::text), 'PSTN', '15550100002',
    '{"event":"CALL_ENDED","text":"${'x'.repeat(400)}"}', NULL, n FROM generate_series(1, ${count}) n;
  INSERT INTO wabakit.deliveries
    (position, organization_id, subscription, event, event_name, subject, status, holds_lane, settled_at, attempts)
  OVERRIDING SYSTEM VALUE
  SELECT 10000000 + n, '${organizationId}', 1, 10000000 + n, 'CALL_ENDED', 'call:' || md5(n::text), 'delivered', false, n, 1
  FROM generate_series(1, ${count}) n;
  INSERT INTO wabakit.attempts
  SELECT 10000000 + n, 1, 0, 12, 'https://receiver.example/', 200, NULL, 'ok', true FROM generate_series(1, ${count}) n`

const folder = mkdtempSync(join(tmpdir(), 'wabakit-storage-'))
const file = join(folder, 'wabakit.db')
const sqlite = await startCallPlayer(file)
await sqlite.play(callsForSizes)
await sqlite.close()
const sqliteBytes = Math.round(statSync(file).size / (callsForSizes * deliveriesPerCall))
rmSync(folder, { recursive: true })

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '16GB', checkpoint_timeout: '1d' },
})
const database = await cluster.createDatabase()
const player = await startCallPlayer(database)
const client = new pg.Client({ connectionString: database })
await client.connect()
const readOne = async (sql: string): Promise<Record<string, number>> => {
  const { rows } = await client.query<Record<string, unknown>>(sql)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}
const sizes = () =>
  readOne(
    `SELECT ${tables
      .map(
        (name) =>
          `pg_total_relation_size('wabakit.${name}') / (SELECT count(*) FROM wabakit.${name}) AS ${name}`,
      )
      .join(', ')}`,
  )
const counters = () =>
  readOne(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes, wal_fpi AS pages,
       (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS fsyncs,
       (SELECT sum(writes) FROM pg_stat_io WHERE object = 'relation' AND backend_type = 'checkpointer') AS written,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits
     FROM pg_stat_wal`,
  )
/** Statistics reach their view within seconds. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 3_000))

await player.play(callsForSizes)
const asUsed = await sizes()
for (const table of tables) await client.query(`VACUUM FULL wabakit.${table}`)
const packed = await sizes()
const { payload } = await readOne('SELECT avg(length(payload)) AS payload FROM wabakit.events')

for (const statement of fillSql(Number(older)).split(';\n')) await client.query(statement)
await client.query('VACUUM (ANALYZE)')
await client.query('CHECKPOINT')
await settle()
const { pid } = await readOne('SELECT pg_backend_pid() AS pid')
const postmaster = parentOf(pid ?? 0)
const before: Record<string, number> = {
  ...(await counters()),
  cpu: cpuTimeOfFamily(postmaster),
  at: performance.now(),
}
await player.play(callsForLog)
const played = { cpu: cpuTimeOfFamily(postmaster), at: performance.now() }
await client.query('CHECKPOINT')
await settle()
const after: Record<string, number> = { ...(await counters()), ...played }

const count = callsForLog * deliveriesPerCall
const perDelivery = (name: string, digits = 0): number =>
  Number((((after[name] ?? 0) - (before[name] ?? 0)) / count).toFixed(digits))
const result = {
  'bytes of an average payload': Math.round(payload ?? 0),
  'SQLite, bytes per delivery with all that belongs to it': sqliteBytes,
  'PostgreSQL, bytes a row with indexes, after use': asUsed,
  'PostgreSQL, bytes a row with indexes, packed': packed,
  'PostgreSQL, per delivery': {
    'bytes of log': perDelivery('bytes'),
    'of them in whole pages, at most': Math.round(perDelivery('pages', 4) * 8_192),
    'pages that a checkpoint writes': perDelivery('written', 2),
    commits: perDelivery('commits', 2),
    'fsyncs of the log': perDelivery('fsyncs', 3),
    'CPU µs of the database': perDelivery('cpu'),
  },
  'at so many deliveries a second': Math.round(count / (((after.at ?? 0) - (before.at ?? 0)) / 1_000)),
}
console.log(result)
writeResult('storage', { title: 'What calls cost in bytes', ...result })

await client.end()
await player.close()
