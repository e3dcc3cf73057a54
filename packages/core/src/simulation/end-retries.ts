import type { AttemptResult, DeliveryRecord } from '../records.ts'
import type { Store } from '../store.ts'

/**
 * Wraps a store so that a failed or deferred attempt for which `isLast` returns true exhausts its delivery. The
 * delivery is passed as it was before the attempt. If the store fails, `isLast` may be called again with the same
 * attempt.
 */
export const endRetries = (
  store: Store,
  isLast: (delivery: DeliveryRecord, attempt: AttemptResult) => boolean,
): Store => ({
  ...store,
  settleDeliveries: (settlements) =>
    store.settleDeliveries(
      settlements.map((settlement) => {
        const { delivery, result } = settlement
        const isFailure = result.kind === 'retry' || result.kind === 'deferred'
        if (!isFailure || !isLast(delivery, result.attempt)) return settlement
        return { ...settlement, result: { kind: 'exhausted', attempt: result.attempt } }
      }),
    ),
})
