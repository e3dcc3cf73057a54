import { findNumber } from '@wabakit/wire'

const escapePattern = (text: string): string => text.replaceAll(/[^\w\s]/g, String.raw`\$&`)

/**
 * Yields the text of a body, and if it is JSON, all texts in it: strings, numbers, and the keys of objects. The whole text has
 * what parsing loses, such as the first of two equal keys. Does not recurse, because a sender may nest as deeply as it likes.
 */
function* listTexts(body: Uint8Array): Generator<string> {
  const text = new TextDecoder().decode(body)
  yield text
  const pending: unknown[] = []
  try {
    pending.push(JSON.parse(text))
  } catch {
    return
  }
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value === 'string') yield value
    else if (typeof value === 'number') yield String(value)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) {
        yield key
        pending.push(each)
      }
    }
  }
}

/** A test of texts and bodies. */
export type Mention = {
  readonly isIn: (text: string) => boolean
  readonly isInBody: (body: Uint8Array) => boolean
}

const toMention = (isIn: Mention['isIn']): Mention => ({
  isIn,
  isInBody: (body) => {
    for (const text of listTexts(body)) if (isIn(text)) return true
    return false
  },
})

/** Returns the test for a phone number, whose `digits` include the country code. */
export const toNumberMention = (digits: string): Mention => toMention(findNumber(digits))

/** Shorter ids may be words of a text. Longer ones would make a search slow: received ids may be as long as a body. */
const isWord = ({ length }: string): boolean => length >= 8 && length <= 255

/** Returns the test for the id of a call or a group: as a value, a key or, if its length permits, a word within a text. */
export const toIdMention = (id: string): Mention => {
  const word = isWord(id) ? new RegExp(String.raw`(?<![\w-])${escapePattern(id)}(?![\w-])`) : undefined
  return toMention((text) => text === id || word?.test(text) === true)
}
