import { RecordNotFoundError } from '../errors/record-errors.ts'
import type { SubscriptionRecord } from '../records.ts'
import { createNewsChannel } from '../storage/news-channel.ts'
import type { SaveOutcome, Store } from '../store.ts'
import { toDigits } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'
import { containsText, createHistory, type TakePosition } from './history.ts'
import { createJournal, getQueue } from './journal.ts'
import { measureBacklog } from './measure-backlog.ts'
import { readNewest } from './newest.ts'
import { readPage } from './paging.ts'
import { createTables, type DeliveryRow, type OrganizationTables, type SubscriptionRow } from './tables.ts'
import { skipAll } from './unfinished.ts'

type Revised = { readonly revision: number }

const isNext = (current: Revised | undefined, next: Revised): boolean =>
  next.revision === (current?.revision ?? 0) + 1

const createSubscription = (record: SubscriptionRecord, order: number): SubscriptionRow => ({
  order,
  record,
  pace: 'new',
  changedAt: order,
  lanes: new Map(),
  fresh: [],
  retries: new Set(),
})

/**
 * Creates an in-memory store. It is complete and fast, but its contents are lost when the process ends. Each method
 * works synchronously, and is therefore a transaction.
 *
 * @example
 * const server = createReferenceServer({ organizations: [], store: memoryStore() })
 */
export const memoryStore = (): Store => createMemoryStore((order) => order)

/**
 * Creates an in-memory store in which the positions of deliveries can differ from the order of their events. With
 * `tellsAll`, it reports every added delivery, as PostgreSQL does, and not only heads of lanes.
 */
export const createMemoryStore = (takePosition: TakePosition, tellsAll = false): Store => {
  const organizations = new Map<string, OrganizationTables>()
  /** The organization of each key, by the key's hash. */
  const keyOwners = new Map<string, OrganizationTables>()
  const deliveries = new Map<string, DeliveryRow>()
  const queues = new Map<string, SubscriptionRow>()
  let order = 0
  const nextOrder = (): number => ++order
  const { tellAdded, tellChanged, ...journal } = createJournal({
    deliveries,
    queues,
    news: createNewsChannel(),
    nextOrder,
    tellsAll,
    publish: (event) => {
      if (organizations.has(event.organizationId)) publish(event)
    },
  })

  const getTables = (organizationId: string): OrganizationTables => {
    const tables = organizations.get(organizationId)
    if (tables === undefined) throw new RecordNotFoundError('organization', organizationId)
    return tables
  }
  const { check, publish, removeOrganization, removeSubscription, ...history } = createHistory({
    organizations,
    getTables,
    deliveries,
    journal: { tellAdded, tellChanged },
    nextOrder,
    takePosition,
  })

  const saveSubscription = (record: SubscriptionRecord): SaveOutcome => {
    const { subscriptions } = getTables(record.organizationId)
    const row = subscriptions.get(record.id)
    if (!isNext(row?.record, record)) return 'stale'
    if (row === undefined) {
      const added = createSubscription(record, nextOrder())
      subscriptions.set(record.id, added)
      queues.set(getQueue(added), added)
      return 'saved'
    }
    const { url, disabledReason, failingSince, isReported } = row.record
    const isReset = record.url !== url || (disabledReason !== null && record.disabledReason === null)
    row.record = { ...record, isReported, failingSince: isReset ? null : failingSince }
    if (isReset) row.pace = 'new'
    if (record.disabledReason !== null) skipAll(row, record.updatedAt)
    tellChanged(row)
    return 'saved'
  }

  return {
    ...history,
    ...journal,
    saveOrganization: async (organization) => {
      const tables = organizations.get(organization.id)
      if (!isNext(tables?.organization, organization)) return 'stale'
      if (tables === undefined) organizations.set(organization.id, createTables(organization, nextOrder()))
      else tables.organization = organization
      return 'saved'
    },
    findOrganization: async (organizationId) => organizations.get(organizationId)?.organization,
    listOrganizations: async (page) => {
      const { items, ...rest } = readPage([...organizations.values()], { ...page, direction: 'oldest_first' })
      return { ...rest, items: items.map(({ organization }) => organization) }
    },
    removeOrganization: async (organizationId) => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) return false
      organizations.delete(organizationId)
      for (const hash of tables.keys.keys()) keyOwners.delete(hash)
      for (const owner of tables.subscriptions.values()) queues.delete(getQueue(owner))
      removeOrganization(tables)
      return true
    },

    addApiKey: async (key) => {
      const tables = getTables(key.organizationId)
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
      const { groups } = getTables(group.organizationId)
      const existing = groups.get(group.clientCustomGroupId)
      if (existing !== undefined) {
        const isSame = group.requestHash !== null && existing.requestHash === group.requestHash
        return { outcome: isSame ? 'same' : 'conflict', group: existing }
      }
      check(event)
      groups.set(group.clientCustomGroupId, group)
      publish(event)
      return { outcome: 'created', group }
    },
    findGroup: async (organizationId, groupId) => organizations.get(organizationId)?.groups.get(groupId),
    listGroups: async (query) => {
      const { text } = query
      return readNewest(organizations.get(query.organizationId)?.groups.values(), {
        ...query,
        getKey: ({ createdAt, clientCustomGroupId }) => [createdAt, clientCustomGroupId],
        where: ({ clientCustomGroupId, subject }) =>
          text === undefined || containsText(clientCustomGroupId, text) || containsText(subject, text),
      })
    },
    saveParticipant: async ({ participant, event }) => {
      const { participants } = getTables(participant.organizationId)
      const members = participants.get(participant.groupId) ?? new Map()
      if (!isNext(members.get(participant.digits), participant)) return 'stale'
      check(event)
      participants.set(participant.groupId, members.set(participant.digits, participant))
      publish(event)
      return 'saved'
    },
    findParticipant: async ({ organizationId, groupId, digits }) =>
      organizations.get(organizationId)?.participants.get(groupId)?.get(digits),
    listParticipants: async (organizationId, digits) =>
      [...(organizations.get(organizationId)?.participants.values() ?? [])].flatMap(
        (members) => members.get(digits) ?? [],
      ),

    saveCall: async ({ call, event }) => {
      const { calls } = getTables(call.organizationId)
      if (!isNext(calls.get(call.callId), call)) return 'stale'
      check(event)
      calls.set(call.callId, call)
      publish(event)
      return 'saved'
    },
    findCall: async (organizationId, callId) => {
      const tables = organizations.get(organizationId)
      const call = tables?.calls.get(callId)
      return call && { call, summary: tables?.summaries.get(callId) }
    },
    listCalls: async (query) => {
      const { customerDigits, state, text } = query
      return readNewest(organizations.get(query.organizationId)?.calls.values(), {
        ...query,
        getKey: ({ initiatedAt, callId }) => [initiatedAt, callId],
        where: (call) =>
          (customerDigits === undefined || toDigits(call.customerNumber) === customerDigits) &&
          (state === undefined || call.state === state) &&
          (text === undefined || containsText(call.callId, text) || containsText(call.customerNumber, text)),
      })
    },
    saveSummary: async ({ summary, event }) => {
      const { summaries, summaryMarks } = getTables(summary.organizationId)
      const isFirst = !summaries.has(summary.callId) && !summaryMarks.has(sha256(summary.callId))
      if (isFirst) check(event)
      summaries.set(summary.callId, summary)
      if (isFirst) publish(event)
      return isFirst ? 'first' : 'replaced'
    },
    addEvent: async (event) => {
      check(event)
      publish(event)
    },
    addEventTo: async (event, subscriptionId) => {
      check(event)
      publish(event, subscriptionId)
    },

    saveSubscription: async (subscription) => saveSubscription(subscription),
    findSubscription: async (organizationId, subscriptionId) =>
      organizations.get(organizationId)?.subscriptions.get(subscriptionId)?.record,
    listSubscriptions: async (organizationId, page) => {
      const rows = [...(organizations.get(organizationId)?.subscriptions.values() ?? [])]
      const { items, ...rest } = readPage(rows, { ...page, direction: 'oldest_first' })
      return { ...rest, items: items.map(({ record }) => record) }
    },
    removeSubscription: async (organizationId, subscriptionId) => {
      const tables = organizations.get(organizationId)
      const owner = tables?.subscriptions.get(subscriptionId)
      if (tables === undefined || owner === undefined) return false
      tables.subscriptions.delete(subscriptionId)
      queues.delete(getQueue(owner))
      removeSubscription(owner)
      return true
    },

    checkWritable: async () => {},
    measureBacklog: async (request) => measureBacklog(organizations.values(), request),
    close: async () => {},
  }
}
