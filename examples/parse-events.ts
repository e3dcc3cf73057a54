import { isWebhookParseError, parseEvent } from 'wabakit/webhooks'

/** Returns a line for a log of events. */
export const describeBody = (body: Uint8Array | string): string => {
  try {
    const parsed = parseEvent(body)
    switch (parsed.kind) {
      case 'event':
        // Its name tells TypeScript which fields the event has.
        return parsed.event.event === 'CALL_AI_SUMMARY'
          ? `${parsed.event.callId}: ${parsed.event.summary.recap}`
          : parsed.event.event
      case 'drifted':
        return `${parsed.name} has drifted: ${parsed.issues.map(({ message }) => message).join('; ')}`
      case 'unknown':
        return `not known: ${parsed.name ?? 'an event without a name'}`
      default:
        return parsed satisfies never
    }
  } catch (error) {
    if (!isWebhookParseError(error)) throw error
    return `unreadable: ${error.message}`
  }
}
