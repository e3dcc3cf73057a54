import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

// These differ between receiving (lenient) and sending (strict).
type Rules = {
  readonly seconds: z.ZodMiniNumber
  readonly time: z.ZodMiniString
  readonly number: z.ZodMiniString
}

export const defineCallFacts = ({ seconds, time, number }: Rules) => ({
  channel: Channel,
  callId: nonEmpty(),
  callDirection: CallDirection,
  callStatus: z.string(),
  durationInSeconds: seconds,
  callStartedAt: time,
  callEndedAt: time,
  from: number,
  to: number,
  channelNumber: number,
  customerNumber: number,
  agentNumber: z.optional(nonEmpty()),
  callType: CallType,
  triggeredVia: TriggeredVia,
})
