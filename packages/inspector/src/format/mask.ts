import { redact } from '@wabakit/wire'
import { masking } from '../state/settings.ts'

/** Invisible characters that change the order of the text around them, and so could disguise a name. */
const bidirectionalControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Replaces bidirectional controls with escapes, such as `\u202e`. Keeps joiners, without which emoji fall
 * apart and Persian is spelled wrong.
 */
export const reveal = (text: string): string =>
  text.replace(
    bidirectionalControls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const isMasking = (): boolean => masking.value === 'on'

/** Returns a phone number, masked if masking is on. */
export const showNumber = (number: string): string => reveal(isMasking() ? redact({ number }).number : number)

/** Returns text from a person, masked if masking is on. */
export const showText = (text: string): string => (isMasking() && text !== '' ? '***' : reveal(text))

/** Texts about groups and senders. `redact` keeps them, because other records use these names for what is not personal. */
const textFields = new Set(['groupName', 'subject', 'description', 'address', 'userAgent'])

/** Returns parsed JSON, with personal data masked if masking is on. */
export const showJson = (value: unknown): unknown => {
  if (!isMasking()) return value
  return JSON.parse(JSON.stringify(redact(value)), (name, field) =>
    textFields.has(name) && typeof field === 'string' ? showText(field) : field,
  )
}

/** Returns a body, with personal data masked if masking is on. One that is not JSON, or is nested too deeply, is masked completely. */
export const showBody = (text: string): string => {
  if (!isMasking()) return text
  try {
    return JSON.stringify(showJson(JSON.parse(text)))
  } catch {
    return showText(text)
  }
}

/**
 * Indents a body, with personal data masked if masking is on. Returns `undefined` if it is not JSON, or if its values are nested
 * thousands of levels deep, which no engine indents.
 */
export const formatJson = (text: string): string | undefined => {
  try {
    return JSON.stringify(showJson(JSON.parse(text)), null, 2)
  } catch {
    return undefined
  }
}
