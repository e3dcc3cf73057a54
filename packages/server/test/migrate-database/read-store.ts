import type { Page, Store } from '@wabakit/core'

const pageSize = 3

const readPages = async <Item>(
  list: (page: { cursor?: string; limit: number }) => Promise<Page<Item>>,
): Promise<Item[]> => {
  const items: Item[] = []
  let page = await list({ limit: pageSize })
  while (page.items.length > 0) {
    items.push(...page.items)
    if (page.nextCursor === undefined) break
    page = await list({ limit: pageSize, cursor: page.nextCursor })
  }
  return items
}

const readOrganization = async (store: Store, organizationId: string) => {
  const inBothOrders = async <Item>(
    list: (query: {
      organizationId: string
      order: 'oldest_first' | 'newest_first'
      limit: number
    }) => Promise<Page<Item>>,
  ) =>
    Promise.all(
      (['oldest_first', 'newest_first'] as const).map((order) =>
        readPages((page) => list({ ...page, organizationId, order })),
      ),
    )
  const events = await inBothOrders((query) => store.listEvents(query))
  const deliveries = await inBothOrders((query) => store.listDeliveries(query))
  const bodies = events.flat().map(({ payload }) => JSON.parse(payload))
  const unique = (values: unknown[]): string[] =>
    [...new Set(values)].filter((value): value is string => typeof value === 'string')
  const groups = unique(bodies.map(({ groupId }) => groupId))
  const people = unique(bodies.map(({ customerPhone }) => customerPhone)).map((phone) => phone.slice(1))
  const subscriptions = await readPages((page) => store.listSubscriptions(organizationId, page))
  const keys = await store.listApiKeys(organizationId)
  return {
    organization: await store.findOrganization(organizationId),
    keys,
    callers: await Promise.all(keys.map(({ hash }) => store.findCaller(hash))),
    subscriptions,
    figures: await store.listFigures({
      organizationId,
      subscriptionIds: ['', ...subscriptions.map(({ id }) => id)],
      from: 0,
    }),
    events,
    deliveries,
    attempts: await Promise.all(
      deliveries
        .flat()
        .map(async ({ id }) => [
          await store.listAttempts(organizationId, id),
          (await store.listDeliveries({ organizationId, deliveryId: id, limit: 2 })).items,
        ]),
    ),
    groups: await Promise.all(groups.map((groupId) => store.findGroup(organizationId, groupId))),
    participants: await Promise.all(
      groups.flatMap((groupId) =>
        people.map((digits) => store.findParticipant({ organizationId, groupId, digits })),
      ),
    ),
    calls: await Promise.all(
      [...unique(bodies.map(({ callId }) => callId)), 'missed'].map((callId) =>
        store.findCall(organizationId, callId),
      ),
    ),
  }
}

/** Reads the records of a store through its methods, page by page. */
export const readStore = async (store: Store) => {
  const organizations = await readPages((page) => store.listOrganizations(page))
  return {
    organizations,
    each: await Promise.all(organizations.map(({ id }) => readOrganization(store, id))),
    nextDueAt: await store.nextDueAt(),
  }
}
