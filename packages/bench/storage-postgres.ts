import { once } from 'node:events'
import { createServer } from 'node:http'
import { startServer } from '@wabakit/server'
import pg from 'pg'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { cpuTimeOfFamily, parentOf } from './src/cpu-time.ts'
import { inParallel } from './src/in-parallel.ts'
import { writeResult } from './src/rounds.ts'

// What calls cost PostgreSQL in bytes: the real server plays calls from their beginning to their summary, each with four
// events, which are delivered to an endpoint at the first attempt. First on an empty database, for the sizes of the
// tables; then in front of 1,000,000 older deliveries and right after a checkpoint, for the write-ahead log: as many
// deliveries as 116 a second are between two checkpoints (5 minutes).
//
//   node --conditions=@wabakit/source packages/bench/storage-postgres.ts [older deliveries, 1000000 when omitted]
const [older = '1000000'] = process.argv.slice(2)
const callsForSizes = 5_000
const callsForLog = 8_700
const organizationId = 'acme'
const tables = ['events', 'deliveries', 'attempts', 'calls', 'summaries']

const summary = {
  recap:
    'The customer asked why order 4711 has not arrived. The agent found that the parcel is held at the depot and arranged a new delivery on Thursday.',
  keyPoints: [
    'Order 4711 is two days late because the address was incomplete',
    'The customer will be at home on Thursday before noon only',
  ],
  nextSteps: ['Confirm the new delivery date by message', 'Refund the express fee of the delayed order'],
}

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

await using cluster = await createCluster({
  settings: {
    fsync: 'on',
    shared_buffers: '512MB',
    max_wal_size: '16GB',
    checkpoint_timeout: '1d',
    track_wal_io_timing: 'on',
  },
})
const database = await cluster.createDatabase()
const endpoint = createServer((request, response) => {
  request.resume().on('end', () => response.end('ok'))
}).listen(0, '127.0.0.1')
await once(endpoint, 'listening')
const address = endpoint.address()
const port = typeof address === 'object' ? address?.port : 0
const server = await startServer({
  database,
  port: 0,
  logLevel: 'silent',
  deliveryConcurrencyPerSubscription: 64,
  organizations: [{ id: organizationId, pstnNumbers: ['+15550100002'] }],
})
const { calls, summaries, subscriptions, dispatcher } = server.service
await subscriptions.create(organizationId, {
  channel: 'PSTN',
  number: '+15550100002',
  url: `http://127.0.0.1:${port}/`,
})
const client = new pg.Client({ connectionString: database })
await client.connect()
const readOne = async (sql: string): Promise<Record<string, number>> => {
  const { rows } = await client.query<Record<string, unknown>>(sql)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}

let played = 0
/** Plays calls, and waits until everything of them is delivered. */
const play = async (count: number): Promise<void> => {
  await inParallel({ times: count, concurrency: 64 }, async () => {
    const callId = `wacid.${played++}.${Math.random().toString(36).slice(2)}`
    const numbers = {
      channelNumber: '+15550100002',
      customerNumber: '+14155550123',
      agentNumber: '+14155550177',
    }
    await calls.start(organizationId, { callId, channel: 'PSTN', direction: 'INCOMING', ...numbers })
    await calls.accept(organizationId, callId)
    await calls.end(organizationId, callId, { durationInSeconds: 184 })
    await summaries.save(organizationId, callId, summary, { generatedBy: 'automatic' })
  })
  while ((await dispatcher.nextDueAt()) !== undefined) await new Promise((wait) => setTimeout(wait, 100))
}

const sizes = async (): Promise<Record<string, number>> =>
  readOne(
    `SELECT ${tables
      .map(
        (table) =>
          `pg_total_relation_size('wabakit.${table}') / (SELECT count(*) FROM wabakit.${table}) AS ${table}`,
      )
      .join(', ')}`,
  )
const log = () =>
  readOne(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes, wal_fpi AS pages, wal_records AS records,
       (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS fsyncs,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits
     FROM pg_stat_wal`,
  )

await play(callsForSizes)
const asUsed = await sizes()
for (const table of tables) await client.query(`VACUUM FULL wabakit.${table}`)
const compact = await sizes()
const [payload] = (await client.query('SELECT avg(length(payload))::integer AS bytes FROM wabakit.events'))
  .rows

for (const statement of fillSql(Number(older)).split(';\n')) await client.query(statement)
await client.query('VACUUM (ANALYZE)')
await client.query('CHECKPOINT')
const { pid } = await readOne('SELECT pg_backend_pid() AS pid')
const postmaster = parentOf(pid ?? 0)
const cpuBefore = cpuTimeOfFamily(postmaster)
const before = await log()
const startedAt = performance.now()
await play(callsForLog)
const seconds = (performance.now() - startedAt) / 1_000
const databaseCpu = cpuTimeOfFamily(postmaster) - cpuBefore
await new Promise((wait) => setTimeout(wait, 2_000))
const after = await log()

const deliveries = callsForLog * 4
const perDelivery = (name: string): number => ((after[name] ?? 0) - (before[name] ?? 0)) / deliveries
const result = {
  payload,
  'bytes a row, with indexes, after use': asUsed,
  'bytes a row, with indexes, packed': compact,
  'log per delivery': {
    bytes: Math.round(perDelivery('bytes')),
    'of them at most in whole pages': Math.round(perDelivery('pages') * 8_192),
    records: Number(perDelivery('records').toFixed(1)),
    fsyncs: Number(perDelivery('fsyncs').toFixed(3)),
    commits: Number(perDelivery('commits').toFixed(2)),
  },
  'CPU µs of the database per delivery': Math.round(databaseCpu / deliveries),
  'deliveries a second': Math.round(deliveries / seconds),
}
console.log(result)
writeResult('storage-postgres', { title: 'Bytes in PostgreSQL', ...result })

await client.end()
await server.close()
endpoint.closeAllConnections()
endpoint.close()
