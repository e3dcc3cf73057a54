import { setImmediate } from 'node:timers/promises'
import { type EventRecord, RecordNotFoundError, StorageUnavailableError, type Store } from '@wabakit/core'
import { createWorkers } from '@wabakit/core/storage'
import { createWriteCheck } from '../write-check.ts'
import { createMeasureBacklog } from './backlog.ts'
import { createCalls } from './calls.ts'
import { createDeliveries } from './deliveries.ts'
import { createReadDeliveries } from './delivery-rows.ts'
import { createDeliverySteps } from './delivery-steps.ts'
import { createErase } from './erase.ts'
import { createEvents } from './events.ts'
import { createFindSubscription } from './find-subscription.ts'
import { createGroups } from './groups.ts'
import { createJournal } from './journal.ts'
import { createLanes } from './lanes.ts'
import type { OpenDatabase } from './open-database.ts'
import { createParticipants } from './participants.ts'
import { createPrune } from './prune.ts'
import { createQueueNews } from './queue-news.ts'
import type { Effects } from './remember.ts'
import { createRemember } from './remember.ts'
import { createResend } from './resend.ts'
import { toStorageError } from './storage-errors.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createSummaries } from './summaries.ts'
import { createTenancy } from './tenancy.ts'
import { createWriteBatches } from './write-batches.ts'

/** Maximum number of deliveries, or of other rows, that one transaction of a removal changes: 2 to 5 ms of the event loop. */
const removalBatch = 200

/** Creates the store on an open database. Closing the store closes the database. */
export const storeOnDatabase = (
  { database, checkOwner, checkFiles, close }: OpenDatabase,
  now: () => number = () => performance.now(),
): Store => {
  const effects: Effects = []
  const remember = createRemember(database, effects)
  const findSubscription = createFindSubscription(database, remember)
  const news = createQueueNews(findSubscription, effects)
  const lanes = createLanes(database, news)
  const events = createEvents({ database, remember, lanes })
  const tenancy = createTenancy(database, remember)
  const groups = createGroups(database, events)
  const participants = createParticipants(database, events)
  const summaries = createSummaries(database, events)
  const calls = createCalls(database, events, summaries)
  const subscriptions = createSubscriptions(database, news)
  const { isCurrent, ...workers } = createWorkers(1)
  const publish = (event: EventRecord): void => {
    if (tenancy.findOrganization(event.organizationId) !== undefined) events.publish(event)
  }
  const journal = createJournal({ database, lanes, news, isCurrent, findSubscription, publish })
  const readDeliveries = createReadDeliveries(database)
  const deliveries = createDeliveries(database, readDeliveries)
  const resend = createResend({ database, read: readDeliveries, news })
  const steps = createDeliverySteps({ database, read: readDeliveries, news })
  const { prune, continueRemovals } = createPrune(database, calls)
  const erase = createErase({ database, calls, news })
  const measureBacklog = createMeasureBacklog(database, journal)
  const commits = createWriteBatches({ database, checkOwner, checkFiles, effects, now })

  // Two changes, because SQLite does not write an update to the same value.
  const touch = [
    "update owner set token = token || ' ' where id = 1",
    'update owner set token = rtrim(token) where id = 1',
  ].map((sql) => database.prepare(sql))
  const begin = database.prepare('begin')
  const rollback = database.prepare('rollback')
  let isClosed = false
  const { write } = commits

  /** Writes to an existing organization. */
  const writeTo = <Result>(organizationId: string, work: () => Result): Promise<Result> =>
    write(() => {
      if (tenancy.findOrganization(organizationId) !== undefined) return work()
      throw new RecordNotFoundError('organization', organizationId)
    })

  /** Reads committed data, because no transaction lasts longer than a turn of the event loop. */
  const read = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw new StorageUnavailableError('The store is closed.')
    try {
      return work()
    } catch (error) {
      throw toStorageError(error)
    }
  }

  /** Reads in one transaction. Otherwise, each statement would lock and unlock the file. */
  const readAtOnce = <Result>(work: () => Result): Promise<Result> =>
    read(() => {
      begin.run()
      try {
        checkOwner()
        return work()
      } finally {
        // Rolls back, because nothing was written. Unlike a commit, this cannot fail and leave the transaction open.
        // Some failures have already ended it.
        if (database.isTransaction) rollback.run()
      }
    })

  /** Reads records of an organization. Returns `nothing` if the organization does not exist. */
  const readOwned = <Result>(organizationId: string, work: () => Result, nothing: Result): Promise<Result> =>
    read(() => (tenancy.findOrganization(organizationId) === undefined ? nothing : work()))

  /**
   * Waits before each page of a list except the first, so that other requests are served while a caller reads all
   * pages.
   */
  const awaitTurn = async ({ cursor }: { readonly cursor?: string | undefined }): Promise<void> => {
    if (cursor !== undefined) await setImmediate()
  }

  let lastRemoval: Promise<unknown> = Promise.resolve()

  /** Continues all removals to their end, one batch per transaction, after those that are running. */
  const endRemovals = (): Promise<void> => {
    const removal = lastRemoval.then(async () => {
      while ((await write(() => continueRemovals(removalBatch))) > 0);
    })
    lastRemoval = removal.catch(() => {})
    return removal
  }

  /** Ends a removal that has begun. If that fails, `prune` continues. */
  const endRemoval = async <Outcome>(outcome: Outcome): Promise<Outcome> => {
    await endRemovals().catch(() => {})
    return outcome
  }

  return {
    saveOrganization: async (organization) => {
      if (tenancy.isBeingRemoved(organization.id)) await endRemovals()
      return write(() => tenancy.saveOrganization(organization))
    },
    findOrganization: (organizationId) => read(() => tenancy.findOrganization(organizationId)),
    listOrganizations: (page) => read(() => tenancy.listOrganizations(page)),
    removeOrganization: async (organizationId) =>
      (await write(() => tenancy.removeOrganization(organizationId))) && endRemoval(true),

    addApiKey: (key) => writeTo(key.organizationId, () => tenancy.addApiKey(key)),
    listApiKeys: (organizationId) => read(() => tenancy.listApiKeys(organizationId)),
    removeApiKey: (organizationId, keyId) => write(() => tenancy.removeApiKey(organizationId, keyId)),
    findCaller: (keyHash) => read(() => tenancy.findCaller(keyHash)),

    createGroup: (change) => writeTo(change.group.organizationId, () => groups.create(change)),
    findGroup: (organizationId, groupId) =>
      readOwned(organizationId, () => groups.find(organizationId, groupId), undefined),
    listGroups: (query) => readOwned(query.organizationId, () => groups.list(query), { items: [] }),
    saveParticipant: (change) => writeTo(change.participant.organizationId, () => participants.save(change)),
    findParticipant: (key) => readOwned(key.organizationId, () => participants.find(key), undefined),
    listParticipants: (organizationId, digits) =>
      readOwned(organizationId, () => participants.list(organizationId, digits), []),

    saveCall: (change) => writeTo(change.call.organizationId, () => calls.save(change)),
    findCall: (organizationId, callId) =>
      readOwned(
        organizationId,
        () => {
          const call = calls.find(organizationId, callId)
          return call && { call, summary: summaries.find(organizationId, callId) }
        },
        undefined,
      ),
    listCalls: (query) => readOwned(query.organizationId, () => calls.list(query), { items: [] }),
    saveSummary: (change) => writeTo(change.summary.organizationId, () => summaries.save(change)),

    addEvent: (event) => writeTo(event.organizationId, () => events.publish(event)),
    addEventTo: (event, subscriptionId) =>
      writeTo(event.organizationId, () => events.publish(event, subscriptionId)),
    listEvents: async (query) => {
      await awaitTurn(query)
      return readOwned(query.organizationId, () => events.list(query), { items: [] })
    },

    saveSubscription: async (subscription) => {
      const isDisabled = subscription.disabledReason !== null
      // Unfinished deliveries from before the subscription was disabled must not be sent.
      if (subscription.revision > 1 && !isDisabled) await endRemovals()
      const outcome = await writeTo(subscription.organizationId, () => subscriptions.save(subscription))
      return isDisabled ? endRemoval(outcome) : outcome
    },
    findSubscription: (organizationId, subscriptionId) =>
      read(() => subscriptions.find(organizationId, subscriptionId)),
    listSubscriptions: (organizationId, page) => read(() => subscriptions.list(organizationId, page)),
    removeSubscription: async (organizationId, subscriptionId) =>
      (await write(() => subscriptions.remove(organizationId, subscriptionId))) && endRemoval(true),

    listDeliveries: async (query) => {
      await awaitTurn(query)
      return read(() => deliveries.list(query))
    },
    listAttempts: (organizationId, deliveryId) =>
      read(() => deliveries.listAttempts(organizationId, deliveryId)),
    listLastAttempts: (organizationId, deliveryIds) =>
      read(() => deliveries.listLastAttempts(organizationId, deliveryIds)),
    ...workers,
    listen: news.listen,
    readQueues: (request) => read(() => journal.readQueues(request)),
    readHeads: (request) => read(() => journal.readHeads(request)),
    readRetries: (request) => read(() => journal.readRetries(request)),
    loadDeliveries: (keys) => readAtOnce(() => journal.load(keys)),
    settleDeliveries: async (settlements) => {
      const settled = await write(() => journal.settle(settlements))
      const isDisabled = settled.some((each) => each.outcome === 'settled' && each.disabled !== null)
      return isDisabled ? endRemoval(settled) : settled
    },
    resendDeliveries: (query) => write(() => resend(query)),
    cancelDelivery: (request) => write(() => steps.cancel(request)),
    retryDelivery: (request) => write(() => steps.retry(request)),
    nextDueAt: () => readAtOnce(journal.findNextDueAt),
    measureBacklog: (request) => readAtOnce(() => measureBacklog(request)),
    checkWritable: createWriteCheck({
      write: () =>
        write(() => {
          for (const statement of touch) statement.run()
        }),
      readLast: commits.lastWrite,
      now,
    }),
    prune: (request) => write(() => prune(request)),
    erase: (request) => write(() => erase(request)),

    close: async () => {
      if (isClosed) return
      commits.close()
      isClosed = true
      close()
    },
  }
}
