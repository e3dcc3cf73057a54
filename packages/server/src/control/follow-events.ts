import type { EventRecord, ReferenceServer } from '@wabakit/core'

/** Reads the next events, in the order in which they happened. `isMore` is set if further events are available. */
export type ReadNextEvents = () => Promise<{ readonly items: EventRecord[]; readonly isMore: boolean }>

const pageSize = 100

/**
 * Follows the events of an organization.
 *
 * @param after - the id of the event to start after. If omitted, only new events follow; if empty or no longer stored,
 *   the oldest event is the first.
 */
export const followEvents = async (
  events: ReferenceServer['events'],
  organizationId: string,
  after: string | undefined,
): Promise<ReadNextEvents> => {
  const findNewest = async (): Promise<string | undefined> => {
    const { items } = await events.list(organizationId, { order: 'newest_first', limit: 1 })
    return items[0]?.id
  }
  const eventId = after ?? (await findNewest())
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
