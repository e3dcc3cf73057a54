/**
 * What was waited for did not happen in time. The message shows what did happen, how the nearest differs, and what
 * is still to come on the mock's clock.
 */
export class MockTimeoutError extends Error {
  override readonly name = 'MockTimeoutError'
  /** For programs; always this. */
  readonly code = 'mock_timeout'
}
