import type { EventName, WebhookEventOf } from '@wabakit/wire'
import {
  callAiSummaryRule,
  callLifecycleRule,
  callMissedRule,
  groupCreatedRule,
  participantJoinedRule,
  participantLeftRule,
  participantRemovedRule,
  type Rule,
} from '@wabakit/wire/definitions'

/** The rules of each event, without its name: the nine in the specification, then three that a live service sends. */
export const eventRules: { readonly [Name in EventName]: Rule<Omit<WebhookEventOf<Name>, 'event'>> } = {
  GROUP_CREATED: groupCreatedRule,
  GROUP_PARTICIPANT_JOINED: participantJoinedRule,
  GROUP_PARTICIPANT_LEFT: participantLeftRule,
  GROUP_PARTICIPANT_REMOVED: participantRemovedRule,
  CALL_INCOMING_INITIATED: callLifecycleRule,
  CALL_OUTGOING_INITIATED: callLifecycleRule,
  CALL_ACCEPTED: callLifecycleRule,
  CALL_ENDED: callLifecycleRule,
  CALL_AI_SUMMARY: callAiSummaryRule,
  CALL_MISSED: callMissedRule,
  CALL_REJECTED: callLifecycleRule,
  CALL_NOT_PICKED: callLifecycleRule,
}
