import type { CallSummary } from '@wabakit/contract'
import type { Random } from '../values/ids.ts'
import { conversations } from './conversations.ts'
import { createSeededRandom, pick, pickInteger } from './seeded-random.ts'

const pickWord = (random: Random, list: string): string => {
  const words = list.split(' ')
  return words[pickInteger(random, 0, words.length - 1)] ?? ''
}

const areaCodes =
  '202 206 212 213 303 305 312 404 415 469 503 512 602 612 617 646 702 713 718 720 737 773 786 813 818 832 857 917 949 971'

/**
 * Generates a telephone number that belongs to no real person: in every area code of the North American
 * numbering plan, 555-0100 to 555-0199 are reserved for fiction.
 *
 * @param taken - numbers that must not be returned.
 */
export const createPhoneNumber = (random: Random, taken: readonly string[] = []): string => {
  for (;;) {
    const line = String(pickInteger(random, 0, 99)).padStart(2, '0')
    const number = `+1${pickWord(random, areaCodes)}55501${line}`
    if (!taken.includes(number)) return number
  }
}

const givenNames =
  'Amara Bruno Chloé Deepak Elif Farid Grace Hana Ines Jonas Kwame Lucía Mei Noor Olga Priya Rafael Sofía Tomasz Yusuf'

const familyNames =
  'Adeyemi Bakker Castillo Demir Eriksen Fischer García Haddad Ito Jensen Kumar Lopes Moreau Novak Okafor Patel Rossi Silva Tanaka Weber'

/** Generates a name that is always the same for the same `parts`. */
export const createPersonName = (...parts: readonly string[]): string => {
  const random = createSeededRandom(...parts)
  return `${pickWord(random, givenNames)} ${pickWord(random, familyNames)}`
}

/** Returns the name of the customer with a number. It depends on nothing else, so that all events of a call agree. */
export const nameCustomer = (customerNumber: string): string => createPersonName('customer', customerNumber)

/** Generated data for a call. */
export type CallData = {
  readonly customerNumber: string
  readonly agentNumber: string
  /** Length of the conversation, in whole seconds. */
  readonly durationInSeconds: number
  readonly summary: CallSummary
}

/**
 * Generates data for a call.
 *
 * @param taken - numbers that neither the customer nor the team member may have.
 */
export const createCallData = (random: Random, taken: readonly string[] = []): CallData => {
  const customerNumber = createPhoneNumber(random, taken)
  return {
    customerNumber,
    agentNumber: createPhoneNumber(random, [...taken, customerNumber]),
    durationInSeconds: pickInteger(random, 25, 480),
    summary: pick(random, conversations),
  }
}
