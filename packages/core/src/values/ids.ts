import { isWebhookId } from '@wabakit/webhooks'
import type { Clock } from './clock.ts'

/** Returns a random number from 0 (inclusive) to 1 (exclusive), like `Math.random`. */
export type Random = () => number

/** Creates a {@link Random} that reads the platform's cryptographic generator, 4,096 numbers at a time. */
export const createSecureRandom = (): Random => {
  const numbers = new Uint32Array(4_096)
  let next = numbers.length
  return () => {
    if (next === numbers.length) {
      crypto.getRandomValues(numbers)
      next = 0
    }
    return (numbers[next++] ?? 0) / 2 ** 32
  }
}

/** Creates a unique id that starts with a prefix and an underscore. */
export type Ids = (prefix: 'wagrp' | 'call' | 'evt' | 'sub' | 'key' | 'org' | 'req' | 'worker') => string

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const encode = (digits: readonly number[]): string => digits.map((digit) => alphabet[digit]).join('')

const timeDigits = (time: number): number[] =>
  Array.from({ length: 10 }, (_, index) => Math.floor(time / 32 ** (9 - index)) % 32)

/** Adds one to a number in base 32, most significant digit first. The highest number is followed by zero. */
const increment = (digits: number[]): void => {
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = ((digits[index] ?? 0) + 1) % 32
    digits[index] = digit
    if (digit !== 0) return
  }
}

/**
 * Creates a generator of ids that sort by the time of their creation: prefix, underscore, ULID (26 characters of
 * Crockford's base 32: 48 bits of time and 80 random bits). Within one millisecond, and while the clock stands still or
 * goes back, each id is the previous one plus one. The same clock and random numbers result in the same ids.
 *
 * @example
 * const ids = createIds({ clock: { now: () => 0 }, random: Math.random })
 * ids('wagrp') // 'wagrp_0000000000' and 16 random characters
 */
export const createIds = ({ clock, random }: { readonly clock: Clock; readonly random: Random }): Ids => {
  let time = -1
  let tail: number[] = []
  let last = 0
  /** All characters except the last one, cached because the next id usually has the same. */
  let stem = ''
  return (prefix) => {
    const now = Math.floor(clock.now())
    if (now > time) {
      time = now
      tail = Array.from({ length: 15 }, () => Math.floor(random() * 32))
      last = Math.floor(random() * 32)
      stem = encode([...timeDigits(now), ...tail])
    } else if (last < 31) {
      last += 1
    } else {
      increment(tail)
      last = 0
      stem = encode([...timeDigits(time), ...tail])
    }
    return `${prefix}_${stem}${alphabet[last]}`
  }
}

/**
 * Checks the ids of events, which are also the `webhook-id` of their deliveries.
 *
 * @throws TypeError when `ids` returns an id that cannot be signed.
 */
export const checkEventIds =
  (ids: Ids): Ids =>
  (prefix) => {
    const id = ids(prefix)
    if (prefix !== 'evt' || isWebhookId(id)) return id
    throw new TypeError(
      `ids('evt') returned ${JSON.stringify(id)}. Return visible ASCII characters without a full stop: the id is also the webhook-id of the event's deliveries.`,
    )
  }
