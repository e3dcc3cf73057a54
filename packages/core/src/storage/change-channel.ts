import type { QueueChange } from '../store.ts'

/**
 * Passes changes of queues to the schedulers of the same process. A store can use its `listen` as
 * `DeliveryQueue.listen`.
 */
export type ChangeChannel = {
  /** Calls every listener once the current synchronous work is done. */
  emit(change: QueueChange): void
  /** @returns a function that unsubscribes the listener. */
  listen(listener: (change: QueueChange) => void): () => void
}

/**
 * Creates a channel without listeners. A store whose transactions are synchronous can call `emit` inside a transaction:
 * listeners are called after the commit.
 */
export const createChangeChannel = (): ChangeChannel => {
  const listeners = new Set<{ readonly listener: (change: QueueChange) => void }>()
  let waiting: QueueChange[] = []
  const emitAll = (): void => {
    const emitted = waiting
    waiting = []
    for (const change of emitted) for (const { listener } of listeners) listener(change)
  }
  return {
    emit: (change) => {
      if (listeners.size === 0) return
      // Avoids `queueMicrotask`, because the fake timers of test runners replace it.
      if (waiting.length === 0) void Promise.resolve().then(emitAll)
      waiting.push(change)
    },
    listen: (listener) => {
      const subscription = { listener }
      listeners.add(subscription)
      return () => listeners.delete(subscription)
    },
  }
}
