import { InputError } from '../errors/operation-errors.ts'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { CallerRecord } from '../records.ts'
import type { Clock } from '../values/clock.ts'
import { memoryTokenBuckets, type TokenBucketState, type TokenBuckets } from './token-buckets.ts'

/** A token bucket of requests: allows a burst of `requests`, and refills within `perMs`. */
export type RateLimit = {
  /** Tokens in a full bucket. Each request takes one. */
  readonly requests: number
  /** Time in which an empty bucket becomes full, in milliseconds. */
  readonly perMs: number
}

/** Rate limits for requests; `false` for no limit. */
export type RateLimitOptions = {
  /**
   * For an organization, across all its keys.
   * @default { requests: 600, perMs: 60_000 }
   */
  readonly organization?: RateLimit | false | undefined
  /**
   * For a key.
   * @default { requests: 300, perMs: 60_000 }
   */
  readonly key?: RateLimit | false | undefined
  /**
   * For the summary of one call. The server has a default of its own: 30 per minute (`server-config.ts`).
   * @default false
   */
  readonly call?: RateLimit | false | undefined
  /**
   * For an IP address (an IPv6 /64), for requests without a valid key.
   * @default { requests: 60, perMs: 60_000 }
   */
  readonly ip?: RateLimit | false | undefined
  /**
   * Stores the buckets.
   * @default memoryTokenBuckets()
   */
  readonly buckets?: TokenBuckets | undefined
}

/** Headers that inform a client of its limits. @inline */
export type RateLimitHeaders = Readonly<Record<string, string>>

/**
 * Decides whether a request may proceed. Each method throws a RequestRefusedError `rate_limited` if it may not. The
 * headers that a method returns are for any response to the request.
 */
export type RateLimits = {
  /** Counts a request with a valid key. */
  admit(caller: CallerRecord, remoteAddress: string | undefined): Promise<RateLimitHeaders>
  /** Counts a request for the summary of a call. */
  admitCall(organizationId: string, callId: string): Promise<void>
  /** Counts a request without a valid key. */
  admitStranger(remoteAddress: string | undefined): Promise<RateLimitHeaders>
  /**
   * Rejects a request from an address that has used up its limit, before its key is looked up. Keys that are
   * being looked up count as wrong until their lookup ends: otherwise, a client could try any number of keys
   * at once. A key that has been valid from this address before is admitted, as long as this process remembers it, so
   * that other clients behind the same address cannot lock it out.
   *
   * @returns a function to call when the key is known to be valid, or `admitStranger` has counted the request.
   */
  startGuess(remoteAddress: string | undefined, keyHash?: string): () => void
}

const ipv4Mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * Returns the network whose limit applies to an address: an IPv4 address itself, or the /64 of an IPv6 address, because
 * one customer usually has the whole /64 (RFC 6177). An IPv4-mapped address, such as `::ffff:192.0.2.1`, counts as
 * IPv4.
 */
export const toClientNetwork = (address: string): string => {
  if (!address.includes(':')) return address
  const [withoutZone = ''] = address.split('%')
  const mapped = ipv4Mapped.exec(withoutZone)?.[1]
  if (mapped !== undefined) return mapped
  const [before = [], after] = withoutZone.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = after === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...(after ?? [])]
  const first64Bits = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${first64Bits.join(':')}::/64`
}

/**
 * Maximum number of remembered entries of each kind. If there are more, all of that kind are forgotten. An address that
 * has used up its limit then costs a lookup again (empty buckets), or is rejected even with a valid key (known keys).
 */
const maxRemembered = 10_000

const toKnownKey = (address: string, keyHash: string): string => `${toClientNetwork(address)} ${keyHash}`

type Guess = { readonly key: string | undefined; readonly limit: RateLimit }

/** Remembers the keys and the empty buckets of addresses. */
export const createClientAddresses = (clock: Clock) => {
  const knownKeys = new Set<string>()
  const exhausted = new Map<string, TokenBucketState & { readonly at: number }>()
  /** Tokens that a network had left when its last request without a valid key was counted. */
  const left = new Map<string, { readonly remaining: number; readonly at: number }>()
  /** The keys that are being looked up, by network, with the number of their requests. */
  const guesses = new Map<string, Map<string | symbol, number>>()
  return {
    addKnownKey: (address: string, keyHash: string): void => {
      const known = toKnownKey(address, keyHash)
      if (knownKeys.size >= maxRemembered && !knownKeys.has(known)) knownKeys.clear()
      knownKeys.add(known)
    },
    isKnownKey: (address: string, keyHash: string): boolean => knownKeys.has(toKnownKey(address, keyHash)),
    /**
     * Remembers the state of an address's bucket after a request without a valid key. An empty bucket is remembered
     * until its next token is due.
     */
    addCounted: (address: string, state: TokenBucketState): void => {
      const [network, at] = [toClientNetwork(address), clock.now()]
      if (left.size >= maxRemembered) left.clear()
      left.set(network, { remaining: state.remaining, at })
      if (state.retryAfterMs === 0) return
      if (exhausted.size >= maxRemembered) exhausted.clear()
      exhausted.set(network, { ...state, at })
    },
    /**
     * Counts a key that is being looked up. Concurrent lookups of the same key count once. Returns
     * `undefined` if there are more than the address has tokens.
     */
    startGuess: (address: string, { key, limit }: Guess): (() => void) | undefined => {
      const network = toClientNetwork(address)
      const running = guesses.get(network) ?? new Map<string | symbol, number>()
      const { remaining, at } = left.get(network) ?? { remaining: limit.requests, at: 0 }
      const refilled = (Math.max(0, clock.now() - at) * limit.requests) / limit.perMs
      const allowed = Math.max(1, Math.min(limit.requests, Math.floor(remaining + refilled)))
      const id = key ?? Symbol()
      if (running.size >= allowed && !running.has(id)) return undefined
      running.set(id, (running.get(id) ?? 0) + 1)
      guesses.set(network, running)
      let isRunning = true
      return () => {
        if (!isRunning) return
        isRunning = false
        const others = (running.get(id) ?? 1) - 1
        if (others > 0) running.set(id, others)
        else running.delete(id)
        if (running.size === 0) guesses.delete(network)
      }
    },
    /** Returns the current state of an address's empty bucket, or `undefined` if its next token is due. */
    findExhausted: (address: string): TokenBucketState | undefined => {
      if (exhausted.size === 0) return undefined
      const network = toClientNetwork(address)
      const found = exhausted.get(network)
      if (found === undefined) return undefined
      const { at, retryAfterMs, fullAfterMs, ...state } = found
      const elapsed = clock.now() - at
      // If the clock was set back, `elapsed` is negative, and only the bucket knows its state.
      if (elapsed >= 0 && elapsed < retryAfterMs) {
        return { ...state, retryAfterMs: retryAfterMs - elapsed, fullAfterMs: fullAfterMs - elapsed }
      }
      exhausted.delete(network)
      return undefined
    },
  }
}

const limitNames = [
  'organization',
  'key',
  'call',
  'ip',
] as const satisfies readonly (keyof RateLimitOptions)[]
type LimitName = (typeof limitNames)[number]
type Measured = { readonly name: string; readonly limit: RateLimit; readonly state: TokenBucketState }

const toSeconds = (ms: number): number => Math.ceil(ms / 1_000)

/**
 * Builds RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers). `t` is the time until the
 * bucket is full.
 *
 * @throws RequestRefusedError `rate_limited` if a bucket had no token for the request.
 */
const check = (measured: readonly Measured[]): RateLimitHeaders => {
  if (measured.length === 0) return {}
  const headers = {
    'ratelimit-policy': measured
      .map(({ name, limit }) => `"${name}";q=${limit.requests};w=${toSeconds(limit.perMs)}`)
      .join(', '),
    ratelimit: measured
      .map(({ name, state }) => `"${name}";r=${state.remaining};t=${toSeconds(state.fullAfterMs)}`)
      .join(', '),
  }
  const wait = Math.max(...measured.map(({ state }) => state.retryAfterMs))
  if (wait === 0) return headers
  const retryAfter = toSeconds(wait)
  throw new RequestRefusedError('rate_limited', `Too many requests. Try again in ${retryAfter} s.`, {
    headers: { ...headers, 'retry-after': String(retryAfter) },
  })
}

const minute = 60_000
const unlimited: RateLimitOptions = { organization: false, key: false, call: false, ip: false }

/**
 * Creates the rate limits for requests. With `false`, there are none.
 *
 * @throws InputError if a limit would not admit any request.
 */
export const createRateLimits = (options: RateLimitOptions | false, clock: Clock): RateLimits => {
  const {
    organization = { requests: 600, perMs: minute },
    key = { requests: 300, perMs: minute },
    call = false,
    ip = { requests: 60, perMs: minute },
    buckets = memoryTokenBuckets(),
  } = options === false ? unlimited : options
  const limits: Readonly<Record<LimitName, RateLimit | false>> = { organization, key, call, ip }
  const enforced = limitNames.flatMap((name) => {
    const limit = limits[name]
    return limit === false ? [] : [{ name, limit }]
  })

  for (const { name, limit } of enforced) {
    const { requests, perMs }: { requests: unknown; perMs: unknown } = limit
    if (typeof requests === 'number' && requests >= 1 && typeof perMs === 'number' && perMs > 0) continue
    throw new InputError([
      { path: `rateLimit.${name}`, message: 'must have requests of at least 1, and perMs above 0' },
    ])
  }
  const addresses = createClientAddresses(clock)

  /** Takes a token from the bucket of each id. The ids are keyed by the name of their limit. */
  const measure = async (ids: Partial<Record<LimitName, string>>): Promise<Measured[]> => {
    const active = enforced.filter(({ name }) => ids[name] !== undefined)
    if (active.length === 0) return []
    const states = await buckets.take({
      now: clock.now(),
      buckets: active.map(({ name, limit }) => ({
        key: `${name}:${ids[name]}`,
        capacity: limit.requests,
        refillMs: limit.perMs,
      })),
    })
    return active.flatMap((each, index) => {
      const state = states[index]
      return state === undefined ? [] : [{ ...each, state }]
    })
  }

  return {
    admit: ({ key: { id, hash }, organization: { id: organizationId } }, remoteAddress) => {
      if (remoteAddress !== undefined) addresses.addKnownKey(remoteAddress, hash)
      return measure({ organization: organizationId, key: `${organizationId}:${id}` }).then(check)
    },
    admitCall: async (organizationId, callId) => {
      check(await measure({ call: `${organizationId}:${callId}` }))
    },
    admitStranger: async (remoteAddress) => {
      if (remoteAddress === undefined) return {}
      const measured = await measure({ ip: toClientNetwork(remoteAddress) })
      for (const { state } of measured) addresses.addCounted(remoteAddress, state)
      return check(measured)
    },
    startGuess: (remoteAddress, keyHash) => {
      if (ip === false || remoteAddress === undefined) return () => {}
      if (keyHash !== undefined && addresses.isKnownKey(remoteAddress, keyHash)) return () => {}
      const state = addresses.findExhausted(remoteAddress)
      const end =
        state === undefined ? addresses.startGuess(remoteAddress, { key: keyHash, limit: ip }) : undefined
      if (end !== undefined) return end
      const refusal = state ?? { remaining: 0, retryAfterMs: 1_000, fullAfterMs: ip.perMs }
      check([{ name: 'ip', limit: ip, state: refusal }])
      return () => {}
    },
  }
}
