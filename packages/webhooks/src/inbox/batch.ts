import { isError } from '@wabakit/wire'
/** Waits for one turn of the event loop, so that items that have already arrived or finished join the same batch. */
export const collect = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })

const maxItems = 100

/** Creates a function that runs items in batches: items that arrive while a batch is under way form the next batch. */
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
