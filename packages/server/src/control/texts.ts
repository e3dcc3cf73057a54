import * as z from 'zod/mini'

// The core checks these texts, and says what is wrong with them. Here they are described.

/** JSON Schema of an identifier, besides its type. */
export const identifierFacts = {
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
} as const

const phoneNumberFacts = { maxLength: 255, pattern: '^ *\\+?[ .()-]*[0-9][0-9 .()-]*$' } as const

/** An identifier. */
export const identifier = () => z.string().check(z.meta(identifierFacts))

/** A phone number, compared by its digits. */
export const phoneNumber = () => z.string().check(z.meta(phoneNumberFacts))

/** What an event is about: `call:` or `group:` and an identifier. */
export const subject = () => z.string().check(z.minLength(1), z.meta({ maxLength: 261 }))
