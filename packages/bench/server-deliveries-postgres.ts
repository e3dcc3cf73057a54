import { Client } from 'pg'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { cpuTimeOfFamily, parentOf } from './src/cpu-time.ts'
import { backlog, cpuOf, endToEnd, type Queue } from './src/deliveries/contender.ts'
import { createCpuMeter } from './src/deliveries/cpu-meter.ts'
import { reportDeliveries } from './src/deliveries/delivery-report.ts'
import { connections } from './src/deliveries/job.ts'
import { type QueueOptions, startBareLoop, startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { type Contender, measureRounds } from './src/rounds.ts'

// P5 on PostgreSQL with its files synced: an event is stored with its delivery, signed, sent to an endpoint and settled;
// end to end, and from a backlog. Everybody's processes, the endpoint and PostgreSQL share the cores of one machine.
//
//   node --conditions=@wabakit/source packages/bench/server-deliveries-postgres.ts [names of queues, all when omitted]
const count = 2_000
const named = process.argv.slice(2)
const queues: Readonly<Record<string, Pick<QueueOptions, 'kind' | 'workers'>>> = {
  wabakit: { kind: 'wabakit' },
  'wabakit, 2 workers': { kind: 'wabakit', workers: 2 },
  'pg-boss': { kind: 'pg-boss' },
  'graphile-worker': { kind: 'graphile-worker' },
}

await using cluster = await createCluster({
  settings: { fsync: 'on', shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '300' },
})
const client = new Client({ connectionString: await cluster.createDatabase() })
await client.connect()
const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
const postmaster = parentOf(rows[0]?.pid ?? 0)
await client.end()

const endpoint = await startEndpoint()
const bareLoop = await startBareLoop(endpoint)
const children = [endpoint, bareLoop]
const meter = createCpuMeter()
const bare: Contender = {
  name: 'bare loop',
  run: async (times) => {
    await bareLoop.command('post', times)
    await endpoint.command('arrivals', times)
  },
}
const contenders: Contender[] = [meter.measure(bare, () => ({ workers: cpuOf([bareLoop]) }))]

try {
  for (const [name, options] of Object.entries(queues)) {
    if (named.length > 0 && !named.includes(name)) continue
    const queue: Queue = await startQueue({ ...options, database: await cluster.createDatabase(), endpoint })
    children.push(queue.producer, ...queue.workers)
    const read = () => ({
      workers: cpuOf(queue.workers),
      producer: cpuOf([queue.producer]),
      PostgreSQL: cpuTimeOfFamily(postmaster),
    })
    contenders.push(
      meter.measure(endToEnd(`${name}, end to end`, queue), read),
      meter.measure(backlog(`${name}, backlog`, queue), read),
    )
  }
  const measurements = await measureRounds(contenders, { rounds: 10, warmUpRounds: 1, count })
  reportDeliveries({
    title: `Durable deliveries on PostgreSQL, ${connections} connections`,
    file: 'server-deliveries-postgres',
    measurements,
    cpu: meter.figures(),
  })
} finally {
  for (const child of children) child.close()
}
