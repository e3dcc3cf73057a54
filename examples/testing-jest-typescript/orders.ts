import { type Client, RateLimitError } from 'wabakit'

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
