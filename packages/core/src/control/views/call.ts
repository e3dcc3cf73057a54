import { CallDirection, CallSummary, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { CallRecord, CallSummaryRecord } from '../../index.ts'
import { named, Utc, UtcOrNull } from '../schemas.ts'

const call = {
  callId: z.string(),
  state: z.enum(['initiated', 'accepted', 'ended', 'missed', 'rejected']),
  channel: Channel,
  direction: CallDirection,
  channelNumber: z.string(),
  customerNumber: z.string(),
  agentNumber: z.nullable(z.string()),
  callType: CallType,
  triggeredVia: TriggeredVia,
  publishesEvents: z.boolean(),
  initiatedAt: Utc,
  startedAt: UtcOrNull,
  endedAt: UtcOrNull,
  durationInSeconds: z.nullable(z.number()),
  recorded: z.nullable(z.boolean()),
  spoken: z.nullable(z.boolean()),
  summary: z.nullable(CallSummary),
}

export const CallView = named('Call', 'A call and, once it has one, its summary.', z.object(call))

const summaryArrival = {
  summaryArrival: z.nullable(z.enum(['delivered', 'under_way', 'not_delivered'])),
  summaryEndpoints: z.number(),
  summaryMissing: z.number(),
}
export type SummaryArrival = z.infer<z.ZodMiniObject<typeof summaryArrival>>

export const ListedCallView = named(
  'ListedCall',
  'A call, and whether its CALL_AI_SUMMARY has arrived: `delivered` at every endpoint; `not_delivered` if one does not have it, because its delivery failed or was skipped, or another one of the call to that endpoint failed and is repeated; otherwise `under_way`. Null if there is none, or no endpoint gets it. `summaryEndpoints` counts the endpoints that get it, and `summaryMissing` those that do not have it. A list leaves out the `summary`.',
  z.object({ ...call, ...summaryArrival }),
)

/** A call. The type is stricter than the input of its schema, in which `summary` is `unknown`. */
export type CallView = Omit<z.input<typeof CallView>, 'summary'> & { summary: CallSummary | null }

export const showCall = (record: CallRecord, summary?: CallSummaryRecord): CallView => {
  const shown = summary?.summary ?? null
  return { ...z.encode(CallView, { ...record, summary: shown }), summary: shown }
}
