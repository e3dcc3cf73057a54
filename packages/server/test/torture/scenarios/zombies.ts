import { setTimeout } from 'node:timers/promises'
import type { Member } from '../fleet.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { type Ordeal, scenarioOf } from '../scenario.ts'
import type { World } from '../world.ts'

const leaseMs = 60_000
/** Longest time for what should take a moment. */
const patienceMs = 20_000

/** How many results of a worker came too late: another had taken the delivery over. */
const countStale = async (worker: Member): Promise<number> => {
  const metrics = await (await fetch(`${worker.url()}/metrics`)).text()
  return Number(/^wabakit_delivery_attempts_total\{outcome="stale"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}

/** Resolves with whether something came true in time. */
const comesTrue = async (isTrue: () => Promise<boolean>): Promise<boolean> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; await setTimeout(50)) {
    if (await isTrue()) return true
  }
  return false
}

/** Pauses a worker in the midst of attempts, and resolves with how many deliveries it had claimed. */
const pauseAtWork = async ({ random, database }: World, worker: Member): Promise<number> => {
  for (;;) {
    await setTimeout(random.between(20, 300))
    worker.pause()
    // What it asked the database for last may still be done.
    await setTimeout(50)
    const claims = await database.countClaims(worker.name())
    if (claims > 0) return claims
    worker.resume()
  }
}

/**
 * A worker is paused in the midst of attempts, for longer than its lease: others take over what it had claimed. When it
 * goes on, its results come too late, and count for nothing.
 */
export const pause: Ordeal<PostgresEngine> = async (world, { isCalm, times, progress }) => {
  const { fleet, database } = world
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    const worker = fleet.pick('worker')
    const before = await countStale(worker)
    const claims = await pauseAtWork(world, worker)
    // In the long form, once, it is the minute itself that passes.
    if (round === 1 && !isCalm) await setTimeout(leaseMs)
    else await database.endLeases(worker.name())
    if (!(await comesTrue(async () => (await database.countClaims(worker.name())) === 0))) {
      failures.push(`of ${claims} claims some were not taken over`)
    }
    worker.resume()
    if (!(await comesTrue(async () => (await countStale(worker)) - before >= claims))) {
      failures.push(`of ${claims} late results only ${(await countStale(worker)) - before} were stale`)
    }
    progress(`${round} of ${times} pauses`)
  }
  return failures
}

/** Zombies. */
export const zombies = scenarioOf(pause, { done: 'pauses' })
