import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { createRandom } from '../../../../tools/torture/random.ts'
import { joined, secret, signed } from '../signed.ts'

/** Bundles the receiver's process into a folder, so that it starts three times as fast. Returns its path. */
export const bundleReceiver = async (folder: string): Promise<string> => {
  const outfile = join(folder, 'receiver.mjs')
  await build({
    entryPoints: [resolve(import.meta.dirname, 'receiver-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@wabakit/source'],
    external: ['pg-native'],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url)" },
  })
  return outfile
}

/** Starts a receiver, and waits until it is listening. */
const startReceiver = async (script: string, env: NodeJS.ProcessEnv) => {
  const child = spawn(process.execPath, ['--no-warnings', script], {
    env: { ...process.env, ...env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [port] = await Promise.race([once(child.stdout, 'data'), exited.then(() => [])])
  if (port === undefined) throw new Error(`The receiver ended:\n${errors}`)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    const [code, by] = await exited
    if (code !== 0 && by !== 'SIGKILL') throw new Error(`The receiver ended:\n${errors}`)
  }
  return { url: `http://127.0.0.1:${String(port).trim()}/`, end }
}

const readEffects = async (database: string): Promise<readonly Record<string, unknown>[]> => {
  const text = 'SELECT effect FROM effects'
  if (database.startsWith('mysql')) {
    const connection = await createConnection(database)
    const [rows] = await connection.query<RowDataPacket[]>(text)
    await connection.end()
    return rows
  }
  if (!database.startsWith('postgres')) {
    using file = new DatabaseSync(database)
    return file.prepare(text).all()
  }
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

type KillOptions = {
  /** Path of the bundled receiver. */
  readonly script: string
  /** A SQLite file, or the URL of a database of PostgreSQL, MySQL or MariaDB. */
  readonly database: string
  readonly seed: number
  /** Number of kills after which to stop. */
  readonly kills: number
  /** Time after which to stop in any case. */
  readonly maxMs?: number
}

/** Maximum number of events that are sent to one process before it is killed. */
const maxSent = 60

/**
 * Kills a receiver with an inbox repeatedly, while a sender that never retries drops 5% of its requests and sends 5%
 * twice. Returns the number of events that got a 200, and of effects that are missing or duplicated.
 */
export const killReceiver = async (options: KillOptions) => {
  const { script, database, seed, maxMs = Number.POSITIVE_INFINITY } = options
  const random = createRandom(seed)
  const env = { DATABASE: database, NODE_COMPILE_CACHE: join(dirname(script), 'cache') }
  const acknowledged = new Set<string>()
  const counts = { sent: 0, dropped: 0, duplicated: 0, kills: 0 }

  /** Sends an event. A request that gets no response is lost. */
  const send = async (url: string, id: string): Promise<void> => {
    const event = { ...joined, groupId: `g-${random.between(0, 200)}` }
    if (random.happens(0.05)) {
      counts.dropped += 1
      return
    }
    const copies = random.happens(0.05) ? 2 : 1
    counts.duplicated += copies - 1
    const request = await signed(event, { id })
    const post = async (): Promise<void> => {
      try {
        const { status } = await fetch(url, request)
        if (status === 200) acknowledged.add(id)
      } catch {
        // The receiver was killed.
      }
    }
    await Promise.all(Array.from({ length: copies }, post))
  }

  const began = performance.now()
  while (counts.kills < options.kills && performance.now() - began < maxMs) {
    const receiver = await startReceiver(script, env)
    const until = counts.sent + random.between(1, maxSent)
    const sendUntil = async (): Promise<void> => {
      while (counts.sent < until) {
        counts.sent += 1
        await send(receiver.url, `msg_${counts.sent}`)
      }
    }
    const senders = Array.from({ length: 4 }, sendUntil)
    // The requests of the others are still under way.
    await Promise.race(senders)
    await sleep(random.between(0, 20))
    await receiver.end('SIGKILL')
    counts.kills += 1
    await Promise.all(senders)
  }
  const last = await startReceiver(script, env)
  await last.end('SIGTERM')

  const times = new Map<unknown, number>()
  for (const { effect } of await readEffects(database)) times.set(effect, (times.get(effect) ?? 0) + 1)
  return {
    ...counts,
    acknowledged: acknowledged.size,
    missing: [...acknowledged].filter((id) => !times.has(id)).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
  }
}
