import type { Random } from '@wabakit/core'
import { phoneNumber } from './people.ts'
import { createSeededRandom } from './seeded-random.ts'

/** Who a tenant is: everything an integrator would have been given. */
export type Account = {
  readonly organizationId: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  readonly apiKey: string
  readonly secret: string
}

const bytes = (random: Random, count: number): number[] =>
  Array.from({ length: count }, () => Math.floor(random() * 256))

const hexadecimal = (numbers: readonly number[]): string =>
  numbers.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The account of the tenant with this number; the same seed gives the same. */
export const createAccount = (seed: number, tenant: number): Account => {
  const random = createSeededRandom(seed, 'account', tenant)
  const wabaNumber = phoneNumber(random)
  return {
    organizationId: `org_${tenant}`,
    wabaNumber,
    pstnNumber: phoneNumber(random, [wabaNumber]),
    apiKey: `wk_mock_${hexadecimal(bytes(random, 8))}`,
    secret: `whsec_${btoa(String.fromCharCode(...bytes(random, 32)))}`,
  }
}
