/** Those who want to know that a delivery became due. */
export type Wakes = {
  /** Says so, in the midst of a transaction. */
  note(): void
  /** Tells everybody, once, if it was said since the last time. */
  tell(): void
  /** @returns stops the calls. */
  add(wake: () => void): () => void
}

/** Makes an empty list. */
export const createWakes = (): Wakes => {
  const listeners = new Set<() => void>()
  let isNoted = false
  return {
    note: () => {
      isNoted = true
    },
    tell: () => {
      if (!isNoted) return
      isNoted = false
      for (const wake of listeners) wake()
    },
    add: (wake) => {
      const own = (): void => wake()
      listeners.add(own)
      return () => listeners.delete(own)
    },
  }
}
