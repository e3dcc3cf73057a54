import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startServer } from '@wabakit/server'
import { Pool } from 'undici'
import { payload } from './src/call-ai-summary.ts'
import { type Contender, measureRounds, median, medianRatio, report } from './src/rounds.ts'

// P5 on SQLite: an event is stored with its delivery, signed, sent to an endpoint of another process and settled. Next
// to it a loop that does nothing but POST the same body, over as many connections.
const connections = 64
const count = 2_000
const rounds = 15
const number = '+15550100001'
const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const endpoint = spawn(process.execPath, [fileURLToPath(import.meta.resolve('./src/endpoint-process.ts'))], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [url]: string[] = await once(createInterface(endpoint.stdout), 'line')
if (url === undefined) throw new Error('no endpoint')

/** Runs `times` tasks, `connections` at a time. */
const inParallel = async (times: number, task: () => Promise<unknown>): Promise<void> => {
  let left = times
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await task()
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

const cpu = new Map<string, number[]>()
const withCpu = ({ name, run }: Contender): Contender => ({
  name,
  run: async (times) => {
    const before = process.cpuUsage()
    await run(times)
    const { user, system } = process.cpuUsage(before)
    cpu.set(name, [...(cpu.get(name) ?? []), (user + system) / times])
  },
})

const pool = new Pool(url, { connections })
const post = async (): Promise<void> => {
  const { body } = await pool.request({
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: payload,
  })
  await body.dump()
}

const server = await startServer({
  port: 0,
  database: join(folder, 'wabakit.db'),
  logLevel: 'warn',
  deliveryConcurrency: connections,
  deliveryConcurrencyPerSubscription: connections,
  organizations: [{ id: 'bench', integrations: [{ wabaNumber: number }] }],
})
await server.service.subscriptions.create('bench', { channel: 'WHATSAPP', number, url })
let calls = 0

const deliver = async (times: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let settled = 0
  const stop = server.service.dispatcher.onAttempt(({ result }) => {
    if (result.kind === 'delivered') settled += 1
    if (settled === times) resolve()
  })
  await inParallel(times, () => {
    calls += 1
    return server.service.events.publish('bench', {
      name: 'CALL_AI_SUMMARY',
      subject: `call:${calls}`,
      channel: 'WHATSAPP',
      number,
      payload,
    })
  })
  await promise
  stop()
}

try {
  const contenders: Contender[] = [
    { name: 'bare undici POST loop', run: (times) => inParallel(times, post) },
    { name: 'wabakit, SQLite with fsync', run: deliver },
  ]
  const measurements = await measureRounds(contenders.map(withCpu), { rounds, count })
  const [bare, sqlite] = measurements
  if (bare === undefined || sqlite === undefined) throw new Error('not measured')
  const perSecond = (nanoseconds: number): number => Math.round(1e9 / nanoseconds)
  const facts = {
    connections,
    perSecond: Object.fromEntries(measurements.map(({ name, median: each }) => [name, perSecond(each)])),
    cpuMicrosecondsEach: Object.fromEntries(
      [...cpu].map(([name, figures]) => [name, Math.round(median(figures))]),
    ),
    sqliteAgainstBare: medianRatio(bare, sqlite),
  }
  report(
    `Durable deliveries, end to end, ${connections} connections`,
    'server-deliveries',
    measurements,
    facts,
  )
  console.log(facts)
} finally {
  await server.close()
  await pool.close()
  endpoint.kill()
  rmSync(folder, { recursive: true })
}
