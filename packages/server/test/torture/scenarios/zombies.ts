import { setTimeout } from 'node:timers/promises'
import { after, flaky } from '../behaviors.ts'
import type { Environment } from '../environment.ts'
import type { Member } from '../fleet.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { createScenario, type Ordeal } from '../scenario.ts'

const leaseMs = 60_000
/** Longest time for what should take a moment. */
const patienceMs = 20_000

/** How many results of a worker came too late: another had taken the delivery over. */
const countStale = async (worker: Member): Promise<number> => {
  const metrics = await (await fetch(`${worker.url()}/metrics`)).text()
  return Number(/^wabakit_delivery_attempts_total\{outcome="stale"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}

/** How many deliveries others have taken over from a worker. */
const countTakenOver = async ({ database }: Environment, worker: Member): Promise<number> => {
  const sql = `SELECT count(*)::integer AS taken FROM (
    SELECT lag(process) OVER (PARTITION BY event ORDER BY position) AS holder, lease_left_ms
    FROM torture.claims WHERE kind = 'claimed'
  ) AS claim WHERE holder = $1 AND lease_left_ms IS NOT NULL`
  const [row] = await runSql(database.address, sql, [worker.name()])
  return Number(row?.taken)
}

/** Resolves with whether something came true in time. */
const comesTrue = async (isTrue: () => Promise<boolean>): Promise<boolean> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; await setTimeout(50)) {
    if (await isTrue()) return true
  }
  return false
}

/** Pauses a worker during attempts. */
const pauseAtWork = async ({ random, database }: Environment, worker: Member): Promise<void> => {
  for (;;) {
    await setTimeout(random.between(20, 300))
    worker.pause()
    // What it asked the database for last may still be done.
    await setTimeout(50)
    if ((await database.countClaims(worker.name())) > 0) return
    worker.resume()
  }
}

/**
 * Pauses a worker during slow attempts: after a long pause, it does not wait any more for claims that it asked for right
 * before, and never attempts them.
 */
const pauseForLong = async (environment: Environment, worker: Member): Promise<void> => {
  const { random, recorder } = environment
  recorder.behave(after(1_000))
  await setTimeout(500)
  await pauseAtWork(environment, worker)
  recorder.behave(flaky(random))
  await setTimeout(leaseMs)
}

/**
 * A worker is paused during attempts, for longer than its lease: others take over what it had claimed. When it
 * goes on, its results come too late, and count for nothing.
 */
export const pause: Ordeal<PostgresEngine> = async (environment, { isCalm, times, progress }) => {
  const { fleet, database } = environment
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    const worker = fleet.pick('worker')
    const stale = await countStale(worker)
    const takenOver = await countTakenOver(environment, worker)
    // In the long form, once, it is the minute itself that passes.
    const isWaitedFor = round === 1 && !isCalm
    await (isWaitedFor ? pauseForLong : pauseAtWork)(environment, worker)
    const isReplaced = async (): Promise<boolean> => {
      if (!isWaitedFor) await database.endLeases(worker.name())
      return (await database.countClaims(worker.name())) === 0
    }
    if (!(await comesTrue(isReplaced))) {
      failures.push(`pause ${round}: some claims were not taken over`)
    }
    const late = (await countTakenOver(environment, worker)) - takenOver
    worker.resume()
    const least = isWaitedFor ? 1 : late
    if (!(await comesTrue(async () => (await countStale(worker)) - stale >= least))) {
      failures.push(
        `pause ${round}: of ${late} late results only ${(await countStale(worker)) - stale} were stale`,
      )
    }
    progress(`${round} of ${times} pauses`)
  }
  return failures
}

/** Zombies. */
export const zombies = createScenario(pause, { done: 'pauses' })
