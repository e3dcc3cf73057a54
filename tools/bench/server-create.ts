import { spawn } from 'node:child_process'
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenApiDocument } from '@wabakit/contract/documents'
import { createCluster } from '../../packages/server/test/postgres-cluster.ts'
import { startChild } from './src/commands.ts'
import { readCpuTime } from './src/cpu-time.ts'
import { createHttpLoad } from './src/http-load.ts'
import { installPeer } from './src/install-peer.ts'
import { type Contender, findRow, measure } from './src/measure.ts'
import { type Goal, publish } from './src/result.ts'

// `--peers` adds prism and mockoon, and installs them if necessary.
const connections = 64
const folder = mkdtempSync(join(tmpdir(), 'wabakit-bench-'))
const opened: Array<() => void> = []
const names = {
  node: 'bare node:http + zod',
  hono: 'bare Hono + zod',
  memory: 'wabakit, in memory',
  sqlite: 'wabakit, SQLite with fsync',
  postgres: 'wabakit, PostgreSQL with fsync',
  fsync: 'write 16 KiB + fdatasync',
  prism: 'prism mock',
}
const request = {
  headers: { authorization: 'wk_bench_0123456789', 'content-type': 'application/json' },
  body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Launch', description: 'Everyone who helps.' }),
}

const createContender = (name: string, url: string, pid: number): Contender => {
  const load = createHttpLoad({ ...request, url: `${url}/whatsapp/wa-group/create` }, connections)
  opened.push(load.close)
  const floor = name === names.node || name === names.hono ? undefined : names.hono
  return { name, floor, prepare: load.connect, run: load.run, readCpu: () => readCpuTime(pid) }
}

const startServer = async (name: string, argument: string): Promise<Contender> => {
  const child = await startChild(import.meta.resolve('./src/server-process.ts'), argument)
  opened.push(child.close)
  return createContender(name, child.readyMessage, child.pid)
}

/** Runs a command that starts a server, and waits until the server responds. */
const startPeer = async (name: string, command: readonly string[], port: number): Promise<Contender> => {
  const [file = '', ...options] = command
  const child = spawn(file, options, { stdio: 'ignore' })
  opened.push(() => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + 60_000
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${name} did not start.`)
    await new Promise((done) => setTimeout(done, 100))
  }
  return createContender(name, url, child.pid ?? 0)
}

const startPeers = async (): Promise<Contender[]> => {
  const document = join(folder, 'openapi.json')
  writeFileSync(document, JSON.stringify(createOpenApiDocument()))
  const prism = join(installPeer('@stoplight/prism-cli@5'), '.bin/prism')
  const mockoon = join(installPeer('@mockoon/cli@9'), '.bin/mockoon-cli')
  return [
    await startPeer(names.prism, [prism, 'mock', '-p', '41771', document], 41_771),
    await startPeer('mockoon', [mockoon, 'start', '--data', document, '--port', '41772'], 41_772),
  ]
}

const syncFile = openSync(join(folder, 'sync'), 'w')
const bytes = Buffer.alloc(16_384)
/** The minimum work of SQLite: all connections can share one commit, which needs one fsync. */
const fsync: Contender = {
  name: names.fsync,
  run: (count) => {
    const turns = Math.ceil(count / connections)
    const start = performance.now()
    for (let turn = 0; turn < turns; turn += 1) {
      writeSync(syncFile, bytes)
      fdatasyncSync(syncFile)
    }
    return { time: ((performance.now() - start) * 1_000) / turns }
  },
}

const cluster = await createCluster({ settings: { fsync: 'on' } })
try {
  const contenders = [
    await startServer(names.node, 'node'),
    await startServer(names.hono, 'hono'),
    await startServer(names.memory, 'memory'),
    await startServer(names.sqlite, join(folder, 'wabakit.db')),
    await startServer(names.postgres, await cluster.createDatabase()),
    fsync,
    ...(process.argv.includes('--peers') ? await startPeers() : []),
  ]
  const rows = await measure(contenders, { rounds: 15, count: 2_000 })
  const getTime = (name: string): number => findRow(rows, name).time
  const allowed = getTime(names.memory) + getTime(names.fsync) / connections
  const goals: Goal[] = [
    {
      id: 'P4',
      what: 'create in memory, relative to bare Hono + zod',
      result: findRow(rows, names.memory).ofFloor ?? NaN,
      limit: { atLeast: 0.65 },
    },
    {
      id: 'P4',
      what: 'create on SQLite, relative to what fsync and memory allow',
      result: allowed / getTime(names.sqlite),
      limit: { atLeast: 0.9 },
    },
  ]
  if (rows.some(({ name }) => name === names.prism))
    goals.push({
      id: 'P4',
      what: 'create in memory, relative to prism',
      result: getTime(names.prism) / getTime(names.memory),
      limit: { atLeast: 10 },
    })
  publish({
    name: 'server-create',
    title: 'Creating a group over HTTP',
    about: `Requests over ${connections} connections. The floors check an API key and a schema, and fill a map. CPU time is the time of the
server. SQLite and PostgreSQL sync each creation before the response. ${connections} concurrent creations can share a commit, so disk
and CPU allow one creation every ${allowed.toFixed(0)} µs on SQLite: the time in memory, plus a ${connections}th of the time of an fdatasync. Add
\`--peers\` for prism and mockoon.`,
    unit: 'per second',
    rows,
    goals,
  })
} finally {
  for (const close of opened) close()
  await cluster.remove()
  rmSync(folder, { recursive: true })
}
