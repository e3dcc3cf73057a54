import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import type { Settlement, SettlementOutcome, Store } from '../store.ts'
import type { StopSignal } from './stop-signal.ts'

export type WriteOptions = {
  /** Maximum time to wait, in milliseconds; less than the rest of the lease. */
  readonly patienceMs: number
  /** Stopped if there must be no further retries. */
  readonly stopping: Pick<StopSignal, 'isStopped'>
}

/** Both errors allow a retry: if the settlement was committed after all, the next outcome is `stale`. */
const getPauseMs = (error: unknown): number | undefined => {
  if (error instanceof StorageUnavailableError) return error.retryAfterMs
  return error instanceof StorageOutcomeUnknownError ? 1_000 : undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Settles a delivery. If the store is unavailable, it retries while the claim lasts: if the result were lost, the
 * delivery would be attempted again.
 *
 * @throws StorageUnavailableError or StorageOutcomeUnknownError if the store remains unavailable.
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
      const pauseMs = getPauseMs(error)
      if (pauseMs === undefined || stopping.isStopped()) throw error
      waited += pauseMs
      if (waited > patienceMs) throw error
      await pause(pauseMs)
    }
  }
}
