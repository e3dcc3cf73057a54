import { createPhoneNumber, createSeededRandom } from '@wabakit/core/simulation'

/** Generates an organization's account at the vendor. */
export const createAccount = (seed: number, tenant: number) => {
  const random = createSeededRandom(seed, 'account', tenant)
  const createBytes = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 256))
  const wabaNumber = createPhoneNumber(random)
  const pstnNumber = createPhoneNumber(random, [wabaNumber])
  const key = createBytes(8).map((byte) => byte.toString(16).padStart(2, '0'))
  return {
    /** Id of the organization on {@link MockTenant.server}. */
    organizationId: `org_${tenant}`,
    /** The organization's WhatsApp Business number. */
    wabaNumber,
    /** The organization's telephone number. */
    pstnNumber,
    /** Public API key for all numbers of the organization. */
    apiKey: `wk_mock_${key.join('')}`,
    /** Secret that signs the webhooks, for `standardWebhooks({ secrets: [mock.secret] })`. */
    secret: `whsec_${btoa(String.fromCharCode(...createBytes(32)))}`,
  }
}

export type Account = Readonly<ReturnType<typeof createAccount>>
