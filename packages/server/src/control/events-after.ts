import type { EventRecord, ReferenceServer } from '@wabakit/core'

const pageSize = 100

/**
 * The events of an organization that happened after one of them, in the order they happened; all of them when there
 * is no such event any more.
 */
export const eventsAfter = async (
  events: ReferenceServer['events'],
  organizationId: string,
  after: string | undefined,
): Promise<EventRecord[]> => {
  const found: EventRecord[] = []
  let cursor: string | undefined
  do {
    const page = await events.list(organizationId, {
      order: 'newest_first',
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    })
    const end = page.items.findIndex(({ id }) => id === after)
    found.push(...page.items.slice(0, end === -1 ? undefined : end))
    cursor = end === -1 ? page.nextCursor : undefined
  } while (cursor !== undefined)
  return found.reverse()
}
