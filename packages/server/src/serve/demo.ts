import { RecordExistsError, type ReferenceServer } from '@wabakit/core'
import { operatorId } from '@wabakit/core/storage'
import { generateSecret } from '@wabakit/webhooks'
import type { ServerConfig } from '../config/server-config.ts'

/** The organization that a server creates in an empty store for trying it out. */
export type Demo = {
  readonly organizationId: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  /** The API key. Present only if this start created it, because the store contains only its hash. */
  readonly apiKey: string | undefined
  /** The secret that signs webhooks. Present only if this start created the subscriptions. */
  readonly webhookSecret: string | undefined
}

/** The endpoint for the demo organization's events, if there is one. */
type DemoEndpoint = Pick<ServerConfig, 'webhookUrl' | 'webhookAuthorization'>

type Service = Pick<ReferenceServer, 'organizations' | 'apiKeys' | 'subscriptions'>

const organizationId = 'demo'
const wabaNumber = '+15550100001'
const pstnNumber = '+15550100002'

/** @returns false if another process created the organization in the meantime. */
const create = async ({ organizations }: Service): Promise<boolean> => {
  try {
    await organizations.create({
      id: organizationId,
      integrations: [{ wabaNumber }],
      pstnNumbers: [pstnNumber],
    })
    return true
  } catch (error) {
    if (error instanceof RecordExistsError) return false
    throw error
  }
}

/**
 * Subscribes the endpoint to the events of both numbers, or updates existing subscriptions.
 *
 * @returns the secret of new subscriptions.
 */
const subscribe = async (
  { subscriptions }: Service,
  { webhookUrl: url, webhookAuthorization: authorization }: DemoEndpoint,
): Promise<string | undefined> => {
  if (url === undefined) return undefined
  const headers = authorization === undefined ? undefined : { authorization }
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
 * Creates the demo organization, with a number on each channel and an API key, if the store has no organization.
 *
 * @returns the organization, or `undefined` if the store has only other organizations.
 */
export const ensureDemo = async (service: Service, endpoint: DemoEndpoint): Promise<Demo | undefined> => {
  const { items } = await service.organizations.list({ limit: 2 })
  const isEmpty = items.every(({ id }) => id === operatorId)
  if (!isEmpty && (await service.organizations.find(organizationId)) === undefined) return undefined
  const isCreated = isEmpty && (await create(service))
  const webhookSecret = await subscribe(service, endpoint)
  // This is the last step, because the key is shown only if every step succeeds.
  const apiKey = isCreated ? (await service.apiKeys.create(organizationId, { label: 'demo' })).key : undefined
  return { organizationId, wabaNumber, pstnNumber, apiKey, webhookSecret }
}
