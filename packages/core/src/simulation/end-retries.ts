import type { AttemptResult } from '../records.ts'
import type { Store } from '../store.ts'

/**
 * Wraps a store so that a failed or deferred attempt for which `isLast` returns true exhausts its delivery.
 */
export const endRetries = (
  store: Store,
  isLast: (deliveryId: string, attempt: AttemptResult) => boolean,
): Store => ({
  ...store,
  settleDeliveries: (settlements) =>
    store.settleDeliveries(
      settlements.map((settlement) => {
        const { id, result } = settlement
        const isFailure = result.kind === 'retry' || result.kind === 'deferred'
        if (!isFailure || !isLast(id, result.attempt)) return settlement
        return { ...settlement, result: { kind: 'exhausted', attempt: result.attempt } }
      }),
    ),
})
