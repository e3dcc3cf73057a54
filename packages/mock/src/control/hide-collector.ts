import type { FigureRecord, Page, PageRequest, ReferenceServer, Subscription } from '@wabakit/core'
import { readPages } from '@wabakit/core/control'

const negate = (record: FigureRecord): FigureRecord => ({
  ...record,
  subscriptionId: '',
  counts: Object.fromEntries(Object.entries(record.counts).map(([name, count = 0]) => [name, -count])),
})

type Deliveries = ReferenceServer['deliveries']

/** Reads a page of the shown items. Where others were left out, it is filled from the next pages. */
const readShown = async <Item>(
  list: (page: { cursor: string | undefined; limit: number }) => Promise<Page<Item>>,
  { isShown, cursor, limit = 100 }: Partial<PageRequest> & { isShown(item: Item): boolean },
): Promise<Page<Item>> => {
  const fill = async (start: string | undefined, count: number): Promise<Page<Item>> => {
    const items: Item[] = []
    let nextCursor = start
    for (;;) {
      const page = await list({ cursor: nextCursor, limit: count - items.length })
      items.push(...page.items.filter(isShown))
      // A list that can be followed ends with an empty page, and continues at the cursor before it.
      if (page.items.length > 0 || page.nextCursor !== undefined) nextCursor = page.nextCursor
      if (page.nextCursor === undefined || items.length === count) return { items, nextCursor }
    }
  }
  const { items, nextCursor } = await fill(cursor, limit)
  if (items.length === 0 || nextCursor === undefined) return { items }
  const ahead = await fill(nextCursor, 1)
  return ahead.items.length === 0 && ahead.nextCursor === undefined ? { items } : { items, nextCursor }
}

/**
 * Wraps a server. Lists neither the subscriptions with the collector's URL nor their deliveries, and neither counts these
 * nor changes several at once: no test has added that endpoint, and nothing received what it accepts.
 */
export const hideCollector = (service: ReferenceServer, collectorUrl: string): ReferenceServer => {
  const { subscriptions, deliveries, figures } = service
  const isHidden = ({ url }: Subscription): boolean => url === collectorUrl
  const listHidden = async (organizationId: string): Promise<string[]> => {
    const { items } = await subscriptions.list(organizationId, { limit: 1_000 })
    return items.filter(isHidden).map(({ id }) => id)
  }
  /** Changes the deliveries of one shown subscription after the other. All of them are one part, so there is no next one. */
  const changeShown =
    (change: Deliveries['resendPart']): Deliveries['resendPart'] =>
    async (organizationId, selection, options = {}) => {
      // Rejects a selection without conditions, which the condition on the subscription would hide.
      await change(organizationId, selection, { ...options, dryRun: true })
      let count = 0
      for await (const shown of readPages((page) => subscriptions.list(organizationId, page))) {
        const { id } = shown
        if (isHidden(shown) || (selection.subscriptionId ?? id) !== id) continue
        let { cursor } = options
        do {
          const part = await change(
            organizationId,
            { ...selection, subscriptionId: id },
            { ...options, cursor },
          )
          count += part.count
          cursor = part.nextCursor
        } while (cursor !== undefined)
      }
      return { count }
    }
  return {
    ...service,
    subscriptions: {
      ...subscriptions,
      list: (organizationId, query = {}) =>
        readShown((page) => subscriptions.list(organizationId, { ...query, ...page }), {
          ...query,
          isShown: (each) => !isHidden(each),
        }),
    },
    deliveries: {
      ...deliveries,
      list: async (organizationId, query) => {
        const hidden = await listHidden(organizationId)
        return readShown((page) => deliveries.list(organizationId, { ...query, ...page }), {
          ...query,
          isShown: ({ subscriptionId }) => !hidden.includes(subscriptionId),
        })
      },
      resendPart: changeShown(deliveries.resendPart),
      cancelPart: changeShown(deliveries.cancelPart),
      retryPart: changeShown(deliveries.retryPart),
    },
    figures: {
      ...figures,
      list: async (organizationId, { subscriptionIds, from }) => {
        const records = await figures.list(organizationId, { subscriptionIds, from })
        if (!subscriptionIds.includes('')) return records
        const hidden = await listHidden(organizationId)
        const collected = await figures.list(organizationId, { subscriptionIds: hidden, from })
        return [...records, ...collected.map(negate)]
      },
    },
  }
}
