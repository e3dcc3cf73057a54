import { RecordNotFoundError } from '../errors/record-errors.ts'
import { decideGroupCreation, decideSavedHealth, toPage } from '../storage/index.ts'
import type { Store } from '../store.ts'
import { toDigits } from '../values/phone-number.ts'
import { sha256 } from '../values/sha256.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createFigures } from './figures.ts'
import { containsText } from './filters.ts'
import { createHistory, type TakePosition } from './history.ts'
import { readNewest } from './newest-first.ts'
import { readPage } from './paging.ts'
import { createRemoval } from './removal.ts'
import { register } from './saved-records.ts'
import { type Contents, createDatabase, createSubscription, createTables, getQueue } from './tables.ts'
import { measureBacklog, measureUnfinished, skipAll } from './unfinished.ts'

type Revised = { readonly revision: number }

const isNext = (current: Revised | undefined, next: Revised): boolean =>
  next.revision === (current?.revision ?? 0) + 1

/**
 * Creates an in-memory store. It is complete and fast, but its contents are lost when the process ends. Each method
 * reads and changes records synchronously, and is therefore a transaction.
 *
 * @example
 * const server = createReferenceServer({ organizations: [], store: memoryStore() })
 */
export const memoryStore = (): Store => createMemoryStore()

/** The contents of a store, and what a simulation changes to imitate a database that processes share. */
type MemoryStoreOptions = {
  /** @default empty */
  readonly contents?: Contents
  /** @default the order of the events */
  readonly takePosition?: TakePosition
  /** Reports every added delivery, as PostgreSQL does, and not only heads of lanes. @default false */
  readonly emitsAll?: boolean
}

/** Creates an in-memory store for {@link memoryStore}, for a saved trace, or for a simulation. */
export const createMemoryStore = ({
  contents,
  takePosition = (order) => order,
  emitsAll = false,
}: MemoryStoreOptions = {}): Store => {
  const database = createDatabase(contents)
  const { organizations, getTables, keyOwners, queues, nextOrder } = database
  const { deliveryQueue, ...queueChanges } = createDeliveryQueue(database, {
    emitsAll,
    publish: (event) => publish(event),
  })
  const { publish, operations } = createHistory(database, { ...queueChanges, takePosition })

  const store: Store = {
    ...deliveryQueue,
    ...operations,
    ...createRemoval(database, queueChanges),
    ...createFigures(database),
    saveOrganization: async (organization) => {
      const tables = organizations.get(organization.id)
      if (!isNext(tables?.organization, organization)) return 'stale'
      if (tables === undefined) organizations.set(organization.id, createTables(organization, nextOrder()))
      else tables.organization = organization
      return 'saved'
    },
    findOrganization: async (organizationId) => organizations.get(organizationId)?.organization,
    listOrganizations: async (page) => {
      const { items, ...rest } = readPage([...organizations.values()], page)
      return { ...rest, items: items.map(({ organization }) => organization) }
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
      if (existing !== undefined) return decideGroupCreation(existing, group)
      publish(event)
      groups.set(group.clientCustomGroupId, group)
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
      const { groups, participants } = getTables(participant.organizationId)
      if (!groups.has(participant.groupId)) throw new RecordNotFoundError('group', participant.groupId)
      const members = participants.get(participant.groupId) ?? new Map()
      if (!isNext(members.get(participant.digits), participant)) return 'stale'
      publish(event)
      participants.set(participant.groupId, members.set(participant.digits, participant))
      return 'saved'
    },
    findParticipant: async ({ organizationId, groupId, digits }) =>
      organizations.get(organizationId)?.participants.get(groupId)?.get(digits),
    listMembers: async ({ organizationId, groupId, cursor = '', limit }) => {
      const members = organizations.get(organizationId)?.participants.get(groupId)?.values() ?? []
      const rows = [...members]
        .filter(({ digits }) => digits > cursor)
        .sort((left, right) => (left.digits < right.digits ? -1 : 1))
      return toPage({ rows, limit, toItem: (row) => row, toCursor: ({ digits }) => digits })
    },
    countMembers: async (organizationId, groupIds) =>
      groupIds.map((groupId) => {
        const members = organizations.get(organizationId)?.participants.get(groupId)?.values() ?? []
        return [...members].filter(({ state }) => state === 'joined').length
      }),
    listParticipants: async (organizationId, digits) =>
      [...(organizations.get(organizationId)?.participants.values() ?? [])].flatMap(
        (members) => members.get(digits) ?? [],
      ),

    saveCall: async ({ call, event }) => {
      const { calls } = getTables(call.organizationId)
      if (!isNext(calls.get(call.callId), call)) return 'stale'
      publish(event)
      calls.set(call.callId, call)
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
      const { calls, summaries, summaryMarks } = getTables(summary.organizationId)
      if (!calls.has(summary.callId)) throw new RecordNotFoundError('call', summary.callId)
      const isFirst = !summaries.has(summary.callId) && !summaryMarks.has(sha256(summary.callId))
      if (isFirst) publish(event)
      summaries.set(summary.callId, summary)
      return isFirst ? 'first' : 'replaced'
    },
    addEvent: async (event) => publish(event),
    addEventTo: async (event, subscriptionId) => publish(event, subscriptionId),

    saveSubscription: async (record) => {
      const { subscriptions } = getTables(record.organizationId)
      const row = subscriptions.get(record.id)
      if (!isNext(row?.record, record)) return 'stale'
      if (row === undefined) {
        const added = createSubscription(record, nextOrder())
        subscriptions.set(record.id, added)
        queues.set(getQueue(added), added)
        return 'saved'
      }
      const { isReset, ...health } = decideSavedHealth(row.record, record)
      row.record = { ...record, ...health }
      if (isReset) row.pace = 'new'
      if (record.disabledReason !== null) skipAll(row, record.updatedAt)
      queueChanges.emitChanged(row)
      return 'saved'
    },
    findSubscription: async (organizationId, subscriptionId) =>
      organizations.get(organizationId)?.subscriptions.get(subscriptionId)?.record,
    listSubscriptions: async (organizationId, page) => {
      const rows = [...(organizations.get(organizationId)?.subscriptions.values() ?? [])]
      const { items, ...rest } = readPage(rows, page)
      return { ...rest, items: items.map(({ record }) => record) }
    },

    checkWritable: async () => {},
    measureUnfinished: async ({ organizationId, subscriptionIds, limit }) =>
      subscriptionIds.map((id) =>
        measureUnfinished(organizations.get(organizationId)?.subscriptions.get(id), limit),
      ),
    measureBacklog: async (request) => measureBacklog([...queues.values()], request),
    close: async () => {},
  }
  return register(store, database)
}
