import { StorageUnavailableError, type Store } from '@wabakit/core'
import { createDueNotifier } from '@wabakit/core/storage'
import { createApiKeys } from './api-keys.ts'
import { createMeasureBacklog } from './backlog.ts'
import { createCalls } from './calls.ts'
import { createClaims } from './claims.ts'
import { createDeliveries } from './deliveries.ts'
import { createReadDeliveries } from './delivery-rows.ts'
import { createDueTimes } from './due-times.ts'
import { createErase } from './erase.ts'
import { createEvents } from './events.ts'
import { createGroupCommit } from './group-commit.ts'
import { createGroups } from './groups.ts'
import { createLanes } from './lanes.ts'
import type { OpenDatabase } from './open-database.ts'
import { createOrganizations } from './organizations.ts'
import { createParticipants } from './participants.ts'
import { createPrune } from './prune.ts'
import { createResend } from './resend.ts'
import { createSettle } from './settlements.ts'
import { toStorageError } from './storage-errors.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createSummaries } from './summaries.ts'

/** Maximum number of deliveries, or of other rows, that one transaction of a removal changes: 2 to 5 ms of the event loop. */
const removalBatch = 200

/** Creates the store on an open database. Closing the store closes the database. */
export const storeOnDatabase = ({ database, checkOwner, close }: OpenDatabase): Store => {
  const due = createDueNotifier()
  const dueTimes = createDueTimes(database)
  const lanes = createLanes({ database, dueTimes, onDue: due.notify })
  const events = createEvents(database, lanes)
  const organizations = createOrganizations(database)
  const apiKeys = createApiKeys(database, organizations)
  const groups = createGroups(database, events)
  const participants = createParticipants(database, events)
  const summaries = createSummaries(database, events)
  const calls = createCalls(database, events, summaries)
  const subscriptions = createSubscriptions(database)
  const claims = createClaims(database, dueTimes)
  const settle = createSettle({ database, lanes, dueTimes, onDue: due.notify, onPace: claims.notePace })
  const readDeliveries = createReadDeliveries(database)
  const deliveries = createDeliveries(database, readDeliveries)
  const resend = createResend({ database, read: readDeliveries, lanes })
  const { prune, continueRemovals } = createPrune(database, calls)
  const erase = createErase({ database, calls, lanes, dueTimes })
  const measureBacklog = createMeasureBacklog(database, dueTimes)
  const commits = createGroupCommit({
    database,
    checkOwner,
    onCommit: dueTimes.commit,
    onRollback: dueTimes.rollback,
  })

  let isClosed = false
  const { write } = commits

  /** Writes to an existing organization. */
  const writeTo = <Result>(organizationId: string, work: () => Result): Promise<Result> =>
    write(() => {
      organizations.require(organizationId)
      return work()
    })

  /** Reads what is committed: no transaction lasts longer than a turn of the event loop. */
  const read = async <Result>(work: () => Result): Promise<Result> => {
    if (isClosed) throw new StorageUnavailableError('The store is closed.')
    try {
      return work()
    } catch (error) {
      throw toStorageError(error)
    }
  }

  /** Reads what an organization owns. If there is none, there is nothing. */
  const readOf = <Result>(organizationId: string, work: () => Result, nothing: Result): Promise<Result> =>
    read(() => (organizations.exists(organizationId) ? work() : nothing))

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
      if (organizations.isBeingRemoved(organization.id)) await endRemovals()
      return write(() => organizations.save(organization))
    },
    findOrganization: (organizationId) => read(() => organizations.find(organizationId)),
    listOrganizations: (page) => read(() => organizations.list(page)),
    removeOrganization: async (organizationId) =>
      (await write(() => organizations.remove(organizationId))) && endRemoval(true),

    addApiKey: (key) => writeTo(key.organizationId, () => apiKeys.add(key)),
    listApiKeys: (organizationId) => read(() => apiKeys.list(organizationId)),
    removeApiKey: (organizationId, keyId) => write(() => apiKeys.remove(organizationId, keyId)),
    findCaller: (keyHash) => read(() => apiKeys.findCaller(keyHash)),

    createGroup: (change) => writeTo(change.group.organizationId, () => groups.create(change)),
    findGroup: (organizationId, groupId) =>
      readOf(organizationId, () => groups.find(organizationId, groupId), undefined),
    saveParticipant: (change) => writeTo(change.participant.organizationId, () => participants.save(change)),
    findParticipant: (key) => readOf(key.organizationId, () => participants.find(key), undefined),
    listParticipants: (organizationId, digits) =>
      readOf(organizationId, () => participants.list(organizationId, digits), []),

    saveCall: (change) => writeTo(change.call.organizationId, () => calls.save(change)),
    findCall: (organizationId, callId) =>
      readOf(
        organizationId,
        () => {
          const call = calls.find(organizationId, callId)
          return call && { call, summary: summaries.find(organizationId, callId) }
        },
        undefined,
      ),
    listCalls: (query) => readOf(query.organizationId, () => calls.list(query), { items: [] }),
    saveSummary: (change) => writeTo(change.summary.organizationId, () => summaries.save(change)),

    addEvent: (event) => writeTo(event.organizationId, () => events.publish(event)),
    listEvents: (query) => readOf(query.organizationId, () => events.list(query), { items: [] }),

    saveSubscription: async (subscription) => {
      const isDisabled = subscription.disabledReason !== null
      // What it has left from being disabled before must not be sent.
      if (subscription.revision > 1 && !isDisabled) await endRemovals()
      const outcome = await writeTo(subscription.organizationId, () => subscriptions.save(subscription))
      return isDisabled ? endRemoval(outcome) : outcome
    },
    findSubscription: (organizationId, subscriptionId) =>
      read(() => subscriptions.find(organizationId, subscriptionId)),
    listSubscriptions: (organizationId, page) => read(() => subscriptions.list(organizationId, page)),
    removeSubscription: async (organizationId, subscriptionId) =>
      (await write(() => subscriptions.remove(organizationId, subscriptionId))) && endRemoval(true),

    listDeliveries: (query) => read(() => deliveries.list(query)),
    listAttempts: (organizationId, deliveryId) =>
      read(() => deliveries.listAttempts(organizationId, deliveryId)),
    claimDeliveries: (request) => write(() => claims.claim(request)),
    settleDelivery: async (settlement) => {
      const settled = await write(() => settle(settlement))
      return settled.outcome === 'settled' && settled.disabled !== null ? endRemoval(settled) : settled
    },
    resendDeliveries: (query) => write(() => resend(query)),
    nextDueAt: () =>
      read(() => {
        // The times are in memory, without those of another server.
        checkOwner()
        return dueTimes.earliest()
      }),
    measureBacklog: (request) => read(() => measureBacklog(request)),
    onDue: due.subscribe,
    // Only one process uses the file, and the next one releases its claims.
    registerWorker: () => () => {},
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
