import { type OrganizationInput, RecordExistsError, type ReferenceServer, type Store } from '@wabakit/core'
import { operatorId } from '@wabakit/core/storage'
import { generateSecret } from '@wabakit/webhooks'
import type { ServerConfig } from '../config/server-config.ts'
import { getWebhookHeader } from '../config/webhook-header.ts'

type Service = Pick<ReferenceServer, 'organizations' | 'apiKeys' | 'subscriptions'>

/**
 * Creates an organization. Resolves to `false` if it already exists, for example because another process has created
 * it.
 */
const createOnce = async ({ organizations }: Service, input: OrganizationInput): Promise<boolean> => {
  try {
    await organizations.create(input)
    return true
  } catch (error) {
    if (error instanceof RecordExistsError) return false
    throw error
  }
}

/** The organization that a server creates in an empty store for trying it out. */
export type Demo = {
  readonly organizationId: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  /** The API key. Present only if this start created it, because the store contains only its hash. */
  readonly apiKey: string | undefined
  /** The secret that signs webhooks. Present only if this start created a subscription. */
  readonly webhookSecret: string | undefined
}

type DemoEndpoint = Pick<ServerConfig, 'webhookUrl' | 'webhookHeader'>

const organizationId = 'demo'
const wabaNumber = '+15550100001'
const pstnNumber = '+15550100002'

/** Subscribes the endpoint to the events of both numbers, or updates it. Returns the secret of new subscriptions. */
const subscribe = async (
  { subscriptions }: Service,
  { webhookUrl: url, ...credentials }: DemoEndpoint,
): Promise<string | undefined> => {
  if (url === undefined) return undefined
  const sent = getWebhookHeader(credentials)
  const headers = sent && { [sent.header]: sent.value }
  const { items } = await subscriptions.list(organizationId)
  const secret = generateSecret()
  let isNew = false
  for (const [channel, number] of [
    ['WHATSAPP', wabaNumber],
    ['PSTN', pstnNumber],
  ] as const) {
    const existing = items.find((each) => each.channel === channel)
    if (existing === undefined) {
      await subscriptions.create(organizationId, { channel, number, url, secret, headers })
      isNew = true
    } else if (existing.url !== url || headers !== undefined) {
      await subscriptions.update(organizationId, existing.id, { url, headers })
    }
  }
  return isNew ? secret : undefined
}

/**
 * Creates the demo organization, with a number on each channel and an API key, if the store has no organization but the
 * operator's. Subscribes the endpoint to its events, also if the organization already exists. Returns `undefined` if the store
 * has only other organizations.
 */
export const ensureDemo = async (service: Service, endpoint: DemoEndpoint): Promise<Demo | undefined> => {
  const { items } = await service.organizations.list({ limit: 2 })
  const isEmpty = items.every(({ id }) => id === operatorId)
  if (!isEmpty && (await service.organizations.find(organizationId)) === undefined) return undefined
  const numbers = { integrations: [{ wabaNumber }], pstnNumbers: [pstnNumber] }
  const isCreated = isEmpty && (await createOnce(service, { id: organizationId, ...numbers }))
  const webhookSecret = await subscribe(service, endpoint)
  // This is the last step, because the key is shown only if every step succeeds.
  const apiKey = isCreated ? (await service.apiKeys.create(organizationId, { label: 'demo' })).key : undefined
  return { organizationId, wabaNumber, pstnNumber, apiKey, webhookSecret }
}

/** Subscribes the operator's URL to the health events of all organizations, or updates the subscription. */
export const ensureOperator = async (
  { service, store }: { readonly service: Service; readonly store: Pick<Store, 'findSubscription'> },
  { operationsUrl: url, operationsSecret: secret }: Pick<ServerConfig, 'operationsUrl' | 'operationsSecret'>,
): Promise<void> => {
  if (url === undefined || secret === undefined) return
  const { subscriptions } = service
  // Stores publish the operator's copies of health events only if its organization exists.
  await createOnce(service, { id: operatorId })
  const { items } = await subscriptions.list(operatorId)
  const existing = items.find(({ channel }) => channel === 'OPERATIONS')
  if (existing === undefined) {
    const { id, ...created } = await subscriptions.create(operatorId, { channel: 'OPERATIONS', url, secret })
    // If several processes start at the same time, each may create a subscription. All but the oldest one are then
    // removed, each by its own process.
    const [first] = (await subscriptions.list(operatorId)).items.filter((each) => each.url === created.url)
    if (first?.id !== id) await subscriptions.remove(operatorId, id)
    return
  }
  if (existing.url !== new URL(url).href) await subscriptions.update(operatorId, existing.id, { url })
  const known = await store.findSubscription(operatorId, existing.id)
  if (known?.secret !== secret) await subscriptions.rotateSecret(operatorId, existing.id, { secret })
}
