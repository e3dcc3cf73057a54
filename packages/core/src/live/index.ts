// For imitations of a live service: the mock, and the server with `sandbox`

import type { DeliveryRequest } from '../delivery/attempt.ts'
import type { LiveSettings } from '../simulation/live-settings.ts'
import type { LoadedDelivery } from '../store.ts'
import { toLivePayload } from './live-payload.ts'

export { createFetchLimit } from './fetch-limit.ts'
export { respondLive } from './live-api.ts'
export { limitRetries } from './live-retries.ts'
export { markUnrecorded } from './live-store.ts'
export { toLivePayload }

/**
 * Turns a signed request into one that a live service sends: without signature and id, and in the live
 * service's format.
 */
export const toLiveDelivery = (
  { headers, ...init }: DeliveryRequest,
  {
    event,
    subscription,
    settings,
  }: Pick<LoadedDelivery, 'event' | 'subscription'> & { readonly settings: LiveSettings },
): DeliveryRequest => {
  const dropped = settings.dropCredentials ? Object.keys(subscription.headers) : []
  const isKept = (name: string): boolean => !name.startsWith('webhook-') && !dropped.includes(name)
  return {
    ...init,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name))),
    // A payload that the caller wrote is sent unchanged.
    body: event.hasCustomPayload ? event.payload : toLivePayload(event.payload, settings),
  }
}
