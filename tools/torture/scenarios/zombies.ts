import { setTimeout } from 'node:timers/promises'
import { calm, createHold } from '../behaviors.ts'
import { comesTrue } from '../comes-true.ts'
import type { Environment } from '../environment.ts'
import type { Member } from '../fleet.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { createScenario, type Ordeal } from '../scenario.ts'

/** Number of running attempts at which every worker has some. */
const busy = 24

/** Counts a worker's results that came too late because another worker had taken over the shard. */
const countStale = async (worker: Member): Promise<number> => {
  const metrics = await (await fetch(`${worker.url()}/metrics`)).text()
  return Number(/^wabakit_delivery_attempts_total\{outcome="stale"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}

const findOwner = `SELECT l.process FROM torture.log l JOIN wabakit.shards h ON h.owner = l.owner
  WHERE h.shard = (SELECT wabakit.shard_of(position) FROM wabakit.subscriptions ORDER BY position LIMIT 1) LIMIT 1`

/** Returns a worker that has work. */
const findBusyWorker = async ({ database, fleet }: Environment): Promise<Member> => {
  const [row] = await runSql(database.address, findOwner)
  return fleet.members.find((member) => member.name() === row?.process) ?? fleet.pick('worker')
}

/** SQL that ends a process's lease, as if its time had passed. */
const endLease = `UPDATE wabakit.workers SET expires_at = wabakit.clock_ms()
  WHERE id IN (SELECT owner FROM torture.log WHERE process = $1)`

type Pause = { readonly round: number; readonly isCalm: boolean | undefined }

/** Pauses a worker once. Returns the problems; `undefined` if the worker had no late result. */
const pauseOnce = async (
  environment: Environment,
  { round, isCalm }: Pause,
): Promise<readonly string[] | undefined> => {
  const { database, recorder, random } = environment
  await comesTrue(async () => (await database.countShards((await findBusyWorker(environment)).name())) > 0)
  const hold = createHold()
  recorder.behave(hold.behavior)
  await comesTrue(async () => recorder.open() >= busy)
  const worker = await findBusyWorker(environment)
  const stale = await countStale(worker)
  worker.pause()
  // Once in the long form, the pause lasts until the lease really ends. The worker then notices the end of the lease
  // before it has a result.
  const isWaitedFor = round === 1 && !isCalm
  if (!isWaitedFor) {
    // The worker's last statement may still be running in the database.
    await setTimeout(50)
    await runSql(database.address, endLease, [worker.name()])
  }
  const isTaken = await comesTrue(async () => (await database.countShards(worker.name())) === 0)
  // Its results arrive immediately, before it can notice the takeover.
  recorder.behave(calm(random))
  hold.letGo()
  worker.resume()
  if (!isTaken) return [`pause ${round}: its shards were not taken over`]
  const isLate = isWaitedFor || (await comesTrue(async () => (await countStale(worker)) > stale, 10_000))
  return isLate ? [] : undefined
}

/**
 * Maximum number of times to repeat a pause without a late result. Attempts in a shard that the worker is giving up
 * have no late results.
 */
const maxTries = 3

/**
 * A worker is paused during attempts for longer than its lease, so that others take over its shards. When it resumes,
 * its results are too late and have no effect.
 */
export const pause: Ordeal<PostgresEngine> = async (environment, { isCalm, times, progress }) => {
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    let failed: readonly string[] | undefined
    for (let tries = 1; tries <= maxTries && failed === undefined; tries++)
      failed = await pauseOnce(environment, { round, isCalm })
    failures.push(...(failed ?? [`pause ${round}: no late result was stale`]))
    progress(`${round} of ${times} pauses`)
  }
  return failures
}

export const zombies = createScenario(pause, { done: 'pauses' })
