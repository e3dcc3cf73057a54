import type { Store } from '@wabakit/core'

/** Replaces the time of each call by that of the store: processes that share a store do not trust each other's clocks. */
export const useClockOfStore = (store: Store, now: () => number): Store => ({
  ...store,
  claimDeliveries: (request) => store.claimDeliveries({ ...request, now: now() }),
  settleDelivery: (settlement) => store.settleDelivery({ ...settlement, now: now() }),
  resendDeliveries: (query) => store.resendDeliveries({ ...query, now: now() }),
  measureBacklog: (request) => store.measureBacklog({ ...request, now: now() }),
  erase: (request) => store.erase({ ...request, now: now() }),
})
