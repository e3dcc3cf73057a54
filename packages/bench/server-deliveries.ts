import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from './src/commands.ts'
import {
  createBacklog,
  createBareLoop,
  createCommitLoops,
  createEndToEnd,
  sumCpuTime,
} from './src/deliveries/contender.ts'
import { createCpuMeter } from './src/deliveries/cpu-meter.ts'
import { reportDeliveries } from './src/deliveries/delivery-report.ts'
import { connections } from './src/deliveries/job.ts'
import { startBareLoop, startCommitLoop, startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { measureRounds } from './src/rounds.ts'

// Durable deliveries on SQLite, with every commit synced, in one process: events are stored, signed, sent and settled,
// end to end and from a backlog. The baseline is a process that only POSTs the same body over as many connections.
const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const children: Child[] = []

try {
  const endpoint = await startEndpoint()
  children.push(endpoint)
  const loop = await startBareLoop(endpoint)
  children.push(loop)
  const commits = await startCommitLoop(join(folder, 'bodies.db'))
  children.push(commits)
  const database = join(folder, 'wabakit.db')
  const queue = await startQueue({ kind: 'wabakit', database, endpoint, workers: 0 })
  children.push(queue.producer)
  const meter = createCpuMeter()
  const read = () => ({ server: sumCpuTime(queue.producer) })
  const contenders = [
    meter.measure(createBareLoop(loop, endpoint), () => ({ server: sumCpuTime(loop) })),
    ...createCommitLoops(commits, 'SQLite').map((each) =>
      meter.measure(each, () => ({ server: sumCpuTime(commits) })),
    ),
    meter.measure(createEndToEnd('wabakit, end to end', queue), read),
    meter.measure(createBacklog('wabakit, from a backlog', queue), read),
  ]
  const measurements = await measureRounds(contenders, { rounds: 15, count: 2_048 })
  reportDeliveries({
    title: `Durable deliveries on SQLite, ${connections} connections`,
    file: 'server-deliveries',
    measurements,
    cpu: meter.figures(),
  })
} finally {
  for (const child of children) child.close()
  rmSync(folder, { recursive: true })
}
