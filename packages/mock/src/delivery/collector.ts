import type { LoadedDelivery, ReferenceServer } from '@wabakit/core'
import { toDigits } from '@wabakit/core/hosting'
import type { RecordedDelivery } from '../recording.ts'

// The first subscriptions of a tenant only collect what arrives until `deliverTo` sets a target. Once a test
// has added a subscription (`webhookUrl` is one), or has waited or added a delivery fault through the control API, endpoints are under test: the
// collector must neither use up their faults nor acknowledge their events. Otherwise a test that forgot to subscribe its
// endpoint would pass.

/** Wraps a server. `isSubscribed` returns whether a subscription has been added through the wrapper. */
export const watchSubscriptions = (reference: ReferenceServer) => {
  let isSubscribed = false
  const server: ReferenceServer = {
    ...reference,
    subscriptions: {
      ...reference.subscriptions,
      create: async (...input) => {
        const created = await reference.subscriptions.create(...input)
        isSubscribed = true
        return created
      },
    },
  }
  return { server, isSubscribed: () => isSubscribed }
}

/** Returns a delivery that counts as acknowledged only until an endpoint is under test. */
export const collectUntil = (isUnderTest: () => boolean, delivery: RecordedDelivery): RecordedDelivery => ({
  ...delivery,
  get acknowledged() {
    return delivery.acknowledged && !isUnderTest()
  },
})

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
