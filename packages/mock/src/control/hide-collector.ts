import type { FigureRecord, ReferenceServer, Subscription } from '@wabakit/core'

const negate = (record: FigureRecord): FigureRecord => ({
  ...record,
  subscriptionId: '',
  counts: Object.fromEntries(Object.entries(record.counts).map(([name, count = 0]) => [name, -count])),
})

type Deliveries = ReferenceServer['deliveries']

/**
 * Wraps a server. Lists neither the subscriptions with the collector's URL nor their deliveries, and neither counts nor
 * changes these: no test has added that endpoint, and nothing received what it accepts.
 */
export const hideCollector = (service: ReferenceServer, collectorUrl: string): ReferenceServer => {
  const { subscriptions, deliveries, figures } = service
  const isHidden = ({ url }: Subscription): boolean => url === collectorUrl
  const listHidden = async (organizationId: string): Promise<string[]> => {
    const { items } = await subscriptions.list(organizationId, { limit: 1_000 })
    return items.filter(isHidden).map(({ id }) => id)
  }
  /** Changes the deliveries of one shown subscription after the other, in one part. */
  const changeShown =
    (change: Deliveries['resendPart']): Deliveries['resendPart'] =>
    async (organizationId, selection, options = {}) => {
      // Rejects a selection without conditions, which the condition below would hide.
      await change(organizationId, selection, { ...options, dryRun: true })
      const { items } = await subscriptions.list(organizationId, { limit: 1_000 })
      let count = 0
      for (const { id } of items.filter((each) => !isHidden(each))) {
        if ((selection.subscriptionId ?? id) !== id) continue
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
      list: async (...query) => {
        const { items, ...rest } = await subscriptions.list(...query)
        return { ...rest, items: items.filter((each) => !isHidden(each)) }
      },
    },
    deliveries: {
      ...deliveries,
      list: async (organizationId, query) => {
        const hidden = await listHidden(organizationId)
        const { items, ...rest } = await deliveries.list(organizationId, query)
        return { ...rest, items: items.filter(({ subscriptionId }) => !hidden.includes(subscriptionId)) }
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
