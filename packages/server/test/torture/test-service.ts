import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { calm, flaky } from './behaviors.ts'
import type { Verdict } from './checker.ts'
import { drain } from './drain.ts'
import type { Engine, Role, TestDatabase } from './engine.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { type Load, type LoadReport, startLoad } from './load.ts'
import { createRandom, type Random } from './random.ts'
import { type Recorder, startRecorder } from './recorder.ts'

/** The secret that signs at the start. */
export const firstSecret = `whsec_${Buffer.from('torture torture torture torture!').toString('base64')}`

/** The configuration of every process. */
const settings = {
  port: 0,
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
      apiKeys: [{ key: 'wk_torture_0123456789' }],
    },
  ],
}

export type TestServiceOptions = {
  readonly engine: Engine
  readonly seed: number
  /** The processes. @default those of the engine */
  readonly roles?: readonly Role[] | undefined
  /** Changes the address of the database for the process with the given index. */
  readonly reroute?: ((address: string, index: number) => string) | undefined
  /** A module to preload in the processes. */
  readonly preload?: string | undefined
  /** Environment variables of the processes, in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** Whether the endpoint accepts every attempt. Otherwise it is flaky. */
  readonly isCalm?: boolean | undefined
  /** Number of concurrent requests. */
  readonly width?: number | undefined
}

export type TestResult = Verdict & { readonly load: LoadReport }

/** Server processes under load, with an endpoint that records what arrives. */
export type TestService = {
  readonly random: Random
  readonly database: TestDatabase
  readonly fleet: Fleet
  readonly recorder: Recorder
  /** The ids of the two subscriptions. */
  readonly subscriptionIds: readonly string[]
  /** Calls the control API. Throws if the response is an error. */
  control(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Accepts signatures by a further secret from now on. */
  allowSecret(secret: string): void
  readonly load: Load
  /**
   * Stops the load, waits for the deliveries, stops the processes, and runs the checker.
   *
   * @param options - `drain: false` does not wait for deliveries.
   */
  finish(options?: { readonly drain: boolean }): Promise<TestResult>
  /** Stops everything, and removes the files. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a service, and resolves when it is ready and under load. */
export const startTestService = async (options: TestServiceOptions): Promise<TestService> => {
  await using resources = new AsyncDisposableStack()
  const random = createRandom(options.seed)
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-torture-'))
  resources.defer(() => rmSync(folder, { recursive: true }))
  const files = {
    acknowledged: join(folder, 'acknowledged.jsonl'),
    arrivals: join(folder, 'arrivals.jsonl'),
    intervals: join(folder, 'intervals.jsonl'),
    kills: join(folder, 'kills.jsonl'),
    config: join(folder, 'wabakit.config.json'),
  }
  for (const file of [files.acknowledged, files.arrivals, files.intervals, files.kills])
    writeFileSync(file, '')
  writeFileSync(files.config, JSON.stringify(settings))
  const { engine, preload, environment, reroute = (address) => address } = options
  const database = await engine.createDatabase(folder)
  const recorder = await startRecorder(files, (options.isCalm ? calm : flaky)(random))
  resources.defer(recorder.close)
  const secrets = [firstSecret]
  const fleet = createFleet({
    roles: options.roles ?? engine.roles,
    random,
    config: files.config,
    kills: files.kills,
    addressFor: (name, index) => reroute(database.addressFor(name), index),
    preload,
    environment,
  })

  const control = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${fleet.url()}/_wabakit${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  const check = async (): Promise<Verdict> => {
    const checker = join(import.meta.dirname, 'checker.ts')
    const { acknowledged, arrivals, intervals, kills } = files
    const arguments_ = [
      checker,
      database.address,
      acknowledged,
      arrivals,
      intervals,
      kills,
      secrets.join(','),
    ]
    const { stdout } = await promisify(execFile)(process.execPath, arguments_, { maxBuffer: 2 ** 26 })
    return JSON.parse(stdout)
  }
  const endAll = (signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown> =>
    Promise.all(fleet.members.map((member) => member.end(signal)))

  resources.defer(async () => void (await endAll('SIGKILL')))
  await Promise.all(fleet.members.map((member) => member.start()))
  await database.prepare()
  const subscriptionIds: string[] = []
  for (const [channel, number] of [
    ['WHATSAPP', '+15550100001'],
    ['PSTN', '+15550100002'],
  ]) {
    const subscription = { channel, number, url: `${recorder.url}/${channel}`, secret: firstSecret }
    const created = await control('POST', '/organizations/torture/subscriptions', subscription)
    subscriptionIds.push(String(created.id))
  }
  const load = startLoad({ file: files.acknowledged, random, url: fleet.url, width: options.width ?? 12 })
  resources.defer(async () => void (await load.stop()))
  const all = resources.move()

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
      if (isWaitedFor) await drain({ control, recorder, database, fleet })
      await endAll('SIGTERM')
      return { ...(await check()), load: report }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
