const isOwn = (error: unknown): error is Error =>
  error instanceof MockTimeoutError ||
  error instanceof MockUsageError ||
  error instanceof UnexpectedEventError

/**
 * Runs `work`, and lets the mock's errors point at the line of the test that called the function of the mock. Call it
 * first and directly in that function. Engines other than V8 keep their own stacks.
 */
export const blameCaller = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const lines = new Error().stack?.split('\n') ?? []
  // This function and the function of the mock come first.
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
  /** For programs. */
  readonly code = 'unexpected_event'
}

/** Thrown when the mock is used incorrectly. The message says what to do instead. */
export class MockUsageError extends Error {
  override readonly name = 'MockUsageError'
  /** For programs. */
  readonly code = 'mock_usage'
}

/**
 * Thrown when an event or delivery did not happen in time. The message shows what happened instead, how the most
 * similar event differs, and what is due later on the mock's clock.
 */
export class MockTimeoutError extends Error {
  override readonly name = 'MockTimeoutError'
  /** For programs. */
  readonly code = 'mock_timeout'
}
