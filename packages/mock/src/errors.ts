const isOwn = (error: unknown): error is Error =>
  error instanceof MockTimeoutError ||
  error instanceof MockUsageError ||
  error instanceof UnexpectedEventError

/**
 * Runs `work`, and makes the stack trace of the mock's errors start at the line that called the mock. Call it
 * directly in the function that the test calls, before anything else. It has no effect in runtimes whose stack traces do not have V8's
 * form, such as Firefox.
 */
export const blameCaller = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const lines = new Error().stack?.split('\n') ?? []
  // The first two frames are this function and the mock's function.
  const frames = lines.filter((line) => line.startsWith('    at ')).slice(2)
  try {
    return await work()
  } catch (error) {
    if (isOwn(error) && frames.length > 0) error.stack = [`${error}`, ...frames].join('\n')
    throw error
  }
}

/** Thrown by `expectNoEvent` when a matching event has happened. The message shows the event. */
export class UnexpectedEventError extends Error {
  override readonly name = 'UnexpectedEventError'
  readonly code = 'unexpected_event'
}

/** Thrown when the mock is used incorrectly. The message says what is wrong, and usually what to do instead. */
export class MockUsageError extends Error {
  override readonly name = 'MockUsageError'
  readonly code = 'mock_usage'
}

/**
 * Thrown when an event or delivery did not happen in time. The message shows what happened instead, how the
 * most similar event differs if none matches, and what is due next on the mock's clock.
 */
export class MockTimeoutError extends Error {
  override readonly name = 'MockTimeoutError'
  readonly code = 'mock_timeout'
}
