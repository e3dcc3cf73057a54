import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenApiDocument } from '@wabakit/contract/documents'
import { createCluster } from '../server/test/postgres-cluster.ts'
import { createHttpLoad } from './src/http-load.ts'
import { installPeer } from './src/install-peer.ts'
import { median, medianRatio } from './src/measurement.ts'
import { report } from './src/report.ts'
import { type Contender, measureRounds } from './src/rounds.ts'
import { type ServerChild, startCommand, startServerProcess } from './src/server-child.ts'

// Creates groups over HTTP on 64 connections. `--peers` adds prism and mockoon, which are installed separately.
const connections = 64
const count = 2_000
const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const opened: Array<() => void> = []

const request = {
  headers: { authorization: 'wk_bench_0123456789', 'content-type': 'application/json' },
  body: JSON.stringify({
    wabaNumber: '+15550100001',
    subject: 'Launch',
    description: 'Everyone who helps.',
  }),
}

const cpu = new Map<string, number[]>()

const createContender = async (name: string, server: ServerChild): Promise<Contender> => {
  const load = await createHttpLoad(
    { ...request, url: `${server.url}/whatsapp/wa-group/create` },
    connections,
  )
  opened.push(load.close, server.close)
  return {
    name,
    run: async (times) => {
      const before = await server.cpuTime()
      await load.run(times)
      const after = await server.cpuTime()
      if (before !== undefined && after !== undefined) {
        cpu.set(name, [...(cpu.get(name) ?? []), (after - before) / times])
      }
    },
  }
}

/** Median duration of an fdatasync after a small write, in milliseconds. */
const measureSync = (): number => {
  const file = openSync(join(folder, 'sync'), 'w')
  const times: number[] = []
  for (let turn = 0; turn < 200; turn += 1) {
    const start = performance.now()
    writeSync(file, Buffer.alloc(16_384))
    fdatasyncSync(file)
    times.push(performance.now() - start)
  }
  return median(times)
}

const startPeers = async (): Promise<Contender[]> => {
  const document = join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify(createOpenApiDocument()))
  const prism = join(installPeer('@stoplight/prism-cli@5'), '.bin/prism')
  const mockoon = join(installPeer('@mockoon/cli@9'), '.bin/mockoon-cli')
  const [prismUrl, mockoonUrl] = ['http://127.0.0.1:41771', 'http://127.0.0.1:41772']
  return [
    await createContender(
      'prism mock',
      await startCommand([prism, 'mock', '-p', '41771', document], prismUrl),
    ),
    await createContender(
      'mockoon',
      await startCommand([mockoon, 'start', '--data', document, '--port', '41772'], mockoonUrl),
    ),
  ]
}

const cluster = await createCluster({ settings: { fsync: 'on' } })
try {
  const contenders = [
    await createContender('bare Hono + zod', await startServerProcess('hono')),
    await createContender('wabakit, in memory', await startServerProcess('memory')),
    await createContender('wabakit, SQLite with fsync', await startServerProcess(join(folder, 'wabakit.db'))),
    await createContender(
      'wabakit, PostgreSQL with fsync',
      await startServerProcess(await cluster.createDatabase()),
    ),
    ...(process.argv.includes('--peers') ? await startPeers() : []),
  ]
  const syncMs = measureSync()
  const measurements = await measureRounds(contenders, { rounds: 15, count })
  const [hono, memory, sqlite, postgres, prism] = measurements
  if (hono === undefined || memory === undefined || sqlite === undefined || postgres === undefined)
    throw new Error('A contender was not measured.')
  const facts = {
    connections,
    fsyncMs: syncMs,
    cpuMicrosecondsEach: Object.fromEntries([...cpu].map(([name, figures]) => [name, median(figures)])),
    memoryAgainstHono: medianRatio(hono, memory),
    sqliteAgainstMemory: medianRatio(memory, sqlite),
    postgresAgainstMemory: medianRatio(memory, postgres),
    ...(prism !== undefined && { memoryAgainstPrism: medianRatio(prism, memory) }),
  }
  report(`Creating a group over HTTP, ${connections} connections`, 'server-create', measurements, facts)
  console.log(facts)
} finally {
  for (const close of opened) close()
  await cluster.remove()
  rmSync(folder, { recursive: true })
}
