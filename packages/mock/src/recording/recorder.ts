import type { WebhookEvent } from '@wabakit/contract'
import type { RecordedDelivery } from './recorded-delivery.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** The history of a tenant, oldest first. */
export type Recorder = {
  readonly requests: readonly RecordedRequest[]
  readonly events: readonly WebhookEvent[]
  readonly deliveries: readonly RecordedDelivery[]
  addRequest(request: RecordedRequest): void
  addEvent(event: WebhookEvent): void
  addDelivery(delivery: RecordedDelivery): void
}

/** @param onChange - called after each addition. */
export const createRecorder = (onChange: () => void): Recorder => {
  const requests: RecordedRequest[] = []
  const events: WebhookEvent[] = []
  const deliveries: RecordedDelivery[] = []
  const addTo =
    <Item>(list: Item[]) =>
    (item: Item): void => {
      list.push(item)
      onChange()
    }
  return {
    requests,
    events,
    deliveries,
    addRequest: addTo(requests),
    addEvent: addTo(events),
    addDelivery: addTo(deliveries),
  }
}
