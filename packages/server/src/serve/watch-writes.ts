import type { Store } from '@wabakit/core'
import { createWriteCheck, isStorageError, type LastWrite, noWrite } from '../stores/write-check.ts'

/** Returns the store with a `checkWritable` that uses the outcomes of recent writes. See {@link createWriteCheck}. */
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
        if (isStorageError(error)) last = { at: now(), error }
        throw error
      }
    }

  return {
    ...store,
    createGroup: watch(store.createGroup),
    saveParticipant: watch(store.saveParticipant),
    saveCall: watch(store.saveCall),
    saveSummary: watch(store.saveSummary),
    addEvent: watch(store.addEvent),
    settleDeliveries: watch(store.settleDeliveries),
    checkWritable: createWriteCheck({ write: watch(store.checkWritable), readLast: () => last, now }),
  }
}
