/**
 * The digits by which a number is compared: a leading `+`, spaces, dots, dashes and parentheses do not matter.
 *
 * @returns `undefined` for a text with any other character, or without a digit: it matches no number.
 * @example
 * digitsOf('+1 (555) 010-0001') // '15550100001'
 */
export const digitsOf = (number: string): string | undefined => {
  const digits = number.replace(/^ *\+/, '').replace(/[ .()-]/g, '')
  return /^[0-9]+$/.test(digits) ? digits : undefined
}
