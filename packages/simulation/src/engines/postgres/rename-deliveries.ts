import type { Store } from '@wabakit/core'

type Named = { readonly id: string }

const rename = <Record extends Named>(record: Record): Record => ({ ...record, id: `${record.id}_1` })

const toOwnId = (deliveryId: string): string => deliveryId.replace(/_1$/, '')

/** Gives deliveries ids of the form that the PostgreSQL store has: `dlv_<event>_<subscription>`. */
export const renameDeliveries = (store: Store): Store => ({
  ...store,
  claimDeliveries: async (request) =>
    (await store.claimDeliveries(request)).map((each) => ({ ...each, delivery: rename(each.delivery) })),
  settleDelivery: async (settlement) => {
    const outcome = await store.settleDelivery({ ...settlement, deliveryId: toOwnId(settlement.deliveryId) })
    return outcome.outcome === 'stale' ? outcome : { ...outcome, delivery: rename(outcome.delivery) }
  },
  listDeliveries: async ({ deliveryId, ...query }) => {
    const own = deliveryId === undefined ? {} : { deliveryId: toOwnId(deliveryId) }
    const { items, ...page } = await store.listDeliveries({ ...query, ...own })
    return { ...page, items: items.map(rename) }
  },
  listAttempts: (organizationId, deliveryId) => store.listAttempts(organizationId, toOwnId(deliveryId)),
  listLastAttempts: (organizationId, deliveryIds) =>
    store.listLastAttempts(organizationId, deliveryIds.map(toOwnId)),
})
