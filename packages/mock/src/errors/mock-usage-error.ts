/** The mock was used in a way that cannot work; the message says what to do instead. */
export class MockUsageError extends Error {
  override readonly name = 'MockUsageError'
  /** For programs; always this. */
  readonly code = 'mock_usage'
}
