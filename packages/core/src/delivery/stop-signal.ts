/**
 * Stops many attempts at once. Unlike with an `AbortSignal`, adding and removing a listener takes constant
 * time.
 */
export type StopSignal = {
  isStopped(): boolean
  /**
   * Calls `listener` when `stop` is called.
   *
   * @returns a function that removes the listener.
   */
  onStop(listener: () => void): () => void
  stop(): void
}

export const createStopSignal = (): StopSignal => {
  const listeners = new Set<() => void>()
  let isStopped = false
  return {
    isStopped: () => isStopped,
    onStop: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: () => {
      isStopped = true
      for (const listener of listeners) listener()
    },
  }
}
