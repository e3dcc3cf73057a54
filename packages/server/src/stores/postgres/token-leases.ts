import type { TokenBucket, TokenBucketState, TokenBuckets } from '@wabakit/core'
import { type TakenTokens, takeTokens, type WantedTokens } from './functions/token-buckets.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/** Returns a time in milliseconds that does not depend on the wall clock. */
type Elapsed = () => number

/** The state of a bucket as known to this process. */
type Lease = {
  /** Number of requests in the current second and in the previous one. */
  requests: number
  requestsBefore: number
  second: number
  /** Tokens taken from the bucket but not used yet, and their expiry. */
  tokens: number
  until: number
  /** Time until which the bucket is known to be empty. */
  emptyUntil: number
  /** The running statement that takes tokens. It is removed once it has settled, so that later requests do not get its error. */
  taking?: Promise<unknown> | undefined
  state: TokenBucketState
}

/** Number of requests per second above which a bucket gets a reserve. Up to that, the limit is exact. */
const hotRequests = 50

/**
 * Time that a reserve should last, in milliseconds, so that a bucket changes only a few times per second at any request
 * rate.
 */
const reserveMs = 250

const maxLeases = 10_000

const full: TokenBucketState = { remaining: 0, retryAfterMs: 0, fullAfterMs: 0 }

/**
 * Takes tokens from busy buckets in blocks, and briefly remembers that such a bucket is empty. If every
 * request changed the row, every change would leave a row version, which PostgreSQL keeps as long as any
 * transaction holds a snapshot.
 */
export const createTokenLeases = (
  take: (wanted: readonly WantedTokens[]) => Promise<readonly TakenTokens[]>,
  now: Elapsed = () => performance.now(),
): TokenBuckets['take'] => {
  const leases = new Map<string, Lease>()

  const getLease = ({ key }: TokenBucket, moment: number): Lease => {
    const second = Math.floor(moment / 1_000)
    let lease = leases.get(key)
    if (lease === undefined) {
      if (leases.size >= maxLeases) leases.clear()
      lease = { requests: 0, requestsBefore: 0, second, tokens: 0, until: 0, emptyUntil: 0, state: full }
      leases.set(key, lease)
    }
    if (lease.second !== second) {
      lease.requestsBefore = lease.second === second - 1 ? lease.requests : 0
      lease.requests = 0
      lease.second = second
    }
    if (lease.until <= moment) lease.tokens = 0
    return lease
  }

  const getRate = ({ requests, requestsBefore }: Lease): number => Math.max(requests, requestsBefore)
  const isHot = (lease: Lease): boolean => getRate(lease) > hotRequests

  const use = (lease: Lease): TokenBucketState => {
    lease.tokens--
    return { ...lease.state, remaining: lease.state.remaining + lease.tokens }
  }

  const accept = (lease: Lease, { taken, ...state }: TakenTokens, moment: number): void => {
    lease.state = state
    lease.tokens += taken
    lease.until = moment + 2 * reserveMs
    if (state.retryAfterMs > 0 && isHot(lease))
      lease.emptyUntil = moment + Math.min(reserveMs, Math.max(state.retryAfterMs, reserveMs / 2))
  }

  return async ({ buckets }) => {
    const moment = now()
    const wanted = buckets.map((bucket) => ({ bucket, lease: getLease(bucket, moment) }))
    for (const { lease } of wanted) lease.requests++
    for (;;) {
      if (wanted.some(({ lease }) => lease.emptyUntil > moment)) {
        return wanted.map(({ lease }) => ({
          ...lease.state,
          retryAfterMs: Math.max(0, lease.emptyUntil - moment),
        }))
      }
      const missing = wanted.filter(({ lease }) => lease.tokens < 1)
      if (missing.length === 0) return wanted.map(({ lease }) => use(lease))
      const underWay = missing.flatMap(({ lease }) => (isHot(lease) ? (lease.taking ?? []) : []))
      if (underWay.length > 0) {
        // If the statement fails, so do all requests that wait for it. If each tried again, the requests would wait for
        // the failing database one after another.
        await Promise.all(underWay)
        continue
      }
      const taking = take(
        missing.map(({ bucket, lease }) => ({
          ...bucket,
          wanted: isHot(lease) ? Math.ceil((getRate(lease) * reserveMs) / 1_000) : 1,
        })),
      )
        .then((states) => {
          for (const [index, { lease }] of missing.entries()) {
            const taken = states[index]
            if (taken !== undefined) accept(lease, taken, moment)
          }
          return states
        })
        .finally(() => {
          for (const { lease } of missing) if (lease.taking === taking) lease.taking = undefined
        })
      for (const { lease } of missing) lease.taking = taking
      const states = await taking
      if (states.some(({ taken }) => taken === 0)) return wanted.map(({ lease }) => lease.state)
    }
  }
}

/**
 * Creates token buckets in PostgreSQL. Limits apply to all processes that share the database, and use its clock. A lost
 * connection may cost tokens.
 */
export const postgresTokenBuckets = ({ read }: PostgresDatabase): TokenBuckets => {
  const take = createTokenLeases((wanted) => takeTokens(read, wanted))
  return { take: async (request) => (request.buckets.length === 0 ? [] : take(request)) }
}
