import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { ArrivalView } from './arrival.ts'
import { CallView } from './call.ts'
import { AttemptView, DeliveryView } from './delivery.ts'
import { EventView } from './event.ts'
import { GroupView } from './group.ts'
import { ApiRequestView } from './request.ts'
import { SubscriptionView } from './subscription.ts'

const text = { text: z.string() }

export const SummaryStatusView = named(
  'SummaryStatus',
  "Whether a call's summary has arrived, or why not. `arrived`: it exists, and every subscription that matched has received CALL_AI_SUMMARY. `blocked`: its webhook waits for another delivery, which `deliveryId` names. `undelivered`: the delivery of its webhook, which `deliveryId` names, has not succeeded. If several endpoints miss it, `deliveryId` is one of theirs; `endpoints` has all that get it. `due`: it will be saved at a time. `never`: the call cannot have one, or automatic summaries are switched off. `not_ended`: the call is not over. `not_due`: this process will not save one. `text` says it in a sentence.",
  z.discriminatedUnion('state', [
    z.object({ state: z.literal('arrived'), endpoints: z.array(ArrivalView), ...text }),
    z.object({ state: z.enum(['not_ended', 'not_due']), ...text }),
    z.object({ state: z.literal('due'), at: UtcTimestamp, ...text }),
    z.object({
      state: z.literal('never'),
      cause: z.enum(['missed', 'rejected', 'no_recording', 'nothing_said', 'switched_off']),
      ...text,
    }),
    z.object({
      state: z.enum(['blocked', 'undelivered']),
      deliveryId: z.string(),
      eventName: z.string(),
      endpoints: z.array(ArrivalView),
      ...text,
    }),
  ]),
)
export type SummaryStatusView = z.input<typeof SummaryStatusView>

export const MarkView = named(
  'Mark',
  'Something unusual. `duplicate`: it happened again. `reordered`: it was delivered before an earlier event. `overtaken`: a later event was delivered first. `gap`: the endpoint never accepted it, but a later event.',
  z.object({ kind: z.enum(['duplicate', 'reordered', 'overtaken', 'gap']), text: z.string() }),
)
export type Mark = z.input<typeof MarkView>

const marks = { marks: z.array(MarkView) }
const ofDelivery = {
  deliveryId: z.string(),
  subscriptionId: z.string(),
  eventId: z.string(),
  eventName: z.string(),
}

export const TimelineEntryView = named(
  'TimelineEntry',
  'Something that happened at a time, or will.',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('request'), at: UtcTimestamp, request: ApiRequestView, ...marks }),
    z.object({
      kind: z.literal('change'),
      at: UtcTimestamp,
      state: z.enum([...CallView.shape.state.options, 'summarized', 'created']),
      ...marks,
    }),
    z.object({ kind: z.literal('event'), at: UtcTimestamp, event: EventView, ...marks }),
    z.object({ kind: z.literal('attempt'), at: UtcTimestamp, ...ofDelivery, attempt: AttemptView, ...marks }),
    z.object({
      kind: z.literal('finished'),
      at: UtcTimestamp,
      ...ofDelivery,
      status: z.enum(['delivered', 'exhausted', 'skipped']),
      ...marks,
    }),
    z.object({
      kind: z.literal('next_attempt'),
      at: UtcTimestamp,
      ...ofDelivery,
      number: z.number(),
      ...marks,
    }),
  ]),
)
export type TimelineEntry = z.input<typeof TimelineEntryView>

export const TimelineView = named(
  'Timeline',
  'What happened to one call or group, in order of time: API requests (the last of this process), changes, events, deliveries, attempts, and the next ones. If there are many, the newest 500 requests, 500 events and 1,000 deliveries. `endpoints` says for each endpoint whether everything has arrived there. `subscriptions` are those that have deliveries.',
  z.object({
    subject: z.string(),
    now: UtcTimestamp,
    call: z.nullable(CallView),
    summaryStatus: z.nullable(SummaryStatusView),
    group: z.nullable(GroupView),
    endpoints: z.array(ArrivalView),
    subscriptions: z.array(SubscriptionView),
    deliveries: z.array(z.extend(DeliveryView, marks)),
    entries: z.array(TimelineEntryView),
  }),
)
export type TimelineView = Omit<z.input<typeof TimelineView>, 'call'> & { call: CallView | null }
