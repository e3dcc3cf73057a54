import { MockTimeoutError } from './mock-timeout-error.ts'
import { MockUsageError } from './mock-usage-error.ts'
import { UnexpectedEventError } from './unexpected-event-error.ts'

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
