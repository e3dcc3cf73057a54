import { createClient, isApiError } from 'wabakit'
import type { WebhookEvent } from 'wabakit/contract'
import { createReceiver, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

type Handled = Extract<WebhookEvent, { event: 'GROUP_CREATED' | 'CALL_ENDED' | 'CALL_AI_SUMMARY' }>

/** A switch over several events. If a case is missing, `satisfies never` does not compile. */
export const getSubject = (event: Handled): string | null => {
  switch (event.event) {
    case 'GROUP_CREATED':
      return event.groupId
    case 'CALL_ENDED':
      return event.callId
    case 'CALL_AI_SUMMARY':
      return event.summary.recap
    default:
      throw new Error(`Not handled: ${JSON.stringify(event satisfies never)}`)
  }
}

export const missing = (event: WebhookEvent): string => {
  switch (event.event) {
    case 'CALL_AI_SUMMARY':
      return event.summary.recap
    default:
      // @ts-expect-error the other cases are missing
      throw new Error(String(event satisfies never))
  }
}

export const receiver = createReceiver({ verify: standardWebhooks({ secrets: ['whsec_…'] }) })
  .on('CALL_AI_SUMMARY', (event) => {
    const recap: string = event.summary.recap
    // @ts-expect-error misspelled: event types have no index signature
    void event.calId
    return recap
  })
  .on(['GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'], (event) => void event.groupId)

export const handler = toNodeHandler(receiver)

export const create = async (): Promise<string> => {
  const client = createClient({ baseUrl: 'https://api.example.com', apiKey: 'key' })
  try {
    const { groupId } = await client.groups.create({ wabaNumber: '+1', subject: 'Order 1042' })
    // @ts-expect-error subject is required
    await client.groups.create({ wabaNumber: '+1' })
    return groupId
  } catch (error) {
    if (isApiError(error)) return error.code
    throw error
  }
}
