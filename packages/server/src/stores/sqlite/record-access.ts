import { setImmediate } from 'node:timers/promises'
import {
  type Pace,
  type Page,
  RecordNotFoundError,
  StorageUnavailableError,
  type SubscriptionRecord,
} from '@wabakit/core'
import type { OpenDatabase } from './open-database.ts'
import { mapRows, mapTable } from './records.ts'
import { createRemember, type Effects } from './remembered-tables.ts'
import { toStorageError } from './storage-errors.ts'
import { createWriteBatches } from './write-batches.ts'

/** Reads and writes one database, for all parts of its store. */
export type Access = ReturnType<typeof createAccess>

type PagedQuery = { readonly organizationId: string; readonly cursor?: string | undefined }

/** A subscription and its pace. */
type SubscriptionState = { readonly record: SubscriptionRecord; readonly pace: Pace }

const organizations = mapTable('organizations')
const subscriptions = mapTable('subscriptions')
const paces = mapRows<{ pace: Pace }>({ pace: 'text' })

/**
 * Creates the functions that read and write an open database. All functions of a store read and write through them:
 * `write`, `writeTo`, `read`, `readAtOnce`, `readOwned` or `readPage`.
 */
export const createAccess = ({ database, checkOwner, checkFiles, close }: OpenDatabase) => {
  const effects: Effects = []
  const remember = createRemember(database, effects)
  const commits = createWriteBatches({ database, checkOwner, checkFiles, effects })
  const organizationById = database.prepare('select * from organizations where id = ? and revision > 0')
  const subscriptionByPosition = database.prepare('select * from subscriptions where position = ?')
  const begin = database.prepare('begin')
  const rollback = database.prepare('rollback')
  let isClosed = false
  const { write } = commits

  const findOrganization = remember(['organizations'], (organizationId: string) =>
    organizations.find(organizationById, organizationId),
  )
  const findSubscription = remember(['subscriptions'], (position: number): SubscriptionState | undefined => {
    const row = subscriptionByPosition.get(position)
    return row && { record: subscriptions.toRecord(row), pace: paces.toRecord(row).pace }
  })

  /** Reads only committed data, because every transaction ends within one turn of the event loop. */
  const read = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw new StorageUnavailableError('The store is closed.')
    try {
      return work()
    } catch (error) {
      throw toStorageError(error)
    }
  }

  /** Reads records of an organization. Returns `nothing` if the organization does not exist. */
  const readOwned = <Result>(organizationId: string, work: () => Result, nothing: Result): Promise<Result> =>
    read(() => (findOrganization(organizationId) === undefined ? nothing : work()))

  return {
    database,
    effects,
    remember,
    findOrganization,
    /**
     * Finds a subscription by position. A removed subscription has a revision of -1 until its deliveries are removed.
     */
    findSubscription,
    /** Finds a subscription that is neither disabled nor removed. */
    findOpen: (position: number): SubscriptionState | undefined => {
      const found = findSubscription(position)
      return found?.record.disabledReason === null && found.record.revision > 0 ? found : undefined
    },
    write,
    writeTo: <Result>(organizationId: string, work: () => Result): Promise<Result> =>
      write(() => {
        if (findOrganization(organizationId) !== undefined) return work()
        throw new RecordNotFoundError('organization', organizationId)
      }),
    read,
    /** Reads in one transaction. Otherwise, each statement would lock and unlock the file. */
    readAtOnce: <Result>(work: () => Result): Promise<Result> =>
      read(() => {
        begin.run()
        try {
          checkOwner()
          return work()
        } finally {
          // Rolls back, because nothing was written. A commit could fail and leave the transaction open. Some failures
          // have already ended the transaction.
          if (database.isTransaction) rollback.run()
        }
      }),
    readOwned,
    /**
     * Reads a page of an organization's records. Waits before each page except the first, so that other requests are
     * served while a caller reads all pages.
     */
    readPage: async <Item>({ organizationId, cursor }: PagedQuery, work: () => Page<Item>) => {
      if (cursor !== undefined) await setImmediate()
      return readOwned(organizationId, work, { items: [] })
    },
    close: async (): Promise<void> => {
      if (isClosed) return
      commits.close()
      isClosed = true
      close()
    },
  }
}
