import { join } from 'node:path'
import { comesTrue } from '../comes-true.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { createScenario, type Ordeal, someMoment } from '../scenario.ts'

const nextVersion = join(import.meta.dirname, '../preload/next-version.ts')

/**
 * Processes are replaced one by one with the next version, which expands the tables that the others use. Then the new
 * version is rolled back in the same way, and so on. Both versions respond to requests and deliver side by side.
 */
export const upgrade: Ordeal<PostgresEngine> = async (environment, options) => {
  const { times, progress } = options
  const { fleet, database, load } = environment
  const isSecond: boolean[] = fleet.members.map(() => false)
  // On a busy machine, the first request may still be under way when the only process with the API is replaced.
  await comesTrue(async () => load.report().acknowledged > 0)
  for (let replaced = 0; replaced < times; replaced++) {
    const place = replaced % fleet.members.length
    await someMoment(environment, options)
    isSecond[place] = !isSecond[place]
    await fleet.members[place]?.end('SIGTERM')
    await fleet.members[place]?.start(isSecond[place] ? nextVersion : undefined)
    progress(`${replaced + 1} of ${times} processes replaced`)
  }
  let writers = ''
  const haveBothWritten = async (): Promise<boolean> => {
    const rows = await runSql(database.address, 'SELECT written_by FROM wabakit.events GROUP BY 1 ORDER BY 1')
    writers = rows.map((row) => row.written_by).join()
    return writers === 'next,previous'
  }
  return (await comesTrue(haveBothWritten)) ? [] : [`events were written only by: ${writers}`]
}

/** Rolling upgrades. */
export const upgrades = createScenario(upgrade, { done: 'processes replaced by those of another version' })
