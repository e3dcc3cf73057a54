import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/** What an id is for; it starts with this and an underscore. */
export type IdPrefix = 'wagrp' | 'call' | 'evt' | 'sub' | 'key' | 'org' | 'req' | 'claim'

/** Makes a new id for something; every id differs from all before it. */
export type Ids = (prefix: IdPrefix) => string

/** What {@link createIds} draws from. */
export type IdSources = { readonly clock: Clock; readonly random: Random }

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const encode = (digits: readonly number[]): string => {
  let text = ''
  for (const digit of digits) text += alphabet[digit]
  return text
}

const timeDigits = (time: number): number[] =>
  Array.from({ length: 10 }, (_, index) => Math.floor(time / 32 ** (9 - index)) % 32)

/** The next number in base 32, most significant digit first; after the last it starts again at zero. */
const increment = (digits: number[]): void => {
  for (let index = digits.length - 1; index >= 0; index--) {
    const digit = ((digits[index] ?? 0) + 1) % 32
    digits[index] = digit
    if (digit !== 0) return
  }
}

/**
 * Ids that sort by the time they were made: prefix, underscore, ULID (26 characters of Crockford's base 32: 48 bits
 * of time and 80 random ones). Within one millisecond, and while the clock stands still or goes back, each is the
 * one before plus one. The same clock and random give the same ids.
 *
 * @example
 * const ids = createIds({ clock: { now: () => 0 }, random: Math.random })
 * ids('wagrp') // 'wagrp_0000000000' and 16 random characters
 */
export const createIds = ({ clock, random }: IdSources): Ids => {
  let time = -1
  let head = ''
  let tail: number[] = []
  return (prefix) => {
    const now = Math.floor(clock.now())
    if (now > time) {
      time = now
      head = encode(timeDigits(now))
      tail = Array.from({ length: 16 }, () => Math.floor(random() * 32))
    } else {
      increment(tail)
    }
    return `${prefix}_${head}${encode(tail)}`
  }
}
