import type { Random } from '@wabakit/core'
import { createPhoneNumber, createSeededRandom } from '@wabakit/core/simulation'

/** A customer's account at the vendor. */
export type Account = {
  readonly organizationId: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  readonly apiKey: string
  readonly secret: string
}

const createBytes = (random: Random, count: number): number[] =>
  Array.from({ length: count }, () => Math.floor(random() * 256))

const toHexadecimal = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const createAccount = (seed: number, tenant: number): Account => {
  const random = createSeededRandom(seed, 'account', tenant)
  const wabaNumber = createPhoneNumber(random)
  return {
    organizationId: `org_${tenant}`,
    wabaNumber,
    pstnNumber: createPhoneNumber(random, [wabaNumber]),
    apiKey: `wk_mock_${toHexadecimal(createBytes(random, 8))}`,
    secret: `whsec_${btoa(String.fromCharCode(...createBytes(random, 32)))}`,
  }
}
