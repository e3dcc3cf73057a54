import { RecordExistsError, type ReferenceServer, type Store } from '@wabakit/core'
import { operatorId } from '@wabakit/core/storage'
import type { ServerConfig } from '../config/server-config.ts'

type Operator = {
  readonly service: Pick<ReferenceServer, 'organizations' | 'subscriptions'>
  readonly store: Pick<Store, 'findSubscription'>
}

/** Creates the operator's organization unless it exists. Copies of health events are published only if it exists. */
const ensureOrganization = async ({ organizations }: Operator['service']): Promise<void> => {
  try {
    await organizations.create({ id: operatorId })
  } catch (error) {
    if (!(error instanceof RecordExistsError)) throw error
  }
}

/** Subscribes the operator's URL to the health events of all organizations, or updates the subscription. */
export const ensureOperator = async (
  { service, store }: Operator,
  { operationsUrl: url, operationsSecret: secret }: Pick<ServerConfig, 'operationsUrl' | 'operationsSecret'>,
): Promise<void> => {
  if (url === undefined || secret === undefined) return
  const { subscriptions } = service
  await ensureOrganization(service)
  const { items } = await subscriptions.list(operatorId)
  const existing = items.find(({ channel }) => channel === 'OPERATIONS')
  if (existing === undefined) {
    const { id, ...created } = await subscriptions.create(operatorId, { channel: 'OPERATIONS', url, secret })
    // Processes that start at the same time each create a subscription. All of them keep the oldest and remove their
    // own.
    const [first] = (await subscriptions.list(operatorId)).items.filter((each) => each.url === created.url)
    if (first?.id !== id) await subscriptions.remove(operatorId, id)
    return
  }
  if (existing.url !== new URL(url).href) await subscriptions.update(operatorId, existing.id, { url })
  const known = await store.findSubscription(operatorId, existing.id)
  if (known?.secret !== secret) await subscriptions.rotateSecret(operatorId, existing.id, { secret })
}
