import { StorageOutcomeUnknownError } from '../errors/storage-outcome-unknown-error.ts'
import { StorageUnavailableError } from '../errors/storage-unavailable-error.ts'
import type { Settlement, SettlementOutcome, Store } from '../store.ts'

/** How long {@link writeSettlement} tries. */
export type WriteOptions = {
  /** Most milliseconds to wait in all; less than what is left of the lease. */
  readonly patienceMs: number
  /** Ends the trying. */
  readonly stopping: AbortSignal
}

/** A settlement that was committed unnoticed is `stale` when it is written again, so both may be repeated. */
const pauseMsAfter = (error: unknown): number | undefined => {
  if (error instanceof StorageUnavailableError) return error.retryAfterMs
  return error instanceof StorageOutcomeUnknownError ? 1_000 : undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Writes what became of a delivery. While the store is unavailable it tries again for as long as the claim holds: a
 * result that is lost means that the delivery is sent once more.
 *
 * @throws StorageUnavailableError or StorageOutcomeUnknownError when the store stayed unavailable.
 */
export const writeSettlement = async (
  store: Pick<Store, 'settleDelivery'>,
  settlement: Settlement,
  { patienceMs, stopping }: WriteOptions,
): Promise<SettlementOutcome> => {
  for (let waited = 0; ; ) {
    try {
      return await store.settleDelivery(settlement)
    } catch (error) {
      const pauseMs = pauseMsAfter(error)
      if (pauseMs === undefined || stopping.aborted) throw error
      waited += pauseMs
      if (waited > patienceMs) throw error
      await pause(pauseMs)
    }
  }
}
