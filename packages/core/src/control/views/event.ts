import * as z from 'zod/mini'
import type { EventRecord } from '../../index.ts'
import { EventChannel } from '../../subscriptions/subscription-input.ts'
import { named, Utc } from '../schemas.ts'
import { ArrivalView } from './arrival.ts'

const event = {
  id: z.string(),
  name: z.string(),
  subject: z.string(),
  channel: EventChannel,
  occurredAt: Utc,
  payload: z.string(),
}

export const EventView = named(
  'Event',
  'An event. `payload` is the JSON body exactly as it is signed and sent.',
  z.object(event),
)
export type EventView = z.input<typeof EventView>

export const EventDetailsView = named(
  'EventDetails',
  'An event, and for each endpoint that matched whether it has arrived there.',
  z.object({ ...event, endpoints: z.array(ArrivalView) }),
)

export const showEvent = (record: EventRecord): EventView => z.encode(EventView, record)
