import { CallDirection, CallSummary, CallType, Channel, TriggeredVia, UtcTimestamp } from '@wabakit/contract'
import type { CallRecord, CallSummaryRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { named } from '../schemas.ts'
import { UtcOrNull, utc, utcOrNull } from './times.ts'

export const CallView = named(
  'Call',
  'A call and, once it has one, its summary.',
  z.object({
    callId: z.string(),
    state: z.enum(['initiated', 'accepted', 'ended', 'missed', 'rejected', 'not_picked']),
    channel: Channel,
    direction: CallDirection,
    channelNumber: z.string(),
    customerNumber: z.string(),
    agentNumber: z.nullable(z.string()),
    callType: CallType,
    triggeredVia: TriggeredVia,
    emitsEvents: z.boolean(),
    initiatedAt: UtcTimestamp,
    startedAt: UtcOrNull,
    endedAt: UtcOrNull,
    durationInSeconds: z.nullable(z.number()),
    recorded: z.nullable(z.boolean()),
    spoken: z.nullable(z.boolean()),
    summary: z.nullable(CallSummary),
  }),
)

export const showCall = (record: CallRecord, summary?: CallSummaryRecord): z.infer<typeof CallView> => ({
  callId: record.callId,
  state: record.state,
  channel: record.channel,
  direction: record.direction,
  channelNumber: record.channelNumber,
  customerNumber: record.customerNumber,
  agentNumber: record.agentNumber,
  callType: record.callType,
  triggeredVia: record.triggeredVia,
  emitsEvents: record.emitsEvents,
  initiatedAt: utc(record.initiatedAt),
  startedAt: utcOrNull(record.startedAt),
  endedAt: utcOrNull(record.endedAt),
  durationInSeconds: record.durationInSeconds,
  recorded: record.recorded,
  spoken: record.spoken,
  summary: summary?.summary ?? null,
})
