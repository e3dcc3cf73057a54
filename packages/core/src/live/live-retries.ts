import { endRetries } from '../simulation/end-retries.ts'
import type { LiveSettings } from '../simulation/live-settings.ts'
import type { Store } from '../store.ts'

/** The start of the error message of an attempt that timed out. */
const timedOut = 'no complete response within'

/**
 * Wraps a store so that a failed or deferred attempt exhausts its delivery. With `retryOnTimeout`, a delivery is
 * retried once after a time-out.
 */
export const limitRetries = (store: Store, { retryOnTimeout = false }: LiveSettings): Store =>
  endRetries(store, ({ failures }, { error }) => {
    const isRepeated = retryOnTimeout && failures === 0 && error?.startsWith(timedOut) === true
    return !isRepeated
  })
