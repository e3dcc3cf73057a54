import { isError } from '@wabakit/wire'
import { startImmediate, startTimer } from '../machine-time.ts'

/**
 * Waits for one turn of the event loop, so that items that have already arrived or finished join the same
 * batch. Does not wait if fake timers, which have a `clock`, were installed before this module was loaded.
 */
export const collect = (): Promise<void> =>
  new Promise((resolve) => {
    const start: (run: () => void) => unknown = startImmediate ?? startTimer
    if ('clock' in start) resolve()
    else start(resolve)
  })

const maxItems = 100

/**
 * Creates a function that runs items in batches of at most 100: items that arrive while a batch is under way form the next
 * ones.
 */
export const createBatch = <Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
) => {
  type Waiting = PromiseWithResolvers<Result> & { readonly item: Item }
  const waiting: Waiting[] = []
  let running = false

  const work = async (): Promise<void> => {
    running = true
    while (waiting.length > 0) {
      await collect()
      const batch = waiting.splice(0, maxItems)
      try {
        const results = await run(batch.map(({ item }) => item))
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index]
          if (result === undefined) reject(new Error('The batch has no result for this item.'))
          else if (isError(result)) reject(result)
          else resolve(result)
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (item: Item): Promise<Result> => {
    const entry = { ...Promise.withResolvers<Result>(), item }
    waiting.push(entry)
    if (!running) void work()
    return entry.promise
  }
}
