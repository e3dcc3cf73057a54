import type { Store } from '@wabakit/core'
import type { Plan, PlannedSubscription } from '../plan.ts'

/** Start time of every run, as Unix time in milliseconds. */
export const startTime = Date.UTC(2026, 0, 1)

export const organizationId = 'acme'
export const wabaNumber = '+15550100001'
export const apiKey = 'wk_simulated_key_0123456789'

const digits = wabaNumber.slice(1)

/** SHA-256 of `apiKey`. */
const keyHash = 'eb87e2c8172e3d66e6c511ee6817343d38fc92969cefe7105db2b516565985dd'

/** A subscription to health events, which every run has in addition to its planned subscriptions. */
export const operationalSubscription: PlannedSubscription = {
  name: 'operations',
  endpoint: 'operations',
  events: 'all',
}

export const buildSecret = (subscription: string, nth: number): string =>
  `whsec_${btoa(`${subscription} ${nth}`.padEnd(32, '.'))}`

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
  for (const subscription of [...subscriptions, operationalSubscription]) {
    const { name, endpoint, events, maxAttemptsPerSecond = null } = subscription
    await store.saveSubscription({
      id: name,
      organizationId,
      revision: 1,
      ...(subscription === operationalSubscription
        ? { channel: 'OPERATIONS', number: '', digits: '' }
        : { channel: 'WHATSAPP', number: wabaNumber, digits }),
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
