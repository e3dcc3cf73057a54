// For imitations of a live service: the mock, and the server with `mock`

import type { DeliveryRequest } from '../delivery/attempt.ts'
import type { LiveSettings } from '../simulation/live-settings.ts'
import type { LoadedDelivery } from '../store.ts'
import { toLivePayload } from './live-payload.ts'

export { respondLive } from './live-api.ts'
export { limitRetries } from './live-retries.ts'
export { toLivePayload }

/**
 * Turns a signed request into one that a live service sends: without signature and id, and in the live
 * service's format.
 */
export const toLiveDelivery = (
  { headers, ...init }: DeliveryRequest,
  { event, settings }: Pick<LoadedDelivery, 'event'> & { readonly settings: LiveSettings },
): DeliveryRequest => ({
  ...init,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'))),
  // A payload that the caller wrote is sent unchanged.
  body: event.hasCustomPayload ? event.payload : toLivePayload(event.payload, settings),
})
