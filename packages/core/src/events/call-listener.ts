/**
 * Calls a listener, which may be async. Its errors go to `onError` and have no other effect: they are
 * reported asynchronously, so that an `onError` that throws cannot fail the caller.
 */
export const callListener = (call: () => unknown, onError: (error: unknown) => void): void => {
  try {
    const result = call()
    // Most listeners are synchronous, and a promise for each call would cost more than the call.
    if (typeof Object(result).then === 'function') Promise.resolve(result).catch(onError)
  } catch (error) {
    Promise.reject(error).catch(onError)
  }
}
