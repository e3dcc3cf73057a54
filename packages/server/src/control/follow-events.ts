import type { EventRecord, ReferenceServer } from '@wabakit/core'

/** Reads on: the next events, in the order they happened, and whether there are more already. */
export type ReadOn = () => Promise<{ readonly items: EventRecord[]; readonly isMore: boolean }>

const pageSize = 100

/**
 * Follows the events of an organization.
 *
 * @param after - the id of the event to go on after; from now on when omitted, from the oldest when it is empty,
 *   or when there is no such event any more.
 */
export const followEvents = async (
  events: ReferenceServer['events'],
  organizationId: string,
  after: string | undefined,
): Promise<ReadOn> => {
  const newest = async (): Promise<string | undefined> => {
    const { items } = await events.list(organizationId, { order: 'newest_first', limit: 1 })
    return items[0]?.id
  }
  const eventId = after ?? (await newest())
  let cursor =
    eventId === undefined || eventId === ''
      ? undefined
      : (await events.list(organizationId, { eventId, limit: 1 })).nextCursor

  return async () => {
    const { items, nextCursor } = await events.list(organizationId, { limit: pageSize, cursor })
    cursor = nextCursor ?? cursor
    return { items, isMore: items.length === pageSize }
  }
}
