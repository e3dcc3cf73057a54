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

const repeatsPart = (text: string, whole: string): boolean => {
  for (let start = 0; start + windowLength <= text.length; start += 1) {
    if (whole.includes(text.slice(start, start + windowLength))) return true
  }
  return false
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
