import type { Store } from '../store.ts'

/** One thing that every store must do. */
export type StoreCase = {
  /** What it must do, as a sentence. */
  readonly name: string
  /**
   * Runs the case.
   *
   * @param open - opens an empty store; the case closes it.
   * @throws AssertionError when the store does not do it.
   */
  run(open: () => Promise<Store>): Promise<void>
}

/** Cases by their sentences. */
export const defineCases = (cases: Readonly<Record<string, (store: Store) => Promise<void>>>): StoreCase[] =>
  Object.entries(cases).map(([name, body]) => ({
    name,
    run: async (open) => {
      const store = await open()
      try {
        await body(store)
      } finally {
        await store.close()
      }
    },
  }))
