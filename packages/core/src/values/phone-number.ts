import type { Channel } from '@wabakit/contract'
import type { NumberRecord, OrganizationRecord } from '../records.ts'

export const phoneNumberRule =
  'must be a phone number: digits, optionally with a leading +, spaces, dots, dashes and parentheses, at most 255 characters'

/** Maximum length of a number, the same as for identifiers, because stores index both. */
const maxLength = 255

/**
 * Returns the digits by which a phone number is compared. A leading `+`, spaces, dots, dashes and parentheses are ignored.
 *
 * @returns `undefined` for a string with any other character, without a digit, or longer than 255 characters. Such a
 *   string is not a phone number and matches none.
 * @example
 * toDigits('+1 (555) 010-0001') // '15550100001'
 */
export const toDigits = (number: string): string | undefined => {
  if (number.length > maxLength) return undefined
  const digits = number.replace(/^ *\+/, '').replace(/[ .()-]/g, '')
  return /^[0-9]+$/.test(digits) ? digits : undefined
}

const listNumbers = (
  { integrations, pstnNumbers }: OrganizationRecord,
  channel: Channel,
): readonly NumberRecord[] => (channel === 'PSTN' ? pstnNumbers : integrations)

export const findOwnNumber = (
  organization: OrganizationRecord,
  channel: Channel,
  number: string,
): NumberRecord | undefined => {
  const digits = toDigits(number)
  return listNumbers(organization, channel).find((own) => own.digits === digits)
}
