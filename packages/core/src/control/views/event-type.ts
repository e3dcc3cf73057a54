import { Channel } from '@wabakit/contract'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'

export const EventTypeView = named(
  'EventType',
  'An event of the service: the networks that it occurs on, what it reports, a sample payload, and the JSON Schema of payloads. A test event needs only `name`; `example` is a start for a payload.',
  z.object({
    name: z.string(),
    channels: z.array(Channel),
    subject: z.enum(['call', 'group']),
    description: z.string(),
    example: z.record(z.string(), z.unknown()),
    schema: z.record(z.string(), z.unknown()),
  }),
)
