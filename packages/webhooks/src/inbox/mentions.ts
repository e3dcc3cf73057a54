/**
 * Matches the separators between the digits of a written phone number: blanks, marks, dashes, and the `(0)`
 * of some countries. It is a function, so that bundles of programs without an inbox do not contain it.
 */
const getSeparators = () =>
  String.raw`(?:\(0\)|%20|[\s\0()./+\-\u00ad\u200b-\u200f\u2010-\u2015\u202a-\u202e\u2060-\u2069])*`

const escapePattern = (text: string): string => text.replaceAll(/[^\w\s]/g, String.raw`\$&`)

/** Yields every text of a JSON value: strings, numbers, and the keys of objects. */
function* listTexts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      yield key
      yield* listTexts(each)
    }
  }
}

/** Checks all texts of a body, or the whole body if it is not JSON. */
const someText = (body: Uint8Array, test: (text: string) => boolean): boolean => {
  const text = new TextDecoder().decode(body)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return test(text)
  }
  for (const each of listTexts(value)) if (test(each)) return true
  return false
}

/** A test of texts and bodies. */
export type Mention = {
  readonly isIn: (text: string) => boolean
  readonly isInBody: (body: Uint8Array) => boolean
}

const toMention = (isIn: Mention['isIn']): Mention => ({ isIn, isInBody: (body) => someText(body, isIn) })

/**
 * Returns the test for a phone number. `digits` includes the country code. The test finds the number in any
 * notation within any text, but not as a part of a longer number.
 */
export const findNumber = (digits: string): Mention => {
  const pattern = new RegExp(String.raw`(?<!\d)0*${[...digits].join(getSeparators())}(?!\d)`)
  return toMention((text) => pattern.test(text.normalize('NFKC')))
}

/** Ids that are shorter may be words of a text. */
const minimumIdLength = 8

/** Returns the test for the id of a call or a group: as a value or a key, or as a word within a text if it is long. */
export const findId = (id: string): Mention => {
  const word = new RegExp(String.raw`(?<![\w-])${escapePattern(id)}(?![\w-])`)
  return toMention((text) => text === id || (id.length >= minimumIdLength && word.test(text)))
}
