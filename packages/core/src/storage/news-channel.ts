import type { News } from '../store.ts'

/** Carries news to the schedulers of the same process. A store uses its `listen` as its own. */
export type NewsChannel = {
  /** Calls every listener once the current synchronous work is done. */
  tell(news: News): void
  /** @returns a function that unsubscribes the listener. */
  listen(listener: (news: News) => void): () => void
}

/**
 * Creates a channel without listeners. A store whose transactions are synchronous can call `tell` inside a transaction:
 * listeners are called after the commit.
 */
export const createNewsChannel = (): NewsChannel => {
  const listeners = new Set<{ readonly listener: (news: News) => void }>()
  let untold: News[] = []
  const tellAll = (): void => {
    const told = untold
    untold = []
    for (const news of told) for (const { listener } of listeners) listener(news)
  }
  return {
    tell: (news) => {
      if (listeners.size === 0) return
      // Does not use `queueMicrotask`, because the fake timers of test runners replace it.
      if (untold.length === 0) void Promise.resolve().then(tellAll)
      untold.push(news)
    },
    listen: (listener) => {
      const subscription = { listener }
      listeners.add(subscription)
      return () => listeners.delete(subscription)
    },
  }
}
