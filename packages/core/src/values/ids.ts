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

const encodeTime = (time: number): string => {
  let text = ''
  for (let rest = time; text.length < 10; rest = Math.floor(rest / 32)) text = `${alphabet[rest % 32]}${text}`
  return text
}

const drawDigits = (count: number, random: Random): string => {
  let text = ''
  while (text.length < count) text += alphabet[Math.floor(random() * 32)]
  return text
}

/** Adds one to a number in base 32. The highest number wraps around to zero. */
const increment = (digits: string): string => {
  const kept = digits.replace(/Z+$/, '')
  const zeros = '0'.repeat(digits.length - kept.length)
  return kept === '' ? zeros : `${kept.slice(0, -1)}${alphabet[alphabet.indexOf(kept.slice(-1)) + 1]}${zeros}`
}

/**
 * Creates a generator of ids that sort by creation time: prefix, underscore, ULID (26 characters of Crockford's base
 * 32: 48 bits of time and 80 random bits). Within one millisecond, and while the clock does not advance or goes back,
 * each id is the previous one plus one. The same clock and random numbers result in the same ids. Ids of two servers
 * differ because both draw secure random bits by default (`createSecureRandom`).
 *
 * @example
 * const ids = createIds({ clock: { now: () => 0 }, random: Math.random })
 * ids('wagrp') // 'wagrp_0000000000' and 16 random characters
 */
export const createIds = ({ clock, random }: { readonly clock: Clock; readonly random: Random }): Ids => {
  let time = -1
  let tail = ''
  let last = 0
  /** All characters of the ULID except the last one, cached because the next id usually shares them. */
  let stem = ''
  return (prefix) => {
    const now = Math.floor(clock.now())
    if (now <= time && last < 31) {
      last += 1
    } else {
      const isNew = now > time
      time = isNew ? now : time
      tail = isNew ? drawDigits(15, random) : increment(tail)
      last = isNew ? Math.floor(random() * 32) : 0
      stem = `${encodeTime(time)}${tail}`
    }
    return `${prefix}_${stem}${alphabet[last]}`
  }
}

/** Makes `ids` throw a TypeError for an event id that cannot be signed: the id of an event is also its `webhook-id`. */
export const checkEventIds =
  (ids: Ids): Ids =>
  (prefix) => {
    const id = ids(prefix)
    if (prefix !== 'evt' || isWebhookId(id)) return id
    throw new TypeError(
      `ids('evt') returned ${JSON.stringify(id)}. Return visible ASCII characters without a full stop: the id is also the webhook-id of the event's deliveries.`,
    )
  }
