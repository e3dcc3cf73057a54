import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from './src/commands.ts'
import { backlog, bareLoop, commitLoops, cpuOf, endToEnd } from './src/deliveries/contender.ts'
import { createCpuMeter } from './src/deliveries/cpu-meter.ts'
import { reportDeliveries } from './src/deliveries/delivery-report.ts'
import { connections } from './src/deliveries/job.ts'
import { startBareLoop, startCommitLoop, startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { measureRounds } from './src/rounds.ts'

// P5 on SQLite with its file synced: an event is stored with its delivery, signed, sent to an endpoint and settled; while
// events come in, and from a backlog. One process does all of it. Next to it a loop, in a process of its own too, that
// does nothing but POST the same body over as many connections.
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
  const read = () => ({ server: cpuOf(queue.producer) })
  const contenders = [
    meter.measure(bareLoop(loop, endpoint), () => ({ server: cpuOf(loop) })),
    ...commitLoops(commits, 'SQLite').map((each) => meter.measure(each, () => ({ server: cpuOf(commits) }))),
    meter.measure(endToEnd('wabakit, end to end', queue), read),
    meter.measure(backlog('wabakit, backlog', queue), read),
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
