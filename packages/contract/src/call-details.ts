import * as z from 'zod/mini'
import { openEnum } from './open-enum.ts'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { unset } from './unchecked.ts'
import { CallDirection, CallStatus, CallType, Channel, TriggeredVia } from './vocabulary.ts'

/** An open enumeration that may also be empty or null for "unset". */
const lenient = <Known extends string>(known: { readonly options: readonly Known[] }) =>
  z.nullish(openEnum<Known | ''>(known, z.string()))

export const defineCallDetails = () => ({
  callId: nonEmpty(),
  channel: lenient(Channel),
  callDirection: lenient(CallDirection),
  callStatus: lenient(CallStatus),
  durationInSeconds: z.nullish(z.number()),
  callStartedAt: z.nullish(TimestampOrEmpty),
  callEndedAt: z.nullish(TimestampOrEmpty),
  from: z.nullish(z.string()),
  to: z.nullish(z.string()),
  channelNumber: z.nullish(z.string()),
  customerNumber: z.nullish(z.string()),
  agentNumber: unset(),
  callType: lenient(CallType),
  triggeredVia: lenient(TriggeredVia),
})
