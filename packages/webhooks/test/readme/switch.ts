import type { WebhookEvent } from 'wabakit/contract'

export const subject = (event: WebhookEvent): string => {
  switch (event.event) {
    case 'GROUP_CREATED':
      return `group ${event.groupId}`
    case 'CALL_ENDED':
      return `call ${event.callId}`
    case 'CALL_AI_SUMMARY':
      return `call ${event.callId}: ${event.summary.recap}`
    default:
      return event.event
  }
}
