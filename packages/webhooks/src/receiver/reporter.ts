import type { ErrorListener, Failure } from './failure.ts'

/** Tells the listeners of a receiver what went wrong; never throws. */
export const createReporter = () => {
  const listeners: ErrorListener[] = []

  const report = async (error: unknown, failure: Failure): Promise<void> => {
    // A handler's error must not vanish only because nobody listens; a stranger's request must not fill the log.
    if (listeners.length === 0 && failure.context !== undefined) {
      console.error('A webhook delivery failed. Register onError() to handle this yourself.', error)
    }
    for (const listener of listeners) {
      try {
        await listener(error, failure)
      } catch (thrown) {
        console.error('An onError() listener of a webhook receiver failed.', thrown)
      }
    }
  }

  return { report, add: (listener: ErrorListener) => void listeners.push(listener) }
}
