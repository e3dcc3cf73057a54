import type { EventRecord, GroupCreation, OrganizationRecord, SubscriptionRecord } from '@wabakit/core'
import {
  buildEvent,
  buildGroup,
  buildOrganization,
  buildSubscription,
} from '../../core/test/store-cases/records.ts'

const number = '+15550100001'

/** Builds an organization without numbers. */
export const organization = (overrides: Partial<OrganizationRecord> = {}): OrganizationRecord =>
  buildOrganization({ integrations: [], pstnNumbers: [], createdAt: 0, ...overrides })

/** Builds a subscription to all events of one number. */
export const subscription = (overrides: Partial<SubscriptionRecord> = {}): SubscriptionRecord =>
  buildSubscription({ number, createdAt: 0, updatedAt: 0, ...overrides })

let subjects = 0

/** Builds an event of that number, with a unique id and subject. */
export const event = (overrides: Partial<EventRecord> = {}): EventRecord =>
  buildEvent({ subject: `group:${++subjects}`, occurredAt: Date.now(), ...overrides })

/** Builds the creation of a group, with its event. */
export const groupCreation = (clientCustomGroupId: string): GroupCreation => ({
  group: buildGroup({
    clientCustomGroupId,
    requestHash: null,
    wabaNumber: number,
    createdAt: Date.now(),
  }),
  event: event({ subject: `group:${clientCustomGroupId}` }),
})
