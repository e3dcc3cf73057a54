export type StopSignal = ReturnType<typeof createStopSignal>

/** Stops an attempt. Adding a listener takes constant time, unlike with an `AbortSignal`. */
export const createStopSignal = () => {
  const listeners = new Set<() => void>()
  let isStopped = false
  return {
    isStopped: (): boolean => isStopped,
    /**
     * Calls `listener` when `stop` is called.
     *
     * @returns a function that removes the listener.
     */
    onStop: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop: (): void => {
      isStopped = true
      for (const listener of listeners) listener()
    },
  }
}
