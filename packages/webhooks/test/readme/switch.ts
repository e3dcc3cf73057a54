import type { WebhookEvent } from 'wabakit/contract'

export const subject = (event: WebhookEvent): string => {
  switch (event.event) {
    case 'GROUP_CREATED':
    case 'GROUP_PARTICIPANT_JOINED':
    case 'GROUP_PARTICIPANT_LEFT':
    case 'GROUP_PARTICIPANT_REMOVED':
      return `group ${event.groupId}`
    case 'CALL_AI_SUMMARY':
      return `call ${event.callId}: ${event.summary.recap}`
    case 'CALL_INCOMING_INITIATED':
    case 'CALL_OUTGOING_INITIATED':
    case 'CALL_ACCEPTED':
    case 'CALL_ENDED':
    case 'CALL_MISSED':
    case 'CALL_REJECTED':
    case 'CALL_NOT_PICKED':
      return `call ${event.callId}`
    default:
      return event satisfies never
  }
}
