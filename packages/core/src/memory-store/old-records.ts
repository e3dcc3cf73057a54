import { sha256 } from '../values/sha256.ts'
import type { OrganizationTables } from './tables.ts'

/** Removes a call with its summary, but marks that there was a summary. */
export const forgetCall = ({ calls, summaries, summaryMarks }: OrganizationTables, callId: string): void => {
  calls.delete(callId)
  if (summaries.delete(callId)) summaryMarks.add(sha256(callId))
}

/**
 * Removes at most `limit` calls, participants and groups that have not changed since `before`. Returns their number.
 */
export const pruneRecords = (tables: OrganizationTables, before: number, limit: number): number => {
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
  removeUpTo(oldCalls, ({ callId }) => forgetCall(tables, callId))
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
