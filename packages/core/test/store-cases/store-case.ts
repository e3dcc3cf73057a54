import type { Store } from '../../src/store.ts'

/** A rule that every store must follow. */
export type StoreCase = {
  /** The rule, as a sentence. */
  readonly name: string
  /**
   * Runs the case.
   *
   * @param open - opens an empty store; the case closes it.
   * @throws AssertionError if the store does not follow the rule.
   */
  run(open: () => Promise<Store>): Promise<void>
}

/** Defines cases by name. */
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
