import type { WebhookEvent } from '@wabakit/contract'
import type { RecordedDelivery } from './recorded-delivery.ts'
import type { RecordedRequest } from './recorded-request.ts'

/** What happened, in the order in which it did. */
export type Recorder = {
  readonly requests: readonly RecordedRequest[]
  readonly events: readonly WebhookEvent[]
  readonly deliveries: readonly RecordedDelivery[]
  addRequest(request: RecordedRequest): void
  addEvent(event: WebhookEvent): void
  addDelivery(delivery: RecordedDelivery): void
  /**
   * Calls `listener` after anything was added.
   *
   * @returns stops it.
   */
  onChange(listener: () => void): () => void
}

/** Makes an empty recorder. */
export const createRecorder = (): Recorder => {
  const requests: RecordedRequest[] = []
  const events: WebhookEvent[] = []
  const deliveries: RecordedDelivery[] = []
  const listeners = new Set<() => void>()
  const add = <Item>(list: Item[], item: Item): void => {
    list.push(item)
    for (const listener of [...listeners]) listener()
  }
  return {
    requests,
    events,
    deliveries,
    addRequest: (request) => add(requests, request),
    addEvent: (event) => add(events, event),
    addDelivery: (delivery) => add(deliveries, delivery),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
