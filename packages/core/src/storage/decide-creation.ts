import type { GroupRecord } from '../records.ts'
import type { GroupCreationOutcome } from '../store.ts'

/** Decides the outcome of creating a group whose id is taken. A repetition of the same request gets its group again. */
export const decideCreation = (existing: GroupRecord, group: GroupRecord): GroupCreationOutcome => {
  const isSame = group.requestHash !== null && group.requestHash === existing.requestHash
  return { outcome: isSame ? 'same' : 'conflict', group: existing }
}
