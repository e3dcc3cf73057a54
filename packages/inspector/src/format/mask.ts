import { redact } from '@wabakit/wire'
import { masking } from '../state/settings.ts'

/** Invisible characters. Some of them change the order of the text that follows. */
const invisible = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Replaces invisible characters with escapes, such as `\\u202e`. */
export const reveal = (text: string): string =>
  text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const isMasking = (): boolean => masking.value === 'on'

/** Returns a phone number, masked if masking is on. */
export const showNumber = (number: string): string => reveal(isMasking() ? redact({ number }).number : number)

/** Returns text from a person, masked if masking is on. */
export const showText = (text: string): string => (isMasking() && text !== '' ? '***' : reveal(text))

/** Group fields that `redact` keeps, because elsewhere, fields with these names identify an event's subject. */
const groupFields = new Set(['groupName', 'subject', 'description'])

/** Returns parsed JSON, with personal data masked if masking is on. */
export const showJson = (value: unknown): unknown => {
  if (!isMasking()) return value
  return JSON.parse(JSON.stringify(redact(value)), (name, field) =>
    groupFields.has(name) && typeof field === 'string' ? showText(field) : field,
  )
}

/** Returns a body, with personal data masked if masking is on. A body that is not JSON is masked completely. */
export const showBody = (text: string): string => {
  if (!isMasking()) return text
  try {
    return JSON.stringify(showJson(JSON.parse(text)))
  } catch {
    return showText(text)
  }
}
