import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from './src/commands.ts'
import { createQueueContenders, formatNames } from './src/deliveries/contender.ts'
import { startEndpoint, startQueue } from './src/deliveries/processes.ts'
import { type Contender, findRow, measure } from './src/measure.ts'
import { publish } from './src/result.ts'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const children: Child[] = []
try {
  const endpoint = await startEndpoint()
  children.push(endpoint)
  const contenders: Contender[] = []
  for (const kind of ['floor', 'wabakit'] as const) {
    const queue = await startQueue({ kind, database: join(folder, `${kind}.db`), endpoint, workers: 0 })
    children.push(queue.producer)
    contenders.push(...createQueueContenders(kind, queue))
  }
  const rows = await measure(contenders, { rounds: 15, count: 2_048 })
  const names = formatNames('wabakit')
  const [endToEnd, backlog] = [findRow(rows, names.endToEnd), findRow(rows, names.backlog)]
  publish({
    name: 'server-deliveries',
    title: 'Durable deliveries on SQLite',
    about: `One process stores, signs, sends and settles events over 64 connections, and syncs every commit. The floor reads a
row, signs it with node:crypto, sends it with \`dispatch\` of undici, and settles it with a delete and an insert. Concurrent
deliveries share a commit. End to end, the floor also inserts the event and its delivery.`,
    unit: 'per second',
    rows,
    goals: [
      {
        id: 'P5',
        what: 'SQLite, from a backlog, relative to the floor',
        result: backlog.ofFloor ?? NaN,
        limit: { atLeast: 0.45 },
      },
      {
        id: 'P5',
        what: 'SQLite, end to end, relative to the floor',
        result: endToEnd.ofFloor ?? NaN,
        limit: { atLeast: 0.34 },
      },
    ],
  })
} finally {
  for (const child of children) child.close()
  rmSync(folder, { recursive: true })
}
