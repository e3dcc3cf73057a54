import { longestSpanMs } from '../figures/roll-up.ts'
import type { Store } from '../store.ts'
import { sha256 } from '../values/sha256.ts'
import type { MemoryDeliveryQueue } from './delivery-queue.ts'
import {
  type Database,
  type DeliveryRow,
  type EventRow,
  getDeliveryId,
  getQueue,
  type OrganizationTables,
} from './tables.ts'
import { leaveLane } from './unfinished.ts'

/**
 * Removes a call with its summary. If it had one, remembers that, so that the event is not published again.
 */
const removeCall = ({ calls, summaries, summaryMarks }: OrganizationTables, callId: string): void => {
  calls.delete(callId)
  if (summaries.delete(callId)) summaryMarks.add(sha256(callId))
}

/**
 * Removes calls, groups with their participants, and participants who are no longer in their group, if they have not
 * changed since `before`, at most `limit` of each. Returns their number.
 */
const pruneRecords = (tables: OrganizationTables, before: number, limit: number): number => {
  let removed = 0
  const removeUpTo = <Item>(items: readonly Item[], remove: (item: Item) => void): void => {
    for (const item of items.slice(0, limit)) remove(item)
    removed += Math.min(items.length, limit)
  }
  const getMembers = (groupId: string) => [...(tables.participants.get(groupId)?.values() ?? [])]
  const oldCalls = [...tables.calls.values()].filter(
    ({ callId, updatedAt }) =>
      updatedAt < before && (tables.summaries.get(callId)?.generatedAt ?? updatedAt) < before,
  )
  removeUpTo(oldCalls, ({ callId }) => removeCall(tables, callId))
  const isOld = ({ changedAt }: { readonly changedAt: number }): boolean => changedAt < before
  const oldGroups = [...tables.groups.values()].filter(
    ({ clientCustomGroupId, createdAt }) =>
      createdAt < before && getMembers(clientCustomGroupId).every(isOld),
  )
  const oldIds = new Set(oldGroups.map(({ clientCustomGroupId }) => clientCustomGroupId))
  const oldMembers = [...tables.participants.keys()]
    .flatMap(getMembers)
    .filter((member) => oldIds.has(member.groupId) || (member.state !== 'joined' && isOld(member)))
  removeUpTo(oldMembers, ({ groupId, digits }) => tables.participants.get(groupId)?.delete(digits))
  removeUpTo(
    oldGroups.filter(({ clientCustomGroupId }) => getMembers(clientCustomGroupId).length === 0),
    ({ clientCustomGroupId }) => tables.groups.delete(clientCustomGroupId),
  )
  return removed
}

/** Creates the operations that remove records for good. */
export const createRemoval = (
  { organizations, keyOwners, queues, events, deliveries }: Database,
  { emitChanged }: Pick<MemoryDeliveryQueue, 'emitChanged'>,
) => {
  const removeDeliveries = (
    tables: OrganizationTables,
    isRemoved: (row: DeliveryRow) => boolean,
    limit = Infinity,
  ): ReadonlySet<DeliveryRow> => {
    const removed = new Set(tables.deliveries.filter(isRemoved).slice(0, limit))
    for (const row of removed) deliveries.delete(getDeliveryId(row))
    tables.deliveries = tables.deliveries.filter((row) => !removed.has(row))
    return removed
  }

  const removeEvents = (
    tables: OrganizationTables,
    isRemoved: (row: EventRow) => boolean,
    limit = Infinity,
  ): ReadonlySet<EventRow> => {
    const removed = new Set(tables.events.filter(isRemoved).slice(0, limit))
    for (const { event } of removed) events.delete(event.id)
    tables.events = tables.events.filter((row) => !removed.has(row))
    return removed
  }

  return {
    removeOrganization: async (organizationId) => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) return false
      organizations.delete(organizationId)
      for (const hash of tables.keys.keys()) keyOwners.delete(hash)
      for (const owner of tables.subscriptions.values()) queues.delete(getQueue(owner))
      removeDeliveries(tables, () => true)
      removeEvents(tables, () => true)
      return true
    },
    removeSubscription: async (organizationId, subscriptionId) => {
      const tables = organizations.get(organizationId)
      const owner = tables?.subscriptions.get(subscriptionId)
      if (tables === undefined || owner === undefined) return false
      tables.subscriptions.delete(subscriptionId)
      queues.delete(getQueue(owner))
      removeDeliveries(tables, (row) => row.owner === owner)
      for (const [key, figure] of tables.figures) {
        if (figure.subscriptionId === subscriptionId) tables.figures.delete(key)
      }
      return true
    },
    prune: async ({ before, recordsBefore = -Infinity, limit }) => {
      let [deliveryCount, eventCount, recordCount] = [0, 0, 0]
      for (const tables of organizations.values()) {
        const isOld = ({ finishedAt }: DeliveryRow): boolean => finishedAt !== null && finishedAt < before
        deliveryCount += removeDeliveries(tables, isOld, limit - deliveryCount).size
        const needed = new Set(tables.deliveries.map(({ event }) => event.id))
        const isUnneeded = ({ event }: EventRow) => event.occurredAt < before && !needed.has(event.id)
        eventCount += removeEvents(tables, isUnneeded, limit - eventCount).size
        const recordLimit = Math.max(0, limit - recordCount)
        recordCount += pruneRecords(tables, recordsBefore, recordLimit)
        const oldFigures = [...tables.figures].filter(
          ([, { span, at }]) => span === longestSpanMs && at < before,
        )
        for (const [key] of oldFigures.slice(0, recordLimit)) tables.figures.delete(key)
        recordCount += Math.min(recordLimit, oldFigures.length)
      }
      return deliveryCount + eventCount + recordCount
    },
    erase: async ({ organizationId, callIds, participants, eventIds, now }) => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) return
      for (const callId of callIds) removeCall(tables, callId)
      for (const { groupId, digits } of participants) tables.participants.get(groupId)?.delete(digits)
      const erased = new Set(eventIds)
      const isErased = ({ event }: EventRow | DeliveryRow): boolean => erased.has(event.id)
      for (const row of removeDeliveries(tables, isErased)) {
        leaveLane(row, 'skipped', now)
        emitChanged(row.owner)
      }
      removeEvents(tables, isErased)
    },
  } satisfies Partial<Store>
}
