import type { GroupRecord } from '../records.ts'
import type { GroupCreationOutcome } from '../store.ts'

/**
 * Decides the outcome of creating a group whose id is taken. A repeated request gets the group that it
 * created.
 */
export const decideGroupCreation = (existing: GroupRecord, group: GroupRecord): GroupCreationOutcome => {
  const isSame = group.requestHash !== null && group.requestHash === existing.requestHash
  return { outcome: isSame ? 'same' : 'conflict', group: existing }
}
