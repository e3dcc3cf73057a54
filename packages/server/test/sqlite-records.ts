import type { EventRecord, GroupCreation, OrganizationRecord } from '@wabakit/core'
import { buildEvent, buildGroup, buildOrganization } from '../../core/test/store-cases/index.ts'

export { buildSubscription as subscription, start } from '../../core/test/store-cases/index.ts'

export const organization = (id = 'acme'): OrganizationRecord => buildOrganization({ id })

/** Builds the event of a group's creation. */
export const groupEvent = (groupId: string, overrides: Partial<EventRecord> = {}): EventRecord =>
  buildEvent({
    id: `evt_${groupId}`,
    subject: `group:${groupId}`,
    payload: JSON.stringify({ event: 'GROUP_CREATED', groupId }),
    ...overrides,
  })

/** Builds the creation of a group, with its event. */
export const groupCreation = (groupId: string): GroupCreation => ({
  group: buildGroup({ clientCustomGroupId: groupId, requestHash: null }),
  event: groupEvent(groupId),
})
