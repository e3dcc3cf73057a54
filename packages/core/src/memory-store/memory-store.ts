import { RecordNotFoundError } from '../errors/record-not-found-error.ts'
import type { SubscriptionRecord } from '../records.ts'
import { createDueNotifier } from '../storage/due-notifier.ts'
import { outside } from '../storage/heap.ts'
import type { SaveOutcome, Store } from '../store.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createDueQueue } from './due-queue.ts'
import { createHistory } from './history.ts'
import { measureBacklog } from './measure-backlog.ts'
import { pageOf } from './paging.ts'
import { createTables, type OrganizationTables, type SubscriptionRow } from './tables.ts'

type Revised = { readonly revision: number }

const isNext = (current: Revised | undefined, next: Revised): boolean =>
  next.revision === (current?.revision ?? 0) + 1

const newSubscription = (record: SubscriptionRecord, order: number): SubscriptionRow => ({
  at: 0,
  order,
  slot: outside,
  record,
  pace: 'new',
  lanes: new Map(),
  pending: createDueQueue(),
  leased: createDueQueue(),
})

/**
 * A store in the process's memory: complete, fast, and empty again when the process ends. Every method does its work
 * in one go, so that each is a transaction.
 *
 * @example
 * const server = createReferenceServer({ organizations: [], store: memoryStore() })
 */
export const memoryStore = (): Store => {
  const organizations = new Map<string, OrganizationTables>()
  /** Whose key a hash is. */
  const keyOwners = new Map<string, OrganizationTables>()
  const dueNotifier = createDueNotifier()
  const queue = createDeliveryQueue(dueNotifier.notify)
  let order = 0
  const nextOrder = (): number => ++order

  const tablesOf = (organizationId: string): OrganizationTables => {
    const tables = organizations.get(organizationId)
    if (tables === undefined) throw new RecordNotFoundError('organization', organizationId)
    return tables
  }
  const { check, tell, forgetAll, forgetOf, ...history } = createHistory({
    organizations,
    tablesOf,
    queue,
    nextOrder,
  })

  const saveSubscription = (record: SubscriptionRecord): SaveOutcome => {
    const { subscriptions } = tablesOf(record.organizationId)
    const row = subscriptions.get(record.id)
    if (!isNext(row?.record, record)) return 'stale'
    if (row === undefined) {
      subscriptions.set(record.id, newSubscription(record, nextOrder()))
      return 'saved'
    }
    const { url, disabledReason, failingSince } = row.record
    const startsAnew = record.url !== url || (disabledReason !== null && record.disabledReason === null)
    row.record = { ...record, failingSince: startsAnew ? null : failingSince }
    if (startsAnew) queue.setPace(row, 'new')
    if (record.disabledReason !== null) queue.skipAll(row, record.updatedAt)
    return 'saved'
  }

  return {
    ...history,
    saveOrganization: async (organization) => {
      const tables = organizations.get(organization.id)
      if (!isNext(tables?.organization, organization)) return 'stale'
      if (tables === undefined) organizations.set(organization.id, createTables(organization, nextOrder()))
      else tables.organization = organization
      return 'saved'
    },
    findOrganization: async (organizationId) => organizations.get(organizationId)?.organization,
    listOrganizations: async (page) => {
      const { items, ...rest } = pageOf([...organizations.values()], { ...page, direction: 'oldest_first' })
      return { ...rest, items: items.map(({ organization }) => organization) }
    },
    removeOrganization: async (organizationId) => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) return false
      organizations.delete(organizationId)
      for (const hash of tables.keys.keys()) keyOwners.delete(hash)
      for (const owner of tables.subscriptions.values()) queue.drop(owner)
      forgetAll(tables)
      return true
    },

    addApiKey: async (key) => {
      const tables = tablesOf(key.organizationId)
      if (keyOwners.has(key.hash)) return 'taken'
      keyOwners.set(key.hash, tables)
      tables.keys.set(key.hash, key)
      return 'added'
    },
    listApiKeys: async (organizationId) => [...(organizations.get(organizationId)?.keys.values() ?? [])],
    removeApiKey: async (organizationId, keyId) => {
      const keys = organizations.get(organizationId)?.keys
      const key = [...(keys?.values() ?? [])].find(({ id }) => id === keyId)
      if (key === undefined) return false
      keyOwners.delete(key.hash)
      return keys?.delete(key.hash) ?? false
    },
    findCaller: async (keyHash) => {
      const tables = keyOwners.get(keyHash)
      const key = tables?.keys.get(keyHash)
      return tables && key && { key, organization: tables.organization }
    },

    createGroup: async ({ group, event }) => {
      const { groups } = tablesOf(group.organizationId)
      const existing = groups.get(group.clientCustomGroupId)
      if (existing !== undefined) {
        const isSame = group.requestHash !== null && existing.requestHash === group.requestHash
        return { outcome: isSame ? 'same' : 'conflict', group: existing }
      }
      check(event)
      groups.set(group.clientCustomGroupId, group)
      tell(event)
      return { outcome: 'created', group }
    },
    findGroup: async (organizationId, groupId) => organizations.get(organizationId)?.groups.get(groupId),
    saveParticipant: async ({ participant, event }) => {
      const { participants } = tablesOf(participant.organizationId)
      const ofGroup = participants.get(participant.groupId) ?? new Map()
      if (!isNext(ofGroup.get(participant.digits), participant)) return 'stale'
      check(event)
      participants.set(participant.groupId, ofGroup.set(participant.digits, participant))
      tell(event)
      return 'saved'
    },
    findParticipant: async ({ organizationId, groupId, digits }) =>
      organizations.get(organizationId)?.participants.get(groupId)?.get(digits),

    saveCall: async ({ call, event }) => {
      const { calls } = tablesOf(call.organizationId)
      if (!isNext(calls.get(call.callId), call)) return 'stale'
      check(event)
      calls.set(call.callId, call)
      tell(event)
      return 'saved'
    },
    findCall: async (organizationId, callId) => {
      const tables = organizations.get(organizationId)
      const call = tables?.calls.get(callId)
      return call && { call, summary: tables?.summaries.get(callId) }
    },
    saveSummary: async ({ summary, event }) => {
      const { summaries } = tablesOf(summary.organizationId)
      const isFirst = !summaries.has(summary.callId)
      if (isFirst) check(event)
      summaries.set(summary.callId, summary)
      if (isFirst) tell(event)
      return isFirst ? 'first' : 'replaced'
    },
    addEvent: async (event) => {
      check(event)
      tell(event)
    },

    saveSubscription: async (subscription) => saveSubscription(subscription),
    findSubscription: async (organizationId, subscriptionId) =>
      organizations.get(organizationId)?.subscriptions.get(subscriptionId)?.record,
    listSubscriptions: async (organizationId, page) => {
      const rows = [...(organizations.get(organizationId)?.subscriptions.values() ?? [])]
      const { items, ...rest } = pageOf(rows, { ...page, direction: 'oldest_first' })
      return { ...rest, items: items.map(({ record }) => record) }
    },
    removeSubscription: async (organizationId, subscriptionId) => {
      const tables = organizations.get(organizationId)
      const owner = tables?.subscriptions.get(subscriptionId)
      if (tables === undefined || owner === undefined) return false
      tables.subscriptions.delete(subscriptionId)
      queue.drop(owner)
      forgetOf(owner)
      return true
    },

    claimDeliveries: async (claim) => queue.claim(claim),
    settleDelivery: async (settlement) => queue.settle(settlement),
    nextDueAt: async () => queue.nextDueAt(),
    measureBacklog: async (request) => measureBacklog(organizations.values(), request),
    onDue: dueNotifier.subscribe,
    // Its claims end with the process.
    registerWorker: () => () => {},
    close: async () => {},
  }
}
