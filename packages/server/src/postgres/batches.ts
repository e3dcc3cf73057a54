import { isLocked, isLost } from './postgres-failure.ts'

/** What {@link createBatches} works with. */
export type BatchesContext<Item, Outcome> = {
  /** Most items of a batch. */
  readonly largest: number
  /** Most batches on their way at the same time: few make for long batches, more use more of the database's cores. */
  readonly most: number
  /** What an item is about: a batch has one item about anything. When omitted, any items can be in one batch. */
  readonly keyOf?: (item: Item) => string
  /** Writes them all or none, and tells what became of each, in their order. */
  write(items: readonly Item[]): Promise<readonly Outcome[]>
}

type Waiting<Item, Outcome> = {
  readonly item: Item
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * Writes that come while others are on their way go together in the next statement, which costs little more than one of
 * them alone. The first is not made to wait for others.
 *
 * @returns writes one; rejects as `write` does with that one alone.
 */
export const createBatches = <Item, Outcome>({
  largest,
  most,
  keyOf,
  write,
}: BatchesContext<Item, Outcome>) => {
  let waiting: Waiting<Item, Outcome>[] = []
  let running = 0

  const run = async (batch: readonly Waiting<Item, Outcome>[]): Promise<void> => {
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome)
    } catch (error) {
      if (batch.length > 1 && (isLocked(error) || !isLost(error))) {
        // One of them cannot be written, or has to wait: it must not take the others along.
        await Promise.all(batch.map((each) => run([each])))
      } else {
        for (const { reject } of batch) reject(error)
      }
    }
  }

  const take = (): Waiting<Item, Outcome>[] => {
    if (keyOf === undefined) return waiting.splice(0, largest)
    const batch = new Map<string, Waiting<Item, Outcome>>()
    waiting = waiting.filter((each) => {
      const key = keyOf(each.item)
      if (batch.size >= largest || batch.has(key)) return true
      batch.set(key, each)
      return false
    })
    return [...batch.values()]
  }

  const fill = (): void => {
    while (running < most && waiting.length > 0) {
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
