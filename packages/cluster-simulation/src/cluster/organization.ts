import type { Store } from '@wabakit/core'
import type { Plan } from '../plan.ts'
import { startTime } from './run-context.ts'

export const organizationId = 'acme'
export const wabaNumber = '+15550100001'
export const digits = '15550100001'
/** Name of the operational subscription and of its endpoint. */
export const operations = 'operations'
export const apiKey = 'wk_simulated_key_0123456789'

/** SHA-256 of the key. */
const keyHash = 'eb87e2c8172e3d66e6c511ee6817343d38fc92969cefe7105db2b516565985dd'

/** Returns the nth signing secret of a subscription. */
export const buildSecret = (subscription: string, nth: number): string =>
  `whsec_${btoa(`${subscription} ${nth}`.padEnd(32, '.'))}`

/** Saves the organization with its key and subscriptions before the run starts. */
export const setUpOrganization = async (store: Store, { subscriptions }: Plan): Promise<void> => {
  await store.saveOrganization({
    id: organizationId,
    revision: 1,
    callSummaries: 'automatic',
    integrations: [{ number: wabaNumber, digits, enabled: true, joinApprovalMode: 'auto_approve' }],
    pstnNumbers: [],
    createdAt: startTime,
  })
  await store.addApiKey({
    id: 'key_1',
    organizationId,
    hash: keyHash,
    label: '',
    wabaNumbers: 'all',
    createdAt: startTime,
  })
  const numbered = { channel: 'WHATSAPP', number: wabaNumber, digits } as const
  const operational = { channel: 'OPERATIONS', number: '', digits: '' } as const
  for (const { name, endpoint, events, maxAttemptsPerSecond, ...own } of [
    ...subscriptions.map(({ maxAttemptsPerSecond = null, ...each }) => ({
      ...each,
      ...numbered,
      maxAttemptsPerSecond,
    })),
    {
      name: operations,
      endpoint: operations,
      events: 'all' as const,
      maxAttemptsPerSecond: null,
      ...operational,
    },
  ]) {
    await store.saveSubscription({
      id: name,
      organizationId,
      revision: 1,
      ...own,
      url: `https://${endpoint}.example/hook`,
      events,
      secret: buildSecret(name, 1),
      previousSecret: null,
      headers: {},
      maxAttemptsPerSecond,
      disabledReason: null,
      failingSince: null,
      isReported: false,
      createdAt: startTime,
      updatedAt: startTime,
    })
  }
}
