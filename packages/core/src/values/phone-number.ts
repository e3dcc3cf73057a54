/** What a phone number must be. */
export const phoneNumberRule =
  'must be a phone number: digits, with a leading +, spaces, dots, dashes or parentheses, at most 255 characters'

/** The limit of identifiers, since stores index numbers as well. */
const maxLength = 255

/**
 * The digits by which a number is compared: a leading `+`, spaces, dots, dashes and parentheses do not matter.
 *
 * @returns `undefined` for a text with any other character, without a digit, or of more than 255 characters: it matches
 *   no number.
 * @example
 * digitsOf('+1 (555) 010-0001') // '15550100001'
 */
export const digitsOf = (number: string): string | undefined => {
  if (number.length > maxLength) return undefined
  const digits = number.replace(/^ *\+/, '').replace(/[ .()-]/g, '')
  return /^[0-9]+$/.test(digits) ? digits : undefined
}
