import { RecordExistsError, type ReferenceServer } from '@wabakit/core'
import { generateSecret } from '@wabakit/webhooks'

/** The organization that a server has for a start. */
export type Demo = {
  readonly organizationId: string
  readonly wabaNumber: string
  readonly pstnNumber: string
  /** Its key; only when it was just made, since only its hash is kept. */
  readonly apiKey: string | undefined
  /** The secret that signs its webhooks; only when they were just subscribed. */
  readonly webhookSecret: string | undefined
}

/** What {@link ensureDemo} works with. */
export type DemoContext = {
  readonly service: Pick<ReferenceServer, 'organizations' | 'apiKeys' | 'subscriptions'>
  /** Where its events shall go, if anywhere. */
  readonly webhookUrl: string | undefined
}

const organizationId = 'demo'
const wabaNumber = '+15550100001'
const pstnNumber = '+15550100002'

/** @returns its key; `undefined` when another process was faster. */
const create = async ({ service }: DemoContext): Promise<string | undefined> => {
  try {
    await service.organizations.create({
      id: organizationId,
      integrations: [{ wabaNumber }],
      pstnNumbers: [pstnNumber],
    })
  } catch (error) {
    if (error instanceof RecordExistsError) return undefined
    throw error
  }
  return (await service.apiKeys.create(organizationId, { label: 'demo' })).key
}

/** Points the subscriptions of both numbers to the URL; makes them where there are none. */
const subscribe = async (
  { service: { subscriptions } }: DemoContext,
  url: string,
): Promise<string | undefined> => {
  const { items } = await subscriptions.list(organizationId)
  const secret = generateSecret()
  let isNew = false
  for (const [channel, number] of [
    ['WHATSAPP', wabaNumber],
    ['PSTN', pstnNumber],
  ] as const) {
    const present = items.find((each) => each.channel === channel)
    if (present === undefined) {
      await subscriptions.create(organizationId, { channel, number, url, secret })
      isNew = true
    } else if (present.url !== url) {
      await subscriptions.update(organizationId, present.id, { url })
    }
  }
  return isNew ? secret : undefined
}

/**
 * Makes the demo organization, with a number of each kind and a key, in a store that has no organization yet.
 *
 * @returns it, made just now or before; `undefined` in a store that others have set up.
 */
export const ensureDemo = async (context: DemoContext): Promise<Demo | undefined> => {
  const { service, webhookUrl } = context
  const isEmpty = (await service.organizations.list({ limit: 1 })).items.length === 0
  if (!isEmpty && (await service.organizations.find(organizationId)) === undefined) return undefined
  const apiKey = isEmpty ? await create(context) : undefined
  const webhookSecret = webhookUrl === undefined ? undefined : await subscribe(context, webhookUrl)
  return { organizationId, wabaNumber, pstnNumber, apiKey, webhookSecret }
}
