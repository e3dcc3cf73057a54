import { redact } from '@wabakit/contract'

/** Lists the strings that `redact` masks. */
const listMasked = (value: unknown, masked: unknown): string[] => {
  if (value === masked) return []
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([name, field]) =>
    listMasked(field, typeof masked === 'object' ? Object(masked)[name] : masked),
  )
}

const parse = (payload: string): unknown => {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** Minimum length of a common substring for one string to count as repeating another. */
const windowLength = 12

const hashFactor = 31
/** The weight of a window's first character in its hash. */
const firstWeight = Array.from({ length: windowLength - 1 }).reduce<number>(
  (weight) => Math.imul(weight, hashFactor),
  1,
)

/**
 * Returns a function that checks whether text contains a string or, for a long string, a part of the window's length.
 * Reads the text once, and then each string once (Rabin–Karp). The text comes from an endpoint and the strings from a
 * caller, and searching the text for each string separately could take seconds.
 */
const createFinder = (text: string): ((string: string) => boolean) => {
  const visit = (string: string, see: (hash: number, start: number) => boolean): boolean => {
    let hash = 0
    for (let end = 0; end < string.length; end++) {
      const start = end + 1 - windowLength
      if (start > 0) hash -= Math.imul(string.charCodeAt(start - 1), firstWeight)
      hash = (Math.imul(hash, hashFactor) + string.charCodeAt(end)) | 0
      if (start >= 0 && see(hash, start)) return true
    }
    return false
  }
  const windows = new Map<number, Set<string>>()
  visit(text, (hash, start) => {
    const window = text.slice(start, start + windowLength)
    windows.set(hash, (windows.get(hash) ?? new Set()).add(window))
    return false
  })
  /** The substrings of the text, by a length below the window's. */
  const substrings = new Map<number, Set<string>>()
  const listSubstrings = (length: number): Set<string> => {
    const listed = new Set(
      Array.from({ length: text.length }, (_, start) => text.slice(start, start + length)),
    )
    substrings.set(length, listed)
    return listed
  }
  return (string) => {
    const { length } = string
    if (length < windowLength) return (substrings.get(length) ?? listSubstrings(length)).has(string)
    return visit(string, (hash, start) => {
      const found = windows.get(hash)
      return found?.has(string.slice(start, start + windowLength)) ?? false
    })
  }
}

/** Returns whether text repeats an event's personal data: a phone number in any notation, a name, or part of a text. */
export const repeatsPersonalData = (text: string, payload: string): boolean => {
  const isInText = createFinder(text.replaceAll(/\\[nrt"\\/]/g, ' '))
  const isInDigits = createFinder(text.replaceAll(/\D/g, ''))
  const event = parse(payload)
  return listMasked(event, redact(event)).some((value) => {
    const known = value.replaceAll(/[\n\r\t"\\/]/g, ' ')
    const knownDigits = value.replaceAll(/\D/g, '')
    if (/^[\d\s+().-]+$/.test(value)) return knownDigits.length > 4 && isInDigits(knownDigits)
    return known.length > 2 && isInText(known)
  })
}
