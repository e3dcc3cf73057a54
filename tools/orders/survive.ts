import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMock } from 'wabakit/mock'
import { openDatabase } from '../../examples/orders/database.ts'

const server = resolve(import.meta.dirname, '../../examples/orders/server.ts')

const findFreePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** A process that can be killed and started again. */
const createProcess = (env: NodeJS.ProcessEnv) => {
  let child: ChildProcess | undefined
  const output: string[] = []
  return {
    output,
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
    },
    end: async (signal: NodeJS.Signals): Promise<void> => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

type SurviveOptions = {
  /** A SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string
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
 * Kills the order service in a loop while a sender that never retries drops and duplicates some of its requests.
 * Returns counts of the acknowledged events and of the application's final records.
 */
export const survive = async (options: SurviveOptions) => {
  const { database, calls, loadMs, lifeMs, seed = 1, chance = 0.05, recoveryMs = 120_000 } = options
  const mock = await createMock({ port: 0, clock: 'machine', seed })
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
    WABAKIT_WEBHOOK_SECRET: mock.secret,
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
  /** Calls that have a summary. The others never will. */
  const completed = new Map<string, string>()
  const load = async (): Promise<void> => {
    const began = performance.now()
    const simulated: Promise<unknown>[] = []
    for (let call = 0; call < calls; call += 1) {
      const isCompleted = call % 10 !== 0
      const recap = `Recap ${call}`
      const simulate = async () => {
        const summary = isCompleted ? { summary: { recap } } : { outcome: 'no_recording' as const }
        const { callId } = await mock.simulateCall(summary)
        if (isCompleted) completed.set(callId, recap)
      }
      simulated.push(simulate())
      await sleep(Math.max(0, began + ((call + 1) * loadMs) / calls - performance.now()))
    }
    await Promise.all(simulated)
    loading = false
  }

  try {
    await Promise.all([load(), killInALoop()])
    // Waits until every event has been attempted once.
    for (let before = -1; before < mock.deliveries.length; await sleep(1_000)) before = mock.deliveries.length
    await application.end('SIGKILL')
    kills += 1
    await application.start()

    const deliveries = mock.deliveries.filter(({ to }) => to === url)
    const acknowledged = new Set(
      deliveries.flatMap(({ acknowledged, event }) =>
        acknowledged && event !== undefined && 'callId' in event ? [event.callId] : [],
      ),
    )
    const expected = [...completed.keys()].filter((callId) => acknowledged.has(callId))
    const began = performance.now()
    const readSummaries = async (): Promise<readonly { call_id: string; recap: string }[]> =>
      (await fetch(url.replace('webhooks', 'summaries'))).json()
    let summaries = await readSummaries()
    const isMissing = (callId: string) => !summaries.some(({ call_id }) => call_id === callId)
    while (expected.some(isMissing) && performance.now() - began < recoveryMs) {
      await sleep(200)
      summaries = await readSummaries()
    }
    const recoveredMs = Math.round(performance.now() - began)
    await application.end('SIGTERM')

    const opened = await openDatabase(database)
    const failed = await opened.inbox.list({ reason: 'failed' })
    const counts = await opened.inbox.count()
    await opened.close()
    const byWebhook = new Set(
      deliveries.flatMap(({ acknowledged, event }) =>
        acknowledged && event?.event === 'CALL_AI_SUMMARY' ? [event.callId] : [],
      ),
    )
    return {
      calls,
      completed: completed.size,
      requests: deliveries.length,
      acknowledged: deliveries.filter((each) => each.acknowledged).length,
      dropped: deliveries.filter(({ faults }) => faults.includes('drop')).length,
      duplicated: deliveries.filter(({ faults }) => faults.includes('duplicate')).length,
      kills,
      /** Completed calls with at least one acknowledged event. */
      expected: expected.length,
      summaries: summaries.length,
      /** Summaries whose webhook was never acknowledged. */
      fetched: summaries.filter(({ call_id }) => !byWebhook.has(call_id)).length,
      missing: expected.filter(isMissing).length,
      wrong: summaries.filter(({ call_id, recap }) => completed.get(call_id) !== recap).length,
      doubled: summaries.length - new Set(summaries.map(({ call_id }) => call_id)).size,
      failed: failed.length,
      counts,
      recoveredMs,
    }
  } finally {
    loading = false
    await application.end('SIGKILL')
    await mock.close()
  }
}
