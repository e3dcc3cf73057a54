import { listSecrets, signHeaders } from '../delivery/attempt.ts'
import type { DeliveryRecord, SubscriptionRecord } from '../records.ts'
import type { DeliveryChange, Store } from '../store.ts'

/** The signed request of an attempt, without secret headers. */
export type SignedDelivery = {
  readonly headers: Readonly<Record<string, string>>
  /** The names of the subscription's headers. Their values are secret. */
  readonly hiddenHeaders: readonly string[]
  readonly body: string
  /**
   * Changes since the attempt because of which this signature differs, or may differ, from the one that was sent: the
   * `secret`, the `subscription`, or the `webhook_id`. A change of the `subscription` may include its secret, because
   * the time of a rotation without an overlap is not stored.
   */
  readonly changed: readonly ('secret' | 'subscription' | 'webhook_id')[]
}

/** Lists the changes since an attempt that affect its signature, or may. */
const listChanges = (
  signedAt: number,
  [{ webhookId, eventId }, { previousSecret, updatedAt }]: readonly [DeliveryRecord, SubscriptionRecord],
): SignedDelivery['changed'] => {
  const rotatedAt = previousSecret?.rotatedAt
  // A resend with a new id appends a hyphen and the time of the resend in base 36 to the event's id.
  const renamedAt = Number.parseInt(webhookId.slice(eventId.length + 1), 36)
  const isRotated = rotatedAt !== undefined && rotatedAt > signedAt
  return [
    ...(isRotated ? (['secret'] as const) : []),
    ...(rotatedAt === undefined && updatedAt > signedAt ? (['subscription'] as const) : []),
    ...(renamedAt > signedAt ? (['webhook_id'] as const) : []),
  ]
}

type SigningRequest = Omit<DeliveryChange, 'now'> & { readonly signedAt: number }

/** Signs a delivery as an attempt at the time `signedAt` would, with the current settings. */
export const signDelivery = async (
  store: Store,
  { organizationId, deliveryId, signedAt }: SigningRequest,
): Promise<SignedDelivery | undefined> => {
  const page = { organizationId, limit: 1, order: 'newest_first' } as const
  const [delivery] = (await store.listDeliveries({ ...page, deliveryId })).items
  if (delivery === undefined) return undefined
  const { eventId, webhookId, subscriptionId } = delivery
  const [event] = (await store.listEvents({ ...page, eventId })).items
  const subscription = await store.findSubscription(organizationId, subscriptionId)
  if (event === undefined || subscription === undefined) return undefined
  const { payload, traceparent } = event
  const changed = listChanges(signedAt, [delivery, subscription])
  const signed = await signHeaders({
    secrets: changed.includes('secret') ? [subscription.secret] : listSecrets(subscription, signedAt),
    id: webhookId,
    payload,
    now: signedAt,
  })
  return {
    headers: { ...(traceparent !== null && { traceparent }), ...signed },
    hiddenHeaders: Object.keys(subscription.headers).sort(),
    body: payload,
    changed,
  }
}
