import type { EventName, WebhookEventOf } from '@wabakit/wire'
import { callEventExamples, groupEventExamples } from '@wabakit/wire/definitions'
import type { CreateGroupRequest, CreateGroupResponse } from '../create-group.ts'
import type { PublishedEventName, PublishedEventOf } from '../published-event.ts'

const { CALL_MISSED, CALL_REJECTED, CALL_NOT_PICKED, ...publishedCalls } = callEventExamples

/** Example of each event that the reference server publishes. */
export const publishedExamples: { readonly [Name in PublishedEventName]: PublishedEventOf<Name> } = {
  ...groupEventExamples,
  ...publishedCalls,
}

/**
 * Example payload of each known event. Those that the reference server sends only in simulations and as test events have the
 * format of live services.
 */
export const eventExamples: { readonly [Name in EventName]: WebhookEventOf<Name> } = {
  ...publishedExamples,
  CALL_MISSED,
  CALL_REJECTED,
  CALL_NOT_PICKED,
}

const { groupId, groupName: subject } = groupEventExamples.GROUP_CREATED

export const createGroupRequestExample: CreateGroupRequest = {
  wabaNumber: '+12025550100',
  subject,
  description: 'Everything about the delivery of order 1234',
  joinApprovalMode: 'approval_required',
  groupId,
}

export const createGroupResponseExample: CreateGroupResponse = { success: true, groupId }
