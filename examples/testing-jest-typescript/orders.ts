import { type Client, RateLimitError } from 'wabakit'
import { createReceiver, type Dedupe, type Verifier } from 'wabakit/webhooks'

/** Opens a group for an order. Returns undefined if the service is too busy. */
export const openGroup = async (
  client: Client,
  order: { wabaNumber: string; number: number },
): Promise<string | undefined> => {
  try {
    const group = { wabaNumber: order.wabaNumber, subject: `Order ${order.number}` }
    return (await client.groups.create(group)).groupId
  } catch (error) {
    if (error instanceof RateLimitError) return undefined
    throw error
  }
}

/** Receives the webhooks of the service, and passes the recap of each call to `handle`. */
export const receiveRecaps = (
  handle: (recap: string) => void,
  options: { verify: Verifier; dedupe: Dedupe },
) => createReceiver(options).on('CALL_AI_SUMMARY', ({ summary }) => handle(summary.recap))
