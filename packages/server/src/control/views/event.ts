import { UtcTimestamp } from '@wabakit/contract'
import type { EventRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { EventChannel, named } from '../schemas.ts'
import { utc } from './times.ts'

export const EventView = named(
  'Event',
  'An event. `payload` is the JSON body exactly as it is signed and sent.',
  z.object({
    id: z.string(),
    name: z.string(),
    subject: z.string(),
    channel: EventChannel,
    occurredAt: UtcTimestamp,
    payload: z.string(),
  }),
)
export type EventView = z.infer<typeof EventView>

export const showEvent = (record: EventRecord): EventView => ({
  id: record.id,
  name: record.name,
  subject: record.subject,
  channel: record.channel,
  occurredAt: utc(record.occurredAt),
  payload: record.payload,
})
