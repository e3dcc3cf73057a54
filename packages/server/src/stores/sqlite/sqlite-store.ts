import type { Store } from '@wabakit/core'
import { watchWrites } from '../watch-writes.ts'
import { createBacklog } from './backlog.ts'
import { createCalls } from './calls.ts'
import { createDeliveries } from './deliveries.ts'
import { createDeliveryChanges } from './delivery-changes.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createErase } from './erase.ts'
import { createEvents } from './events.ts'
import { createFigures } from './figures.ts'
import { createGroups } from './groups.ts'
import { createLanes } from './lanes.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { createParticipants } from './participants.ts'
import { createPrune } from './prune.ts'
import { createQueueChanges } from './queue-changes.ts'
import { createAccess } from './record-access.ts'
import { createRemovals } from './removals.ts'
import { toOpenError } from './storage-errors.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTenancy } from './tenancy.ts'
import { createWritableCheck } from './writable-check.ts'

/** Creates the store on an open database. Closing the store closes the database. */
export const storeOnDatabase = (opened: OpenDatabase, now?: () => number): Store => {
  const access = createAccess(opened)
  const queueChanges = createQueueChanges(access)
  const lanes = createLanes(access, queueChanges)
  const removals = createRemovals(access)
  const { publish, ...events } = createEvents(access, lanes)
  const { removeCall, ...calls } = createCalls(access, publish)
  const { addGroup, ...groups } = createGroups(access, publish)
  const store: Store = {
    ...createTenancy(access, removals),
    ...groups,
    ...createParticipants(access, publish),
    ...calls,
    ...events,
    ...createSubscriptions(access, { queueChanges, removals }),
    ...createDeliveries(access),
    ...createDeliveryChanges(access, queueChanges),
    ...createDeliveryQueue(access, { lanes, queueChanges, removals, publish }),
    ...createBacklog(access),
    ...createFigures(access),
    ...createPrune(access, { removals, removeCall }),
    ...createErase(access, { queueChanges, removeCall }),
    checkWritable: createWritableCheck(access, addGroup),
    close: access.close,
  }
  return watchWrites(store, now)
}

/** Options for {@link sqliteStore}. */
export type SqliteStoreOptions = {
  /**
   * The path of the database file. Files with the suffixes `-wal`, `-shm` and `-lock` are created next to it. If the
   * file does not exist, it is created with access for its owner only. The folder must exist.
   */
  readonly path: string
  /**
   * Receives warnings for the operator, such as a warning that other users can read the file.
   * @default console.warn
   */
  readonly onWarning?: ((message: string) => void) | undefined
}

/**
 * Opens a store in a SQLite file, for one process. Every resolved write is on disk (WAL with `synchronous=FULL`), and
 * concurrent writes share a commit. Other programs may read the file at the same time.
 *
 * @throws DatabaseInUseError if another process, or another store of this process, uses the file.
 * @throws DatabaseVersionError if a newer version of this software wrote the file.
 * @throws DatabaseOpenError if the file cannot be opened or belongs to another program.
 * @example
 * const store = sqliteStore({ path: 'wabakit.db' })
 */
export const sqliteStore = ({ path, onWarning }: SqliteStoreOptions): Store => {
  const opened = openDatabase(path, onWarning)
  try {
    return storeOnDatabase(opened)
  } catch (error) {
    opened.close()
    throw toOpenError(error, path)
  }
}
