/** Those who want to know that something fell due. */
export type Wakes = {
  /** Calls everybody soon; many calls at once are one. */
  wake(): void
  /** @returns stops the calls. */
  add(listener: () => void): () => void
}

/** Makes an empty list. Listeners are called after the present transaction, never in the midst of it. */
export const createWakes = (): Wakes => {
  const listeners = new Set<() => void>()
  let isScheduled = false
  const callAll = (): void => {
    isScheduled = false
    for (const listener of listeners) listener()
  }
  return {
    wake: () => {
      if (isScheduled || listeners.size === 0) return
      isScheduled = true
      // Not queueMicrotask, which fake timers of a test stop.
      void Promise.resolve().then(callAll)
    },
    add: (listener) => {
      const own = (): void => listener()
      listeners.add(own)
      return () => listeners.delete(own)
    },
  }
}
