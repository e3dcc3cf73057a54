import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { calm, flaky } from './behaviors.ts'
import type { Verdict } from './checker.ts'
import { type Control, drain } from './drain.ts'
import type { Engine, EnvironmentDatabase, Role } from './engine.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { type Load, type LoadReport, startLoad, wabaNumbers } from './load.ts'
import { createRandom, type Random } from './random.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { watchFleet } from './watchdog.ts'

/** The first signing secret. */
export const firstSecret = `whsec_${Buffer.from('torture torture torture torture!').toString('base64')}`

/** The configuration of every process. What it omits has its default, as in production. */
const settings = {
  port: 0,
  deliveryConcurrency: 64,
  deliveryConcurrencyPerSubscription: 32,
  // The limiter works as in production, including the buckets of busy keys. Only its limits are higher: if
  // all clients together were limited to ten requests per second, faults would interrupt almost nothing.
  rateLimitPerOrganization: 1_000_000,
  rateLimitPerKey: 1_000_000,
  organizations: [
    {
      id: 'torture',
      integrations: wabaNumbers.map((wabaNumber) => ({ wabaNumber })),
      pstnNumbers: ['+15550100002'],
      callSummaries: 'manual',
      apiKeys: [{ key: 'wk_torture_0123456789' }],
    },
  ],
}

/** Options for {@link createEnvironment}. */
export type EnvironmentOptions = {
  readonly engine: Engine
  readonly seed: number
  /** The roles of the processes. @default the engine's roles */
  readonly roles?: readonly Role[] | undefined
  /** Changes the database address for the process with this index. */
  readonly reroute?: ((address: string, place: number) => string) | undefined
  /** Path of a module that the processes load. */
  readonly preload?: string | undefined
  /** Additional environment variables of the processes. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /**
   * Set if the endpoint accepts every attempt and clients pause between requests. Otherwise, the endpoint is flaky and
   * clients do not pause.
   */
  readonly isCalm?: boolean | undefined
  /** Number of concurrent requests. */
  readonly width?: number | undefined
}

/** The result of an environment. */
export type EnvironmentResult = Verdict & {
  readonly load: LoadReport
  /** Processes that did not respond in time. */
  readonly silent: readonly string[]
}

/** A service under load, and an endpoint that records webhooks. */
export type Environment = {
  readonly random: Random
  readonly database: EnvironmentDatabase
  readonly fleet: Fleet
  readonly recorder: Recorder
  /** Ids of the subscriptions. */
  readonly subscriptionIds: readonly string[]
  readonly control: Control
  /** Adds a valid signing secret. */
  allowSecret(secret: string): void
  readonly load: Load
  /**
   * Stops the load, waits for deliveries, stops the processes, and runs the checker.
   *
   * @param options - `drain: false` does not wait for deliveries.
   */
  finish(options?: { readonly drain: boolean }): Promise<EnvironmentResult>
  /** Ends all processes and removes the files. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an environment. Resolves when its processes are ready and under load. */
export const createEnvironment = async (options: EnvironmentOptions): Promise<Environment> => {
  await using made = new AsyncDisposableStack()
  const random = createRandom(options.seed)
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-torture-'))
  made.defer(() => rmSync(folder, { recursive: true }))
  const files = {
    acknowledged: join(folder, 'acknowledged.jsonl'),
    arrivals: join(folder, 'arrivals.jsonl'),
    attempts: join(folder, 'attempts.jsonl'),
    ends: join(folder, 'ends.jsonl'),
    config: join(folder, 'wabakit.config.json'),
  }
  for (const file of [files.acknowledged, files.arrivals, files.attempts, files.ends]) writeFileSync(file, '')
  writeFileSync(files.config, JSON.stringify(settings), { mode: 0o600 })
  const { engine, preload, environment, isCalm = false, width = 12, reroute = (address) => address } = options
  const database = await engine.createDatabase(folder)
  const recorder = await startRecorder(files.arrivals, (isCalm ? calm : flaky)(random))
  made.defer(recorder.close)
  const secrets = [firstSecret]
  const fleet = createFleet({
    roles: options.roles ?? engine.roles,
    random,
    config: files.config,
    attempts: files.attempts,
    ends: files.ends,
    logs: folder,
    addressFor: (name, place) => reroute(database.addressFor(name), place),
    preload,
    environment,
  })

  const control: Control = async (method, path, body) => {
    const response = await fetch(`${fleet.url()}/_wabakit${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? {} : response.json()
  }

  const check = async (): Promise<Verdict> => {
    const checker = join(import.meta.dirname, 'checker.ts')
    const { acknowledged, arrivals, attempts, ends } = files
    const arguments_ = [checker, database.address, acknowledged, arrivals, attempts, ends, secrets.join(',')]
    const { stdout } = await promisify(execFile)(process.execPath, arguments_, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout)
  }
  const endAll = (signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown> =>
    Promise.all(fleet.members.map((member) => member.end(signal)))

  made.defer(async () => void (await endAll('SIGKILL')))
  await Promise.all(fleet.members.map((member) => member.start()))
  const watchdog = watchFleet(fleet)
  made.defer(async () => void (await watchdog.stop()))
  const subscriptionIds: string[] = []
  const numbers = [...wabaNumbers.map((number) => ['WHATSAPP', number]), ['PSTN', '+15550100002']]
  for (const [channel, number] of numbers) {
    const subscription = { channel, number, url: `${recorder.url}/${channel}`, secret: firstSecret }
    const made = await control('POST', '/organizations/torture/subscriptions', subscription)
    subscriptionIds.push(String(made.id))
  }
  const load = startLoad({ file: files.acknowledged, random, url: fleet.readyUrl, width, isCalm })
  made.defer(async () => void (await load.stop()))
  const all = made.move()

  return {
    random,
    database,
    fleet,
    recorder,
    subscriptionIds,
    control,
    allowSecret: (secret) => secrets.push(secret),
    load,
    finish: async ({ drain: isWaitedFor } = { drain: true }) => {
      const report = await load.stop()
      if (isWaitedFor) await drain(control)
      const silent = await watchdog.stop()
      await endAll('SIGTERM')
      return { ...(await check()), load: report, silent }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
