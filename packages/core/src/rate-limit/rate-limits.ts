import { InputError } from '../errors/input-error.ts'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { CallerRecord } from '../records.ts'
import type { Clock } from '../values/clock.ts'
import { sha256 } from '../values/sha256.ts'
import { clientNetwork } from './client-network.ts'
import { createExhaustedAddresses } from './exhausted-addresses.ts'
import { memoryTokenBuckets } from './memory-token-buckets.ts'
import type { TokenBucketState, TokenBuckets } from './token-buckets.ts'

/** So many requests at once, and again after the time in which the bucket fills. */
export type RateLimit = {
  /** Tokens in a full bucket; each request takes one. */
  readonly requests: number
  /** How long an empty bucket takes to be full, in milliseconds. */
  readonly perMs: number
}

/** How requests are limited; `false` for no limit. */
export type RateLimitOptions = {
  /**
   * Of an organization, by all its keys.
   * @default { requests: 600, perMs: 60_000 }
   */
  readonly organization?: RateLimit | false | undefined
  /**
   * Of one key.
   * @default { requests: 300, perMs: 60_000 }
   */
  readonly key?: RateLimit | false | undefined
  /**
   * Of one IP address (an IPv6 /64), for requests without a valid key.
   * @default { requests: 60, perMs: 60_000 }
   */
  readonly ip?: RateLimit | false | undefined
  /**
   * Where the buckets are kept.
   * @default in memory, for this process
   */
  readonly buckets?: TokenBuckets | undefined
}

/** Headers that tell a client its limits. */
export type RateLimitHeaders = Readonly<Record<string, string>>

/** Decides whether a request may go on. */
export type RateLimits = {
  /**
   * Counts a request with a valid key.
   *
   * @returns headers for whatever the answer will be.
   * @throws RequestRefusedError `rate_limited`.
   */
  admit(caller: CallerRecord, remoteAddress: string | undefined): Promise<RateLimitHeaders>
  /**
   * Counts a request without a valid key.
   *
   * @throws RequestRefusedError `rate_limited`.
   */
  admitStranger(remoteAddress: string | undefined): Promise<RateLimitHeaders>
  /**
   * Refuses a request, before its key is looked up, from an address that has used up its limit. A key that was valid
   * from this address before is not refused: the failures of others behind one address do not lock out who is known.
   *
   * @throws RequestRefusedError `rate_limited`.
   */
  refuseExhausted(remoteAddress: string | undefined, key?: string): void
}

type Policy = { readonly name: string; readonly limit: RateLimit | false; readonly of: string }
type Measured = { readonly name: string; readonly limit: RateLimit; readonly state: TokenBucketState }

const seconds = (ms: number): number => Math.ceil(ms / 1_000)

/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers); `t` is when the quota is whole again. */
const headersOf = (measured: readonly Measured[]): RateLimitHeaders => ({
  'ratelimit-policy': measured
    .map(({ name, limit }) => `"${name}";q=${limit.requests};w=${seconds(limit.perMs)}`)
    .join(', '),
  ratelimit: measured
    .map(({ name, state }) => `"${name}";r=${state.remaining};t=${seconds(state.fullAfterMs)}`)
    .join(', '),
})

const check = (measured: readonly Measured[]): RateLimitHeaders => {
  if (measured.length === 0) return {}
  const headers = headersOf(measured)
  const wait = Math.max(...measured.map(({ state }) => state.retryAfterMs))
  if (wait === 0) return headers
  const retryAfter = seconds(wait)
  throw new RequestRefusedError('rate_limited', `Too many requests: try again in ${retryAfter} s.`, {
    headers: { ...headers, 'retry-after': String(retryAfter) },
  })
}

const checkLimit = (path: string, limit: RateLimit | false): void => {
  if (limit === false || (limit.requests >= 1 && limit.perMs > 0)) return
  throw new InputError([
    { path: `rateLimit.${path}`, message: 'must allow at least 1 request in more than 0 ms' },
  ])
}

const minute = 60_000

/** Most pairs of an address and a key that are remembered. */
const mostKnown = 10_000

/**
 * Makes the limits; `false` limits nothing.
 *
 * @throws InputError when a limit lets nothing through.
 */
export const createRateLimits = (options: RateLimitOptions | false, clock: Clock): RateLimits => {
  const {
    organization = { requests: 600, perMs: minute },
    key = { requests: 300, perMs: minute },
    ip = { requests: 60, perMs: minute },
    buckets = memoryTokenBuckets(),
  } = options === false ? { organization: false as const, key: false as const, ip: false as const } : options

  checkLimit('organization', organization)
  checkLimit('key', key)
  checkLimit('ip', ip)

  const exhausted = createExhaustedAddresses(clock)
  const known = new Set<string>()

  const measure = async (policies: readonly Policy[]): Promise<Measured[]> => {
    const active = policies.flatMap(({ name, limit, of }) => (limit === false ? [] : [{ name, limit, of }]))
    if (active.length === 0) return []
    const states = await buckets.take({
      now: clock.now(),
      buckets: active.map(({ name, limit, of }) => ({
        key: `${name}:${of}`,
        capacity: limit.requests,
        refillMs: limit.perMs,
      })),
    })
    return active.flatMap((each, index) => {
      const state = states[index]
      return state === undefined ? [] : [{ ...each, state }]
    })
  }

  const remember = (remoteAddress: string, hash: string): void => {
    if (known.size >= mostKnown) known.clear()
    known.add(`${clientNetwork(remoteAddress)} ${hash}`)
  }

  return {
    admit: async ({ key: { id, hash }, organization: { id: organizationId } }, remoteAddress) => {
      if (remoteAddress !== undefined) remember(remoteAddress, hash)
      const measured = await measure([
        { name: 'organization', limit: organization, of: organizationId },
        { name: 'key', limit: key, of: id },
      ])
      return check(measured)
    },
    admitStranger: async (remoteAddress) => {
      if (remoteAddress === undefined) return {}
      const network = clientNetwork(remoteAddress)
      const measured = await measure([{ name: 'ip', limit: ip, of: network }])
      for (const { state } of measured) if (state.retryAfterMs > 0) exhausted.add(network, state)
      return check(measured)
    },
    refuseExhausted: (remoteAddress, sent) => {
      if (ip === false || remoteAddress === undefined) return
      const network = clientNetwork(remoteAddress)
      const state = exhausted.find(network)
      if (state === undefined) return
      if (sent !== undefined && known.has(`${network} ${sha256(sent)}`)) return
      check([{ name: 'ip', limit: ip, state }])
    },
  }
}
