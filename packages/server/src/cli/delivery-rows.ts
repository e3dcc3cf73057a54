import type { Delivery, ListedSubscription } from '../control-types.ts'
import { formatUrl } from './table.ts'

/** Shortens a network error to its code, if it has one. The rest of its message names the endpoint, which has its own column. */
const shortenError = (error: string): string => /\bE[A-Z]{4,}\b/.exec(error)?.[0] ?? error

/** Names deliveries by what people know: the customer's number or the group's name, and the URL of the endpoint. */
export const toDeliveryRows = (
  deliveries: readonly Delivery[],
  subscriptions: readonly Pick<ListedSubscription, 'id' | 'url'>[],
) => {
  const urls = new Map(subscriptions.map(({ id, url }) => [id, formatUrl(url).replace(/^https?:\/\//, '')]))
  return deliveries.map(({ lastResponse, eventName, customerNumber, groupName, ...delivery }) => ({
    ...delivery,
    response: lastResponse?.status ?? shortenError(lastResponse?.error ?? ''),
    event: eventName,
    about: customerNumber ?? groupName ?? delivery.subject,
    // A subscription that has been removed has no URL.
    endpoint: urls.get(delivery.subscriptionId) ?? delivery.subscriptionId,
  }))
}
