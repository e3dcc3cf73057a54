import type { Clock } from '../values/clock.ts'
import type { TokenBucketState } from './token-buckets.ts'

/** Addresses of clients, as this process knows them. */
export type ClientAddresses = {
  /** Remembers that this key was valid from this address. */
  addKnownKey(address: string, keyHash: string): void
  isKnownKey(address: string, keyHash: string): boolean
  /** Remembers the state of an address's empty bucket until its next token. */
  addExhausted(address: string, state: TokenBucketState): void
  /** Returns the current state of an address's empty bucket, or `undefined` if its next token is due. */
  findExhausted(address: string): TokenBucketState | undefined
}

const ipv4Mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** Returns the first four groups of an IPv6 address. */
const getFirst64Bits = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Returns the network that requests are counted by: an IPv4 address itself, or the /64 of an IPv6 address, because one
 * customer usually has all of it (RFC 6177). An IPv4 address in IPv6 notation is an IPv4 address.
 */
export const toClientNetwork = (address: string): string => {
  const [withoutZone = ''] = address.trim().split('%')
  const mapped = ipv4Mapped.exec(withoutZone)?.[1]
  if (mapped !== undefined) return mapped
  return withoutZone.includes(':') ? `${getFirst64Bits(withoutZone)}::/64` : withoutZone
}

/** Maximum number of entries of each list. Forgetting an entry only costs a lookup. */
const maximum = 10_000

export const createClientAddresses = (clock: Clock): ClientAddresses => {
  const knownKeys = new Set<string>()
  const exhausted = new Map<string, TokenBucketState & { readonly at: number }>()
  return {
    addKnownKey: (address, keyHash) => {
      if (knownKeys.size >= maximum) knownKeys.clear()
      knownKeys.add(`${toClientNetwork(address)} ${keyHash}`)
    },
    isKnownKey: (address, keyHash) => knownKeys.has(`${toClientNetwork(address)} ${keyHash}`),
    addExhausted: (address, state) => {
      if (exhausted.size >= maximum) exhausted.clear()
      exhausted.set(toClientNetwork(address), { ...state, at: clock.now() })
    },
    findExhausted: (address) => {
      const network = toClientNetwork(address)
      const state = exhausted.get(network)
      if (state === undefined) return undefined
      const elapsed = clock.now() - state.at
      // Negative if the clock was set back: only the bucket knows its state then.
      if (elapsed >= 0 && elapsed < state.retryAfterMs) {
        const { remaining, retryAfterMs, fullAfterMs } = state
        return { remaining, retryAfterMs: retryAfterMs - elapsed, fullAfterMs: fullAfterMs - elapsed }
      }
      exhausted.delete(network)
      return undefined
    },
  }
}
