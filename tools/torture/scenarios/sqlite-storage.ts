import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { awaitRefusals } from '../refusals.ts'
import { createScenario, type Ordeal } from '../scenario.ts'

const preload = join(import.meta.dirname, '../preload/limit-pages.ts')

/**
 * The disk is full, or another program holds the lock. Requests get only 503, and the service continues without a
 * restart.
 */
const troubleStorage: Ordeal = async ({ random, fleet, database, load }, { times, progress }) => {
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    await setTimeout(random.between(50, 300))
    if (round % 2 === 0) {
      const other = new DatabaseSync(database.address, { timeout: 5_000 })
      other.exec('begin immediate')
      await setTimeout(random.between(20, 3_000))
      other.close()
    } else {
      await fleet.pick().ask('full')
      if (!(await awaitRefusals(load))) failures.push('no request was refused with 503')
      await fleet.pick().ask('free')
    }
    const health = await fetch(`${fleet.url()}/healthz`)
    if (!health.ok) failures.push(`/healthz responded with ${health.status}`)
    progress(`${round} of ${times} times with a full disk or a locked file`)
  }
  return failures
}

/** Failures of SQLite's storage. */
export const sqliteStorage = createScenario(troubleStorage, {
  done: 'times with a full disk or a locked file',
  environment: { preload },
})
