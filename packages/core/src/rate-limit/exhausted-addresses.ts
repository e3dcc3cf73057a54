import type { Clock } from '../values/clock.ts'
import type { TokenBucketState } from './token-buckets.ts'

/** Addresses whose bucket is empty, as far as this process knows: a flood from them costs no look-up and no bucket. */
export type ExhaustedAddresses = {
  /** Remembers the state of an empty bucket until its next token. */
  add(network: string, state: TokenBucketState): void
  /** Returns the state now; `undefined` once the next token is due. */
  find(network: string): TokenBucketState | undefined
}

/** Most addresses that are kept; forgetting one only costs the look-up that it would have saved. */
const most = 10_000

/** Creates an empty list of exhausted addresses. */
export const createExhaustedAddresses = (clock: Clock): ExhaustedAddresses => {
  const states = new Map<string, TokenBucketState & { readonly at: number }>()
  return {
    add: (network, state) => {
      if (states.size >= most) states.clear()
      states.set(network, { ...state, at: clock.now() })
    },
    find: (network) => {
      const state = states.get(network)
      if (state === undefined) return undefined
      const elapsed = clock.now() - state.at
      // Negative when the clock was set back: the buckets know better then.
      if (elapsed >= 0 && elapsed < state.retryAfterMs) {
        const { remaining, retryAfterMs, fullAfterMs } = state
        return { remaining, retryAfterMs: retryAfterMs - elapsed, fullAfterMs: fullAfterMs - elapsed }
      }
      states.delete(network)
      return undefined
    },
  }
}
