/** Notifies workers of the same process that a delivery became due. A store's `onDue` is its `subscribe`. */
export type DueNotifier = {
  /** Calls every listener once the current synchronous work is done. Calls in the meantime are merged into one. */
  notify(): void
  /** @returns a function that unsubscribes the listener. */
  subscribe(listener: () => void): () => void
}

/**
 * Creates a notifier without listeners. A store whose transactions are synchronous can call `notify` inside a
 * transaction: listeners are called after the commit.
 */
export const createDueNotifier = (): DueNotifier => {
  const listeners = new Set<() => void>()
  let isScheduled = false
  const callAll = (): void => {
    isScheduled = false
    for (const listener of listeners) listener()
  }
  return {
    notify: () => {
      if (isScheduled || listeners.size === 0) return
      isScheduled = true
      // Not `queueMicrotask`, which the fake timers of test runners replace.
      void Promise.resolve().then(callAll)
    },
    subscribe: (listener) => {
      const subscription = (): void => listener()
      listeners.add(subscription)
      return () => listeners.delete(subscription)
    },
  }
}
