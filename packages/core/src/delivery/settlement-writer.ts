import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import type { DeliveryQueue, Settlement, SettlementOutcome } from '../store.ts'
import type { Clock } from '../values/clock.ts'

type Waiting = {
  readonly settlement: Settlement
  readonly isAlone: boolean
  resolve(outcome: SettlementOutcome): void
  reject(error: unknown): void
}

const maxBatch = 128

/** Time that a failure waits for a success or other failures, in milliseconds, unless a batch is being written. */
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
  readonly clock: Clock
  /** Maximum time for retrying a failed batch, in milliseconds. */
  readonly retryForMs: number
  /** Returns whether a failure may wait to share a transaction. */
  mayDelayFailures(): boolean
}

/**
 * Writes settlements in batches, one batch at a time, as the delivery queue requires. A success waits only for the
 * batch before it. A failure may wait a little longer, so that several share a transaction. If the store refuses a
 * batch, each of its settlements is written alone: one that can never be stored must not keep the results of other
 * endpoints.
 */
export const createSettlementWriter = (
  store: Pick<DeliveryQueue, 'settleDeliveries'>,
  { clock, retryForMs, mayDelayFailures }: SettlementWriterOptions,
) => {
  let waiting: Waiting[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWriting = false
  let isRetrying = true

  const settle = async (batch: readonly Waiting[]): Promise<SettlementOutcome[]> => {
    const settlements = batch.map(({ settlement }) => settlement)
    const startedAt = clock.now()
    for (let waitedMs = 0; ; ) {
      try {
        return await store.settleDeliveries(settlements)
      } catch (error) {
        const pauseMs = getPauseMs(error)
        if (pauseMs === undefined || !isRetrying || batch[0]?.isAlone) throw error
        waitedMs += pauseMs
        // Counts the pauses as well as the clock: a virtual clock may not move, and a store may take long to fail.
        if (Math.max(waitedMs, clock.now() + pauseMs - startedAt) > retryForMs) throw error
        await pause(pauseMs)
      }
    }
  }

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const outcomes = await settle(batch)
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? { outcome: 'stale' })
    } catch (error) {
      const isUnavailable = getPauseMs(error) !== undefined
      if (batch.length > 1 && !isUnavailable) for (const each of batch) await writeBatch([each])
      else for (const { reject } of batch) reject(error)
      // The others would wait for the same database one after another, each until its statement times out.
      if (isUnavailable && batch[0]?.isAlone) for (const { reject } of takeAlone()) reject(error)
    }
  }

  const takeAlone = (): Waiting[] => {
    const alone = waiting.filter(({ isAlone }) => isAlone)
    waiting = waiting.filter(({ isAlone }) => !isAlone)
    return alone
  }

  const takeBatch = (): Waiting[] => {
    if (waiting[0]?.isAlone) return waiting.splice(0, 1)
    const ids = new Set<string>()
    const batch = waiting.filter(({ isAlone, settlement: { id } }) => {
      const isNew = !isAlone && ids.size < maxBatch && !ids.has(id)
      if (isNew) ids.add(id)
      return isNew
    })
    const taken = new Set(batch)
    waiting = waiting.filter((each) => !taken.has(each))
    return batch
  }

  const hasUrgent = (): boolean =>
    waiting.some(
      ({ isAlone, settlement: { result } }) => isAlone || result.kind === 'delivered' || !mayDelayFailures(),
    )

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
      await writeBatch(takeBatch())
      // The callers of this batch continue before the next batch starts.
      await undefined
    } while (hasUrgent())
    isWriting = false
    schedule()
  }

  return {
    /**
     * Writes a settlement. If the store is unavailable, or the outcome is unknown, retries for a limited time. With
     * `isAlone`, tries at most once, and does not share a transaction.
     *
     * @throws any error of the store if it could not be written.
     */
    write: (settlement: Settlement, isAlone: boolean): Promise<SettlementOutcome> =>
      new Promise((resolve, reject) => {
        waiting.push({ settlement, isAlone, resolve, reject })
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
