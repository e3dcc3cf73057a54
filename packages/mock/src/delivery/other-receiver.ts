import type { LoadedDelivery, ReferenceServer } from '@wabakit/core'
import { toDigits } from '@wabakit/core/hosting'

/** Returns whether a subscription with another URL gets an event, too. */
export const hasOtherReceiver = async (
  subscriptions: ReferenceServer['subscriptions'],
  { event, subscription }: Pick<LoadedDelivery, 'event' | 'subscription'>,
): Promise<boolean> => {
  const { items } = await subscriptions.list(event.organizationId, { limit: 1_000 })
  return items.some(
    ({ enabled, url, channel, number, events }) =>
      enabled &&
      url !== subscription.url &&
      channel === event.channel &&
      toDigits(number) === event.digits &&
      (events === 'all' || events.some((each) => each === event.name)),
  )
}
