import type { Channel } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import type { NumberRecord, OrganizationRecord } from '../records.ts'

export const phoneNumberRule =
  'must be a phone number: digits, optionally with a leading +, spaces, dots, dashes and parentheses, at most 255 characters'

/** Maximum length of a number. Identifiers have the same maximum, because stores index both. */
const maxLength = 255

/**
 * Returns the digits by which a phone number is compared. A leading `+`, spaces, dots, dashes and parentheses
 * are ignored.
 *
 * @returns `undefined` for a string with any other character, without a digit, or longer than 255 characters. Such a
 *   string is not a phone number and matches none.
 * @example
 * toDigits('+1 (555) 010-0001') // '15550100001'
 */
export const toDigits = (number: string): string | undefined => {
  if (number.length > maxLength) return undefined
  const digits = number.replace(/^ *\+|[ .()-]/g, '')
  return /^[0-9]+$/.test(digits) ? digits : undefined
}

/** Returns the digits of a phone number that a caller passed in a field, or throws an InputError. */
export const parseDigits = (number: string, path: string): string => {
  const digits = toDigits(number)
  if (digits === undefined) throw new InputError([{ path, message: phoneNumberRule }])
  return digits
}

/** Finds the number of an organization on a channel, compared by its digits. */
export const findOwnNumber = (
  { integrations, pstnNumbers }: OrganizationRecord,
  channel: Channel,
  number: string,
): NumberRecord | undefined => {
  const numbers: readonly NumberRecord[] = channel === 'PSTN' ? pstnNumbers : integrations
  const digits = toDigits(number)
  return numbers.find((own) => own.digits === digits)
}
