import type { Store } from '@wabakit/core'
import { createWriteCheck, isStorageError, type LastWrite, noWrite } from './write-check.ts'

/**
 * Returns the store with a `checkWritable` that uses the outcomes of recent creations. See {@link createWriteCheck}.
 * Other writes do not count: results of deliveries may fail while groups can be created, and the other way round.
 */
export const watchWrites = (store: Store, now: () => number = () => performance.now()): Store => {
  let last: LastWrite = noWrite
  const watch =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        const result = await write(...args)
        last = { at: now() }
        return result
      } catch (error) {
        // Any other error may concern only this group, so the next check tries itself.
        last = isStorageError(error) ? { at: now(), error } : noWrite
        throw error
      }
    }
  return {
    ...store,
    createGroup: watch(store.createGroup),
    checkWritable: createWriteCheck({ write: watch(store.checkWritable), readLast: () => last, now }),
  }
}
