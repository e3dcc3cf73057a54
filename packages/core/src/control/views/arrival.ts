import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'

export const ArrivalView = named(
  'Arrival',
  'Whether the events of a call or group, or one event, have arrived at one endpoint. `delivered`: all have, the last one `at`. `under_way`: none has failed. `not_delivered`: `eventName` and `deliveryId` name the delivery that holds the others back, or that was given up, and `at` is its next attempt. `missing` counts the `events` that have not arrived. `text` says it in a clause, such as "not delivered: CALL_AI_SUMMARY waits for CALL_ENDED, which got 401 twice (the endpoint found no valid signature), next attempt at 20:50:00 UTC".',
  z.object({
    subscriptionId: z.string(),
    url: z.nullable(z.string()),
    state: z.enum(['delivered', 'under_way', 'not_delivered']),
    events: z.number(),
    missing: z.number(),
    deliveryId: z.string(),
    eventName: z.string(),
    at: z.nullable(UtcTimestamp),
    text: z.string(),
  }),
)
export type ArrivalView = z.input<typeof ArrivalView>
