import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, unsigned } from '@wabakit/webhooks'
import { createRandom, type Random } from '../../../../tools/torture/random.ts'
import { toEnd, toJoin, toRequest, toSummary } from './environment.ts'

// Kills receivers between two steps, in one process. A step is a statement. A receiver that is killed before or after
// one runs no further statement, its transaction is rolled back, and its responses reach no sender. Everything else is
// the real code on a real SQLite, on virtual time.

type Values = (string | number | null | Uint8Array)[]

/** Wraps a database for a process that is killed before or after one of its statements. */
const createMortal = (
  database: DatabaseSync,
  kill: { readonly step: number; readonly after: boolean } | undefined,
) => {
  let [steps, isDead] = [0, false]
  const die = (): never => {
    if (!isDead && database.isTransaction) database.exec('ROLLBACK')
    isDead = true
    throw new Error('killed')
  }
  const run = <Result>(statement: () => Result): Result => {
    const isLast = steps === kill?.step
    steps += 1
    if (isDead || (isLast && !kill?.after)) return die()
    const result = statement()
    return isLast ? die() : result
  }
  return {
    isDead: () => isDead,
    steps: () => steps,
    database: {
      get isTransaction() {
        return database.isTransaction
      },
      exec: (text: string) => run(() => database.exec(text)),
      prepare: (text: string) => {
        const statement = database.prepare(text)
        return { all: (...values: Values) => run(() => statement.all(...values)) }
      },
    },
  }
}

/** The events that a sender sends once each: two calls and a group, with duplicates of two kinds. */
const events = [
  { id: 'end-a', body: toEnd('a') },
  { id: 'summary-a', body: toSummary('a') },
  { id: 'join-1', body: toJoin('g') },
  { id: 'join-2', body: toJoin('g') },
  { id: 'summary-a-again', body: toSummary('a') },
  { id: 'join-1', body: toJoin('g') },
  { id: 'end-b', body: toEnd('b') },
  { id: 'flaky', body: toJoin('h') },
]

type Options = {
  /** Set if handlers write their effects outside the completion, so that they no longer happen exactly once. */
  readonly outside?: boolean
}

/**
 * Runs one life of an inbox: processes start and are killed, until one survives. Returns missing and duplicate effects.
 */
const live = async (random: Random, kills: Parameters<typeof createMortal>[1][], { outside }: Options) => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE effects (effect text)')
  let time = Date.UTC(2026, 0, 1)
  const acknowledged = new Set<string>()
  const unsent = [...events]
  let killed = 0

  const startProcess = (kill: Parameters<typeof createMortal>[1]) => {
    const mortal = createMortal(database, kill)
    const inbox = sqlInbox(mortal.database, { clock: { now: () => time } })
    let isFlaky = true
    const receiver = createReceiver({ verify: unsigned(), inbox })
      .onAny((event, { delivery, atCompletion }) => {
        if (delivery.id === 'flaky' && isFlaky) {
          isFlaky = false
          throw new Error('flaky')
        }
        const effect = event.event === 'CALL_AI_SUMMARY' ? `summary-${event.callId}` : delivery.id
        const write = (given: { exec(text: string): unknown }) =>
          given.exec(`INSERT INTO effects VALUES ('${effect}')`)
        if (outside) write(mortal.database)
        else atCompletion(write)
      })
      .onError(() => {})
    const send = async ({ id, body }: (typeof events)[number]): Promise<void> => {
      const { status } = await receiver.handle(toRequest(body, id))
      if (status === 200 && !mortal.isDead()) acknowledged.add(id)
    }
    const getSummary = async (callId: string) => ({
      ...toSummary(callId),
      summary: { recap: 'Recap', keyPoints: [], nextSteps: [] },
    })
    /** Sends, handles, and reconciles, until all is done or the process is killed. */
    const work = async (): Promise<void> => {
      while (unsent.length > 0) {
        const batch = unsent.splice(0, random.between(1, 4))
        await Promise.all([...batch.map(send), receiver.drain()])
        if (mortal.isDead()) throw new Error('killed')
      }
      for (let round = 0; round < 2; round += 1) {
        for (;;) {
          const { nextDueAt } = await receiver.drain()
          if (nextDueAt === undefined) break
          if (nextDueAt.getTime() < time) throw new Error('The next entry is due in the past.')
          time = Math.max(time + 1, nextDueAt.getTime())
        }
        time += 600_000
        if (round === 0)
          await receiver.reconcile({ calls: { getSummary } }, { olderThanMs: 600_000, intervalMs: 1 })
      }
    }
    return { work, mortal, receiver }
  }

  let steps = 0
  for (const kill of [...kills, undefined]) {
    const { work, mortal, receiver } = startProcess(kill)
    try {
      await work()
    } catch (error) {
      if (!mortal.isDead()) throw error
      killed += 1
    }
    await receiver.stop({ maxMs: 1 })
    steps = mortal.steps()
    if (!mortal.isDead()) break
  }

  const times = new Map<unknown, number>()
  for (const { effect } of database.prepare('SELECT effect FROM effects').all())
    times.set(effect, (times.get(effect) ?? 0) + 1)
  const expected = new Set([...acknowledged].map((id) => id.replace('-again', '')))
  // Every call with an acknowledged event has its summary.
  for (const id of acknowledged)
    if (/^(?:end|summary)-[ab]/.test(id)) expected.add(`summary-${/-([ab])/.exec(id)?.[1]}`)
  const open = database
    .prepare(
      "SELECT 1 FROM wabakit_inbox WHERE state IN ('stored', 'claimed', 'failed', 'unhandled', 'parked', 'missing')",
    )
    .all().length
  return {
    kills: killed,
    steps,
    acknowledged: acknowledged.size,
    missing: [...expected].filter((effect) => !times.has(effect)),
    doubled: [...times].filter(([, count]) => count > 1).map(([effect]) => effect),
    open,
  }
}

/**
 * Kills receivers before and after every statement of a life, in random order, then at random ones several times per
 * life, until there have been enough kills. Throws when an acknowledged event has no effect, or more than one.
 */
export const simulateKills = async ({
  kills,
  seed,
  ...options
}: Options & { kills: number; seed: number }) => {
  const random = createRandom(seed)
  const total = { lives: 0, kills: 0, acknowledged: 0, steps: (await live(random, [], options)).steps }
  const run = async (deaths: Parameters<typeof live>[1]): Promise<void> => {
    const result = await live(random, deaths, options)
    if (result.missing.length + result.doubled.length + result.open > 0) {
      throw new Error(`Killed at ${JSON.stringify(deaths)}: ${JSON.stringify(result)}`)
    }
    total.lives += 1
    total.kills += result.kills
    total.acknowledged += result.acknowledged
  }
  const points = Array.from({ length: 2 * total.steps }, (_, point) => ({ point, order: random.next() }))
  for (const { point } of points.toSorted((left, right) => left.order - right.order)) {
    if (total.kills >= kills) break
    await run([{ step: Math.floor(point / 2), after: point % 2 === 1 }])
  }
  while (total.kills < kills) {
    const toDeath = () => ({ step: random.between(0, total.steps), after: random.happens(0.5) })
    await run(Array.from({ length: random.between(2, 6) }, toDeath))
  }
  return total
}
