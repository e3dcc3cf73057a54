import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMock } from 'wabakit/mock'
import { openDatabase } from '../../examples/orders/database.ts'
import { findFreePort } from '../../packages/server/test/free-port.ts'
import { type Call, check, countImpatient, findExpected } from './check.ts'

const server = resolve(import.meta.dirname, '../../examples/orders/server.ts')

/** A process that can be killed and started again. */
const createProcess = (env: NodeJS.ProcessEnv) => {
  let child: ChildProcess | undefined
  let running = Promise.withResolvers<void>()
  const output: string[] = []
  return {
    output,
    /** Resolves when it accepts requests. */
    isRunning: (): Promise<void> => running.promise,
    start: async (): Promise<void> => {
      const started = spawn(process.execPath, ['--conditions=@wabakit/source', '--no-warnings', server], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk) => output.push(String(chunk)))
      const ended = once(started, 'exit').then(() => {
        throw new Error(`The application ended:\n${output.join('')}`)
      })
      ended.catch(() => {})
      await Promise.race([once(started.stdout, 'data'), ended])
      running.resolve()
    },
    end: async (signal: NodeJS.Signals): Promise<void> => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      running = Promise.withResolvers()
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

type SurviveOptions = {
  /** A SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string
  /** `live`: the sender does not sign, gives no ids, and has no summaries of WhatsApp calls. */
  readonly profile: 'live' | 'reference'
  readonly calls: number
  /** Time over which the calls are spread, in milliseconds. */
  readonly loadMs: number
  /** Shortest and longest life of a process, in milliseconds. */
  readonly lifeMs: readonly [number, number]
  readonly seed?: number
  /** Fraction of the requests that are lost, and of those that are duplicated. */
  readonly chance?: number
  /** Maximum time until everything is handled after the last kill, in milliseconds. */
  readonly recoveryMs?: number
}

/**
 * Of ten calls, nine are answered and eight have a summary. Five are WhatsApp calls, four of which ring at agents who do
 * not answer.
 */
const toSimulation = (call: number) => {
  const index = call % 10
  const recap = `Recap ${call}`
  const [channel, notPicked] =
    index % 2 === 1 ? (['WHATSAPP', (index - 1) / 2] as const) : (['PSTN', 0] as const)
  if (index === 0) return { channel, notPicked, outcome: 'no_recording' } as const
  if (index === 9) return { channel, notPicked, outcome: 'missed' } as const
  return { channel, notPicked, summary: { recap } } as const
}

const tagAdded = {
  tagId: 'tag_1',
  tagName: 'VIP',
  from: '+15550100143',
  channelType: 'WHATSAPP',
  tagAdded: true,
}

/**
 * Kills the order service in a loop while a sender that never retries drops and duplicates some of its requests.
 * Returns counts of the acknowledged events, of the application's final records, and of mistakes.
 */
export const survive = async (options: SurviveOptions) => {
  const { database, profile, calls: count, loadMs, lifeMs, seed = 1 } = options
  const { chance = 0.05, recoveryMs = 120_000 } = options
  const token = 'example-token-of-16-bytes'
  const webhookAuth = profile === 'live' ? { webhookAuth: { urlToken: token } } : {}
  const mock = await createMock({ port: 0, clock: 'machine', seed, profile, ...webhookAuth })
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}/webhooks`
  await mock.subscribe({ url, secret: mock.secret })
  mock.faults.deliveries.neverRetry()
  mock.faults.deliveries.drop('*', { times: 'always', chance })
  mock.faults.deliveries.duplicate('*', { times: 'always', chance })
  const application = createProcess({
    DATABASE: database,
    PORT: `${port}`,
    WABA_NUMBER: mock.wabaNumber,
    WABAKIT_BASE_URL: mock.url,
    WABAKIT_API_KEY: mock.apiKey,
    ...(profile === 'live' ? { WEBHOOK_TOKEN: token } : { WABAKIT_WEBHOOK_SECRET: mock.secret }),
    RECONCILE_AFTER_MS: '2000',
    RECONCILE_INTERVAL_MS: '50',
  })

  let loading = true
  let kills = 0
  const killInALoop = async (): Promise<void> => {
    const [shortest, longest] = lifeMs
    while (loading) {
      await application.start()
      await sleep(shortest + Math.random() * (longest - shortest))
      if (!loading) return
      await application.end('SIGKILL')
      kills += 1
    }
  }
  const calls = new Map<string, Call>()
  const load = async (): Promise<void> => {
    let began = performance.now()
    const simulated: Promise<unknown>[] = []
    for (let call = 0; call < count; call += 1) {
      const simulation = toSimulation(call)
      // On a busy machine, the application is down nearly all the time, so half of the calls wait for it.
      if (call % 2 === 1) {
        const waitedFrom = performance.now()
        await application.isRunning()
        began += performance.now() - waitedFrom
      }
      const simulate = async () => {
        const { callId } = await mock.simulateCall(simulation)
        calls.set(callId, { channel: simulation.channel, recap: simulation.summary?.recap })
        if (call % 10 === 0) await mock.trigger(tagAdded)
      }
      simulated.push(simulate())
      await sleep(Math.max(0, began + ((call + 1) * loadMs) / count - performance.now()))
    }
    await Promise.all(simulated)
    loading = false
  }

  try {
    await Promise.all([load(), killInALoop()])
    // Waits until every event has been attempted.
    const { organizationId, server: sender } = mock
    const unfinished = { statuses: ['waiting', 'pending', 'attempting'], limit: 1 } as const
    while ((await sender.deliveries.list(organizationId, unfinished)).items.length > 0) await sleep(100)
    await application.end('SIGKILL')
    kills += 1
    await application.start()

    const requests = mock.deliveries.filter(({ to }) => to === url)
    const sent = { mock, requests, calls }
    const expected = findExpected(sent)
    const opened = await openDatabase(database)
    try {
      const began = performance.now()
      const isRecovering = async (): Promise<boolean> => {
        const { stored = 0, claimed = 0, failed = 0 } = await opened.inbox.count()
        if (stored + claimed + failed > 0 || (await countImpatient(sent, opened)) > 0) return true
        const summaries = new Set(
          (await opened.query('SELECT call_id FROM summaries')).map((row) => row.call_id),
        )
        return !expected.every((callId) => summaries.has(callId))
      }
      while ((await isRecovering()) && performance.now() - began < recoveryMs) await sleep(200)
      const recoveredMs = Math.round(performance.now() - began)
      await application.end('SIGTERM')
      return {
        calls: calls.size,
        requests: requests.length,
        dropped: requests.filter(({ faults }) => faults.includes('drop')).length,
        duplicated: requests.filter(({ faults }) => faults.includes('duplicate')).length,
        kills,
        ...(await check(sent, { database: opened, kills })),
        counts: await opened.inbox.count(),
        recoveredMs,
      }
    } finally {
      await opened.close()
    }
  } finally {
    loading = false
    await application.end('SIGKILL')
    await mock.close()
  }
}
