import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import type { DeliveryQueue, Settlement, SettlementOutcome } from '../store.ts'

type Waiting = {
  readonly settlement: Settlement
  resolve(outcome: SettlementOutcome): void
  reject(error: unknown): void
}

const maxBatch = 128

/** Maximum time that a failure waits for a success or other failures, in milliseconds. */
const failureDelayMs = 50

/**
 * Returns the pause before a retry. A retry is safe after either error: if the settlements were committed
 * after all, the next outcomes are `stale`.
 */
const getPauseMs = (error: unknown): number | undefined => {
  if (error instanceof StorageUnavailableError) return error.retryAfterMs
  return error instanceof StorageOutcomeUnknownError ? 1_000 : undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export type SettlementWriterOptions = {
  /** Maximum time for retrying a failed batch, in milliseconds. */
  readonly retryForMs: number
  /** Returns whether a failure may wait to share a transaction. */
  mayDelayFailures(): boolean
}

/**
 * Writes settlements in batches, one batch at a time, as the delivery queue requires. A success is written at
 * once. A failure may wait a little, so that several share a transaction.
 */
export const createSettlementWriter = (
  store: Pick<DeliveryQueue, 'settleDeliveries'>,
  { retryForMs, mayDelayFailures }: SettlementWriterOptions,
) => {
  let waiting: Waiting[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWriting = false
  let isRetrying = true

  const settle = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    for (let waited = 0; ; ) {
      try {
        return await store.settleDeliveries(settlements)
      } catch (error) {
        const pauseMs = getPauseMs(error)
        if (pauseMs === undefined || !isRetrying) throw error
        waited += pauseMs
        if (waited > retryForMs) throw error
        await pause(pauseMs)
      }
    }
  }

  const takeBatch = (): Waiting[] => {
    const ids = new Set<string>()
    const batch = waiting.filter(({ settlement: { id } }) => {
      const isNew = ids.size < maxBatch && !ids.has(id)
      if (isNew) ids.add(id)
      return isNew
    })
    const taken = new Set(batch)
    waiting = waiting.filter((each) => !taken.has(each))
    return batch
  }

  const hasUrgent = (): boolean =>
    waiting.some(({ settlement: { result } }) => result.kind === 'delivered' || !mayDelayFailures())

  const schedule = (): void => {
    if (isWriting || waiting.length === 0) return
    if (hasUrgent()) void writeAll()
    else timer ??= setTimeout(() => void writeAll(), failureDelayMs)
  }

  const writeAll = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    isWriting = true
    // Attempts that end at the same time share a batch.
    await undefined
    do {
      const batch = takeBatch()
      try {
        const outcomes = await settle(batch.map(({ settlement }) => settlement))
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? { outcome: 'stale' })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      // The callers of this batch continue before the next batch starts.
      await undefined
    } while (hasUrgent())
    isWriting = false
    schedule()
  }

  return {
    /**
     * Writes a settlement. If the store is unavailable, or the outcome is unknown, retries for a limited time: if the
     * result were lost, the delivery would be attempted again later.
     *
     * @throws StorageUnavailableError or StorageOutcomeUnknownError if it could not be written.
     */
    write: (settlement: Settlement): Promise<SettlementOutcome> =>
      new Promise((resolve, reject) => {
        waiting.push({ settlement, resolve, reject })
        schedule()
      }),
    /** Returns whether a batch is being written. */
    isWriting: () => isWriting,
    /** Sets whether failed writes are retried. By default, they are. */
    setRetrying: (value: boolean): void => {
      isRetrying = value
    },
  }
}
