/** Starts a timer that does not keep the process alive, in runtimes that distinguish. */
export const startBackgroundTimer = (callback: () => void, ms: number): ReturnType<typeof setTimeout> => {
  const timer: unknown = setTimeout(callback, ms)
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
    timer.unref()
  }
  return timer as ReturnType<typeof setTimeout>
}
