import { isLocked, isLost } from './storage-errors.ts'

export type BatchOptions<Item, Outcome> = {
  readonly maxItems: number
  /**
   * Returns the key of the row that an item changes. A batch has at most one item per key. Without this
   * function, batches can contain any items.
   */
  readonly getKey?: (item: Item) => string
  /** Writes all items or none, and returns their outcomes in the same order. */
  write(items: readonly Item[]): Promise<readonly Outcome[]>
}

/** Maximum number of batches under way. With more, they would be smaller and use more cores of the database. */
const maxConcurrent = 2

type Waiting<Item, Outcome> = {
  readonly item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * Combines writes that arrive while others are running: one statement for all of them costs little more than
 * a single write. The first write starts without waiting for others.
 *
 * @returns a function that writes one item. It rejects if `write` rejects for that item alone, or if the
 * database becomes unavailable during the batch.
 */
export const createBatches = <Item, Outcome>({ maxItems, getKey, write }: BatchOptions<Item, Outcome>) => {
  let waiting: Waiting<Item, Outcome>[] = []
  let running = 0

  const run = async (batch: readonly Waiting<Item, Outcome>[]): Promise<void> => {
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome)
    } catch (error) {
      if (batch.length > 1 && (isLocked(error) || !isLost(error))) {
        // One of the items may be invalid or blocked by a lock, so each item is written alone, and none waits for another one. At
        // most `maxItems` of them wait for connections of the pool, and no batch takes the place of this one until all have ended.
        await Promise.all(batch.map((each) => run([each])))
      } else {
        for (const { reject } of batch) reject(error)
      }
    }
  }

  const take = (): Waiting<Item, Outcome>[] => {
    if (getKey === undefined) return waiting.splice(0, maxItems)
    const batch = new Map<string, Waiting<Item, Outcome>>()
    waiting = waiting.filter((each) => {
      const key = getKey(each.item)
      if (batch.size >= maxItems || batch.has(key)) return true
      batch.set(key, each)
      return false
    })
    return [...batch.values()]
  }

  const fill = (): void => {
    while (running < maxConcurrent && waiting.length > 0) {
      running++
      void run(take()).then(() => {
        running--
        fill()
      })
    }
  }

  return (item: Item): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      queueMicrotask(fill)
    })
}
