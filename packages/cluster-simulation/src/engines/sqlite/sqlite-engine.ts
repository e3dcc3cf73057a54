import type { Store } from '@wabakit/core'
import { continueClock } from '../../../../server/src/stores/sqlite/continued-clock.ts'
import { takeOver } from '../../../../server/src/stores/sqlite/owner.ts'
import { storeOnDatabase } from '../../../../server/src/stores/sqlite/sqlite-store.ts'
import type { RunContext } from '../../cluster/run-context.ts'
import { recordCalls } from '../../histories/history.ts'
import { createOwner } from '../../virtual/scheduler.ts'
import type { Engine } from '../engine.ts'
import { observeCommits, observePromises } from '../observed-store.ts'
import { createFaultyDatabase } from './faulty-database.ts'
import { openEmptyDatabase } from './shared-database.ts'

/**
 * Creates the real SQLite store on an in-memory database whose transactions can fail. This does not cover the file
 * system: write-ahead log, syncing and lock file.
 */
export const createSqliteEngine = (run: RunContext): Engine => {
  const { plan, faults, scheduler } = run
  const disk = createOwner('disk')
  const database = openEmptyDatabase()
  let isAvailable = true
  const committed = storeOnDatabase({ database, checkOwner: () => {}, checkFiles: () => {}, close: () => {} })

  return {
    committed,
    open: (user) => {
      const checkOwner = takeOver(database)
      const { name, owner } = user
      const faulty = createFaultyDatabase(database, run, {
        user: name,
        isLocked: () => !isAvailable,
        block: (delayMs) => {
          if (delayMs === 0 || owner.state !== 'running') return
          owner.state = 'paused'
          scheduler.schedule({ owner: disk, delayMs, label: 'commit' }, () => scheduler.resume(owner))
        },
      })
      const opened = { database: faulty.database, checkOwner, checkFiles: () => {}, close: () => {} }
      const { clock, close } = continueClock(opened, { wall: user.wall, elapsed: user.elapsed })
      const store: Store = storeOnDatabase({ ...opened, close })
      const whileAlive: typeof run.observe = (observation) => {
        if (user.owner.state !== 'ended') run.observe(observation)
      }
      const record: typeof run.record =
        run.record &&
        ((entry) => {
          if (user.owner.state !== 'ended') run.record?.(entry)
        })
      /** A store whose reads before attempts can also fail and must be retried. */
      const reading: Store = {
        ...store,
        loadDeliveries: async (keys) => {
          const fault = faults.decide(`${user.name} loadDeliveries`, ['aborted'], plan.rates?.store)
          if (fault !== undefined) faulty.failReads()
          try {
            return await store.loadDeliveries(keys)
          } finally {
            faulty.allowReads()
          }
        },
      }
      const observed = observeCommits(
        recordCalls(reading, user.name, record),
        { observe: whileAlive },
        user.name,
      )
      return { clock, store: observePromises(observed, { ...run, observe: whileAlive }, user.name) }
    },
    abandon: () => {},
    setAvailable: (available) => {
      isAvailable = available
    },
  }
}
