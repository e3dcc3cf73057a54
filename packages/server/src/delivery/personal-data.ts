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
 * Returns whether two strings have a common substring of the window's length. Passes over each string once (Rabin and
 * Karp): an endpoint chooses the one and a caller the other, and looking for each window in turn could take seconds.
 */
const repeatsPart = (text: string, whole: string): boolean => {
  const windows = new Map<number, Set<string>>()
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
  visit(text, (hash, start) => {
    const window = text.slice(start, start + windowLength)
    windows.set(hash, (windows.get(hash) ?? new Set()).add(window))
    return false
  })
  return visit(
    whole,
    (hash, start) => windows.get(hash)?.has(whole.slice(start, start + windowLength)) ?? false,
  )
}

/** Returns whether text repeats an event's personal data: a phone number in any notation, a name, or part of a text. */
export const repeatsPersonalData = (text: string, payload: string): boolean => {
  const plain = text.replaceAll(/\\[nrt"\\/]/g, ' ')
  const digits = text.replaceAll(/\D/g, '')
  const event = parse(payload)
  return listMasked(event, redact(event)).some((value) => {
    const known = value.replaceAll(/[\n\r\t"\\/]/g, ' ')
    const knownDigits = value.replaceAll(/\D/g, '')
    if (/^[\d\s+().-]+$/.test(value)) return knownDigits.length > 4 && digits.includes(knownDigits)
    return known.length > 2 && (plain.includes(known) || repeatsPart(plain, known))
  })
}
