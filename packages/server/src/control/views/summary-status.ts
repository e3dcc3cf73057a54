import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'

const text = { text: z.string() }

export const SummaryStatusView = named(
  'SummaryStatus',
  "Whether a call's summary has arrived, or why not. `arrived`: it exists, and every subscription that matched has received CALL_AI_SUMMARY. `blocked`: its webhook waits for another delivery, which `deliveryId` names. `undelivered`: the delivery of its webhook, which `deliveryId` names, has not succeeded. `due`: it will be saved at a time. `never`: the call cannot have one, or automatic summaries are switched off. `not_ended`: the call is not over. `not_due`: nothing will save one. `text` says it in a sentence.",
  z.discriminatedUnion('state', [
    z.object({ state: z.enum(['arrived', 'not_ended', 'not_due']), ...text }),
    z.object({ state: z.literal('due'), at: UtcTimestamp, ...text }),
    z.object({
      state: z.literal('never'),
      cause: z.enum(['missed', 'rejected', 'not_picked', 'no_recording', 'nothing_said', 'switched_off']),
      ...text,
    }),
    z.object({
      state: z.enum(['blocked', 'undelivered']),
      deliveryId: z.string(),
      eventName: z.string(),
      ...text,
    }),
  ]),
)
export type SummaryStatusView = z.input<typeof SummaryStatusView>
