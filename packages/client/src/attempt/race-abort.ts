/**
 * Waits for `work`, but rejects with `signal.reason` as soon as the signal aborts, even if the work ignores the
 * signal. Removes its listener.
 */
export const raceAbort = async <Value>(
  signal: AbortSignal | undefined,
  work: Promise<Value> | Value,
): Promise<Value> => {
  if (!signal) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
