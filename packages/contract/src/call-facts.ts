import type * as z from 'zod/mini'
import { openEnum } from './open-enum.ts'
import { nonEmpty } from './text.ts'
import { unset } from './unchecked.ts'
import { CallDirection, CallStatus, CallType, Channel, TriggeredVia } from './vocabulary.ts'

// These differ between receiving (lenient) and sending (strict).
type Rules = {
  readonly seconds: z.ZodMiniNumber
  readonly time: z.ZodMiniString
  readonly number: z.ZodMiniString
}

export const defineCallFacts = ({ seconds, time, number }: Rules) => ({
  channel: openEnum(Channel),
  callId: nonEmpty(),
  callDirection: openEnum(CallDirection),
  callStatus: openEnum(CallStatus),
  durationInSeconds: seconds,
  callStartedAt: time,
  callEndedAt: time,
  from: number,
  to: number,
  channelNumber: number,
  customerNumber: number,
  agentNumber: unset(),
  callType: openEnum(CallType),
  triggeredVia: openEnum(TriggeredVia),
})
