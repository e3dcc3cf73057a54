import { type Settlement, type SettlementOutcome, StorageUnavailableError } from '@wabakit/core'

/** What a batch of settlements came to, in the order of the batch. */
export type SettleBatch = (settlements: readonly Settlement[]) => Promise<readonly SettlementOutcome[]>

type Waiting = {
  readonly settlement: Settlement
  resolve(outcome: SettlementOutcome): void
  reject(error: unknown): void
}

const largestBatch = 64
const mostBatches = 2

/**
 * Settlements that come while others are being written go together in the next statement, which costs little more than
 * one of them alone.
 */
export const createSettleQueue = (settleBatch: SettleBatch) => {
  const waiting: Waiting[] = []
  let running = 0

  const settleAll = async (batch: readonly Waiting[]): Promise<void> => {
    const settlements = batch.map(({ settlement }) => settlement)
    const outcomes = await settleBatch(settlements)
    for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? { outcome: 'stale' })
  }

  const run = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await settleAll(batch)
    } catch (error) {
      if (batch.length === 1 || error instanceof StorageUnavailableError) {
        for (const { reject } of batch) reject(error)
      } else {
        // One of them cannot be written: it must not take the others along.
        for (const each of batch) await run([each])
      }
    }
  }

  const fill = (): void => {
    while (running < mostBatches && waiting.length > 0) {
      const batch = waiting.splice(0, largestBatch)
      running++
      void run(batch).then(() => {
        running--
        fill()
      })
    }
  }

  return (settlement: Settlement): Promise<SettlementOutcome> =>
    new Promise((resolve, reject) => {
      waiting.push({ settlement, resolve, reject })
      queueMicrotask(fill)
    })
}
