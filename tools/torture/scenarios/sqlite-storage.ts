import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { createEnvironment } from '../environment.ts'
import { awaitRefusals } from '../refusals.ts'
import { listFailures, type Scenario } from '../scenario.ts'

const preload = join(import.meta.dirname, '../preload/limit-pages.ts')

/**
 * The disk is full, or another program holds the lock. Requests get only 503, and the service continues without a
 * restart.
 */
export const sqliteStorage: Scenario = async ({ engine, seed, isCalm, times, progress }) => {
  await using environment = await createEnvironment({ engine, seed, isCalm, preload })
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    await setTimeout(environment.random.between(50, 300))
    if (round % 2 === 0) {
      const other = new DatabaseSync(environment.database.address, { timeout: 5_000 })
      other.exec('begin immediate')
      await setTimeout(environment.random.between(20, 3_000))
      other.close()
    } else {
      await environment.fleet.pick().ask('full')
      if (!(await awaitRefusals(environment.load))) failures.push('no request was refused with 503')
      await environment.fleet.pick().ask('free')
    }
    const health = await fetch(`${environment.fleet.url()}/healthz`)
    if (!health.ok) failures.push(`/healthz responded with ${health.status}`)
    progress(`${round} of ${times} times with a full disk or a locked file`)
  }
  const result = await environment.finish()
  return {
    done: `${times} times with a full disk or a locked file`,
    failures: [...failures, ...listFailures(result)],
    result,
  }
}
