/**
 * Thrown when an event or delivery did not happen in time. The message shows what happened instead, how the most
 * similar event differs, and what is due later on the mock's clock.
 */
export class MockTimeoutError extends Error {
  override readonly name = 'MockTimeoutError'
  /** For programs. */
  readonly code = 'mock_timeout'
}
