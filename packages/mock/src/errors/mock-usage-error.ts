/** Thrown when the mock is used incorrectly. The message says what to do instead. */
export class MockUsageError extends Error {
  override readonly name = 'MockUsageError'
  /** For programs. */
  readonly code = 'mock_usage'
}
