import { StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'

/** How long the outcome of a write counts, in milliseconds. */
const validMs = 5_000

export type WatchedWrites = {
  /** The store, whose writes are watched. */
  readonly store: Store
  /**
   * Resolves if the last write succeeded. If it was more than 5 seconds ago, this writes something itself.
   *
   * @throws the error of the last write.
   */
  checkWritable(): Promise<void>
}

/** Watches the methods of a store that change something whenever they succeed. */
export const watchWrites = (store: Store, now: () => number = () => performance.now()): WatchedWrites => {
  let last: { readonly at: number; readonly error?: unknown } = { at: Number.NEGATIVE_INFINITY }
  let checking: Promise<void> | undefined

  const watch =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        const result = await write(...args)
        last = { at: now() }
        return result
      } catch (error) {
        if (error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError) {
          last = { at: now(), error }
        }
        throw error
      }
    }
  const check = watch(store.checkWritable)

  return {
    store: {
      ...store,
      createGroup: watch(store.createGroup),
      saveParticipant: watch(store.saveParticipant),
      saveCall: watch(store.saveCall),
      saveSummary: watch(store.saveSummary),
      addEvent: watch(store.addEvent),
      settleDelivery: watch(store.settleDelivery),
    },
    checkWritable: async () => {
      if (now() - last.at >= validMs) {
        checking ??= check().finally(() => {
          checking = undefined
        })
        await checking
      }
      if (last.error !== undefined) throw last.error
    },
  }
}
