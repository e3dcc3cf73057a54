import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { calm, flaky } from './behaviours.ts'
import type { Verdict } from './checker.ts'
import { type LoadReport, startLoad } from './load.ts'
import { createRandom, type Random } from './random.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** A secret that signs from the start. */
export const firstSecret = `whsec_${Buffer.from('torture torture torture torture!').toString('base64')}`

/** What a world is made of. */
export type WorldOptions = {
  readonly seed: number
  /** Makes the database that the server gets; a SQLite file when omitted. */
  readonly database?: string | undefined
  /** A module for the server's process. */
  readonly preload?: string | undefined
  /** Variables of the server's process, besides those of this one. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** The endpoint answers every attempt; else it is flaky. */
  readonly isCalm?: boolean | undefined
  /** How many requests are under way at the same time. */
  readonly width?: number | undefined
}

/** What came of a world. */
export type WorldResult = Verdict & { readonly load: LoadReport }

/** A server under load, with an endpoint that records. */
export type World = {
  readonly random: Random
  readonly database: string
  readonly recorder: Recorder
  /** Ids of the two subscriptions. */
  readonly subscriptionIds: readonly string[]
  readonly url: () => string
  /** The server's process as it is now. */
  readonly server: () => ServerProcess
  /** Asks the preloaded module of the server's process something. */
  ask(question: string): Promise<number>
  /** Starts the server again, after it was ended; resolves when it is ready. */
  restart(): Promise<void>
  /** Starts it, and does not wait. */
  startAgain(): ServerProcess
  /** Calls the control API; throws unless it succeeds. */
  control(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Lets secrets sign from now on, besides those before. */
  allowSecret(secret: string): void
  /** Ends the load. */
  rest(): Promise<LoadReport>
  /**
   * Ends the load, lets everything be delivered, stops the server, and has it all checked.
   *
   * @param options - `drain: false` does not wait for deliveries.
   */
  finish(options?: { readonly drain: boolean }): Promise<WorldResult>
  /** Ends whatever runs, and removes the files. */
  [Symbol.asyncDispose](): Promise<void>
}

const drainMs = 120_000

/** Makes a world whose server is ready and under load. */
export const createWorld = async (options: WorldOptions): Promise<World> => {
  const random = createRandom(options.seed)
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-torture-'))
  const files = {
    acknowledged: join(folder, 'acknowledged.jsonl'),
    arrivals: join(folder, 'arrivals.jsonl'),
    config: join(folder, 'wabakit.config.json'),
  }
  for (const file of [files.acknowledged, files.arrivals]) writeFileSync(file, '')
  const database = options.database ?? join(folder, 'wabakit.db')
  const recorder = await startRecorder(files.arrivals, (options.isCalm ? calm : flaky)(random))
  const secrets = [firstSecret]
  let url = ''

  const config = {
    port: 0,
    database,
    logLevel: 'silent',
    deliveryConcurrency: 64,
    deliveryConcurrencyPerSubscription: 32,
    rateLimitPerOrganization: 0,
    rateLimitPerKey: 0,
    organizations: [
      {
        id: 'torture',
        integrations: [{ wabaNumber: '+15550100001' }],
        pstnNumbers: ['+15550100002'],
        callSummaries: 'manual',
        apiKeys: [{ key: 'wk_torture' }],
      },
    ],
  }
  const control = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/_wabakit${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  const isUnsettled = async (status: string): Promise<boolean> => {
    const page = await control('GET', `/organizations/torture/deliveries?status=${status}&limit=1`)
    return JSON.stringify(page).includes('"id"')
  }
  const drain = async (): Promise<void> => {
    const end = Date.now() + drainMs
    while (Date.now() < end) {
      const unsettled = await Promise.all(['waiting', 'pending', 'claimed'].map(isUnsettled))
      if (!unsettled.includes(true)) return
      await setTimeout(100)
    }
  }
  const check = async (): Promise<Verdict> => {
    const checker = join(import.meta.dirname, 'checker.ts')
    const arguments_ = [checker, database, files.acknowledged, files.arrivals, secrets.join(',')]
    const { stdout } = await promisify(execFile)(process.execPath, arguments_, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout)
  }

  const { preload, environment } = options
  const command = { config: files.config, preload, environment }
  writeFileSync(files.config, JSON.stringify(config))
  let server = startServerProcess(command)
  url = await server.ready
  const subscriptionIds: string[] = []
  for (const [channel, number] of [
    ['WHATSAPP', '+15550100001'],
    ['PSTN', '+15550100002'],
  ]) {
    const subscription = { channel, number, url: `${recorder.url}/${channel}`, secret: firstSecret }
    const made = await control('POST', '/organizations/torture/subscriptions', subscription)
    subscriptionIds.push(String(made.id))
  }
  const startAgain = (): ServerProcess => {
    server = startServerProcess(command)
    return server
  }
  const restart = async (): Promise<void> => {
    url = await startAgain().ready
  }
  const load = startLoad({ file: files.acknowledged, random, url: () => url, width: options.width ?? 12 })

  return {
    random,
    database,
    recorder,
    subscriptionIds,
    url: () => url,
    server: () => server,
    ask: (question) => server.ask(question),
    startAgain,
    restart,
    control,
    allowSecret: (secret) => secrets.push(secret),
    rest: load.stop,
    finish: async ({ drain: isDrained } = { drain: true }) => {
      const report = await load.stop()
      if (isDrained) await drain()
      await server.end('SIGTERM')
      return { ...(await check()), load: report }
    },
    [Symbol.asyncDispose]: async () => {
      await load.stop()
      await server.end('SIGKILL')
      await recorder.close()
      rmSync(folder, { recursive: true })
    },
  }
}
