import type { Store } from '@wabakit/core'

/** Replaces the time of each call by that of the store: processes that share a store do not trust each other's clocks. */
export const useClockOfStore = (store: Store, now: () => number): Store => ({
  ...store,
  settleDeliveries: (settlements) =>
    store.settleDeliveries(settlements.map((settlement) => ({ ...settlement, now: now() }))),
  renewWorker: (renewal) => store.renewWorker({ ...renewal, now: now() }),
  takeShards: (request) => store.takeShards({ ...request, now: now() }),
  giveShards: (request) => store.giveShards({ ...request, now: now() }),
  resendDeliveries: (query) => store.resendDeliveries({ ...query, now: now() }),
  measureBacklog: (request) => store.measureBacklog({ ...request, now: now() }),
  erase: (request) => store.erase({ ...request, now: now() }),
})
