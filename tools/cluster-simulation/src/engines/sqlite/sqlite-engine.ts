import { continueClock } from '../../../../../packages/server/src/stores/sqlite/continued-clock.ts'
import { takeOver } from '../../../../../packages/server/src/stores/sqlite/owner.ts'
import { storeOnDatabase } from '../../../../../packages/server/src/stores/sqlite/sqlite-store.ts'
import type { RunContext } from '../../cluster/run-context.ts'
import { recordCalls } from '../../histories/history.ts'
import { createOwner } from '../../virtual/event-loop.ts'
import type { SimulatedEngine } from '../engine.ts'
import { observeCommits, observePromises } from '../observed-store.ts'
import { createFaultyDatabase } from './faulty-database.ts'
import { openEmptyDatabase } from './shared-database.ts'

/**
 * Creates the real SQLite store on an in-memory database whose transactions can fail. Runs do not use the write-ahead
 * log, syncing or the lock file.
 */
export const createSqliteEngine = (run: RunContext): SimulatedEngine => {
  const { plan, faults, loop } = run
  const disk = createOwner('disk')
  const database = openEmptyDatabase()
  let isAvailable = true
  const committed = storeOnDatabase({ database, checkOwner: () => {}, checkFiles: () => {}, close: () => {} })

  return {
    committed,
    open: (user) => {
      const checkOwner = takeOver(database)
      const { name, owner, wall, elapsed } = user
      const faulty = createFaultyDatabase(database, run, {
        user: name,
        isLocked: () => !isAvailable,
        block: (delayMs) => {
          if (delayMs === 0 || owner.state !== 'running') return
          owner.state = 'paused'
          loop.schedule({ owner: disk, delayMs, label: 'commit' }, () => loop.resume(owner))
        },
      })
      const opened = { database: faulty.database, checkOwner, checkFiles: () => {}, close: () => {} }
      const { clock, close } = continueClock(opened, { wall, elapsed })
      const store = storeOnDatabase({ ...opened, close })
      const whileAlive =
        <Value>(report: (value: Value) => void) =>
        (value: Value): void => {
          if (owner.state !== 'ended') report(value)
        }
      const reports = { ...run, observe: whileAlive(run.observe) }
      const recorded = recordCalls(
        {
          ...store,
          // The read before an attempt can also fail. The server must then retry the read.
          loadDeliveries: async (keys) => {
            const fault = faults.decide(`${name} loadDeliveries`, ['aborted'], plan.rates?.store)
            if (fault !== undefined) faulty.failReads()
            try {
              return await store.loadDeliveries(keys)
            } finally {
              faulty.allowReads()
            }
          },
        },
        name,
        run.record && whileAlive(run.record),
      )
      return { clock, store: observePromises(observeCommits(recorded, reports, name), reports) }
    },
    abandon: () => {},
    setAvailable: (available) => {
      isAvailable = available
    },
  }
}
