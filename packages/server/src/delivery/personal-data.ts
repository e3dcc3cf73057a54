import { redact } from '@wabakit/contract'
import { readDigits } from '@wabakit/wire'

/** Lists the values that `redact` masks, as strings. Does not recurse, because a payload may be nested as deeply as its sender likes. */
const listMasked = (payload: unknown): string[] => {
  const found: string[] = []
  const pending: [value: unknown, masked: unknown][] = [[payload, redact(payload)]]
  for (const [value, masked] of pending) {
    if (value === masked) continue
    if (typeof value !== 'object' || value === null) found.push(String(value))
    else
      for (const [name, field] of Object.entries(value))
        pending.push([field, typeof masked === 'object' ? Object(masked)[name] : masked])
  }
  return found
}

const parse = (payload: string): unknown => {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** Length of the common part for which a text counts as repeating a longer string. */
const windowLength = 12

/**
 * Returns a function that checks whether text contains a string or, for a long string, a part of the window's length.
 * It looks up each part in a set. The text comes from an endpoint and the strings from a caller, and searching the text
 * for each part could take seconds.
 */
const createFinder = (text: string): ((string: string) => boolean) => {
  /** The parts of the text, by their length. */
  const parts = new Map<number, ReadonlySet<string>>()
  const listParts = (length: number): ReadonlySet<string> => {
    const listed = new Set<string>()
    for (let end = length; end <= text.length; end++) listed.add(text.slice(end - length, end))
    parts.set(length, listed)
    return listed
  }
  return (string) => {
    const length = Math.min(string.length, windowLength)
    const known = parts.get(length) ?? listParts(length)
    if (known.size === 0) return false
    for (let end = length; end <= string.length; end++) {
      if (known.has(string.slice(end - length, end))) return true
    }
    return false
  }
}

/**
 * Returns whether text repeats an event's personal data: a phone number in any notation, a name, or a part of a text. Numbers of up
 * to 4 digits, and texts of up to 2 characters, do not count.
 */
export const repeatsPersonalData = (text: string, payload: string): boolean => {
  const isInText = createFinder(text.replaceAll(/\\[nrt"\\/]/g, ' '))
  const isInDigits = createFinder(readDigits(text))
  return listMasked(parse(payload)).some((value) => {
    const known = value.replaceAll(/[\n\r\t"\\/]/g, ' ')
    const knownDigits = readDigits(value)
    if (/^[\d\s+().-]+$/.test(value)) return knownDigits.length > 4 && isInDigits(knownDigits)
    return known.length > 2 && isInText(known)
  })
}
