import type { Random } from '@wabakit/core'
import { pick, wholeNumber } from './seeded-random.ts'

const areaCodes = [
  '202',
  '206',
  '212',
  '213',
  '303',
  '305',
  '312',
  '404',
  '415',
  '469',
  '503',
  '512',
  '602',
  '612',
  '617',
  '646',
  '702',
  '713',
  '718',
  '720',
  '737',
  '773',
  '786',
  '813',
  '818',
  '832',
  '857',
  '917',
  '949',
  '971',
] as const

/**
 * A telephone number that belongs to nobody: 555-0100 to 555-0199 are set aside for fiction in every area code of the
 * North American numbering plan.
 *
 * @param taken - numbers that must not come out.
 */
export const phoneNumber = (random: Random, taken: readonly string[] = []): string => {
  for (;;) {
    const line = String(wholeNumber(random, 0, 99)).padStart(2, '0')
    const number = `+1${pick(random, areaCodes)}55501${line}`
    if (!taken.includes(number)) return number
  }
}

const givenNames = [
  'Amara',
  'Bruno',
  'Chloé',
  'Deepak',
  'Elif',
  'Farid',
  'Grace',
  'Hana',
  'Ines',
  'Jonas',
  'Kwame',
  'Lucía',
  'Mei',
  'Noor',
  'Olga',
  'Priya',
  'Rafael',
  'Sofía',
  'Tomasz',
  'Yusuf',
] as const

const familyNames = [
  'Adeyemi',
  'Bakker',
  'Castillo',
  'Demir',
  'Eriksen',
  'Fischer',
  'García',
  'Haddad',
  'Ito',
  'Jensen',
  'Kumar',
  'Lopes',
  'Moreau',
  'Novak',
  'Okafor',
  'Patel',
  'Rossi',
  'Silva',
  'Tanaka',
  'Weber',
] as const

/** The full name of a person. */
export const personName = (random: Random): string =>
  `${pick(random, givenNames)} ${pick(random, familyNames)}`
