import * as z from 'zod/mini'
import type { EventRecord } from '../../index.ts'
import { EventChannel } from '../../subscriptions/subscription-input.ts'
import { named, Utc } from '../schemas.ts'

export const EventView = named(
  'Event',
  'An event. `payload` is the JSON body exactly as it is signed and sent.',
  z.object({
    id: z.string(),
    name: z.string(),
    subject: z.string(),
    channel: EventChannel,
    occurredAt: Utc,
    payload: z.string(),
  }),
)
export type EventView = z.input<typeof EventView>

export const showEvent = (record: EventRecord): EventView => z.encode(EventView, record)
