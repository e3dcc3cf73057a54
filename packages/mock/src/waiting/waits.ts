import type { EventName, WebhookEventOf } from '@wabakit/contract'
import { MockTimeoutError } from '../errors/mock-timeout-error.ts'
import { MockUsageError } from '../errors/mock-usage-error.ts'
import { UnexpectedEventError } from '../errors/unexpected-event-error.ts'
import { printValue } from '../matching/print.ts'
import type { DeliveryOf, RecordedDelivery } from '../recording/recorded-delivery.ts'
import { sleepRealTime } from '../time/real-timers.ts'
import { createEventFilter, type EventFilter, type EventMatch } from './event-match.ts'
import { deliveryReport, eventReport, type ReportContext } from './report.ts'
import { timeoutOf, type WaitOptions } from './wait-options.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** What {@link createWaits} works with. */
export type WaitsContext = {
  readonly room: WaitingRoom
  /** What there is to look at now. */
  observe(): Promise<Omit<ReportContext<EventName>, 'filter' | 'timeoutMs'>>
  events(): ReportContext<EventName>['events']
  deliveries(): readonly RecordedDelivery[]
  /** Whether a collected delivery counts as one that was acknowledged. */
  countsCollected(): boolean
}

const isDeliveryOf = <Name extends EventName>(
  delivery: RecordedDelivery,
  filter: EventFilter<Name>,
): delivery is DeliveryOf<Name> => filter.accepts(delivery.event)

/** Makes the waits of a tenant. */
export const createWaits = ({ room, observe, events, deliveries, countsCollected }: WaitsContext) => ({
  waitForEvent: async <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options?: WaitOptions,
  ): Promise<WebhookEventOf<Name>> => {
    const filter = createEventFilter('waitForEvent', name, match)
    const timeoutMs = timeoutOf('waitForEvent', options)
    return room.wait({
      what: 'waitForEvent',
      timeoutMs,
      find: () => events().find(filter.accepts),
      explain: async () => new MockTimeoutError(eventReport({ ...(await observe()), filter, timeoutMs })),
    })
  },

  waitForDelivery: async <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    options?: WaitOptions,
  ): Promise<DeliveryOf<Name>> => {
    const filter = createEventFilter('waitForDelivery', name, match)
    const timeoutMs = timeoutOf('waitForDelivery', options)
    const counts = ({ acknowledged, to }: RecordedDelivery): boolean =>
      acknowledged && (to !== 'collector' || countsCollected())
    return room.wait({
      what: 'waitForDelivery',
      timeoutMs,
      find: () =>
        deliveries().find((each): each is DeliveryOf<Name> => counts(each) && isDeliveryOf(each, filter)),
      explain: async () => new MockTimeoutError(deliveryReport({ ...(await observe()), filter, timeoutMs })),
    })
  },

  expectNoEvent: async <Name extends EventName>(
    name: Name,
    match?: EventMatch<Name>,
    { forMs = 0 }: { readonly forMs?: number | undefined } = {},
  ): Promise<void> => {
    const filter = createEventFilter('expectNoEvent', name, match)
    if (!(forMs >= 0))
      throw new MockUsageError('expectNoEvent: forMs must be a number of milliseconds, 0 or more.')
    await sleepRealTime(forMs)
    const event = events().find(filter.accepts)
    if (event === undefined) return
    const { seed } = await observe()
    throw new UnexpectedEventError(
      `${filter.label} was not to happen, but it did (seed ${seed}): ${printValue(event)}`,
    )
  },
})
