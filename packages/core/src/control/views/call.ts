import { CallDirection, CallSummary, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { CallRecord, CallSummaryRecord } from '../../index.ts'
import { named, Utc, UtcOrNull } from '../schemas.ts'

export const CallView = named(
  'Call',
  'A call and, once it has one, its summary.',
  z.object({
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
  }),
)

/** A call. The type is stricter than the input of its schema, in which `summary` is `unknown`. */
export type CallView = Omit<z.input<typeof CallView>, 'summary'> & { summary: CallSummary | null }

export const showCall = (record: CallRecord, summary?: CallSummaryRecord): CallView => {
  const shown = summary?.summary ?? null
  return { ...z.encode(CallView, { ...record, summary: shown }), summary: shown }
}
