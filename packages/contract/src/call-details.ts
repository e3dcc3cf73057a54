import * as z from 'zod/mini'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { CallDirection, CallType, Channel, TriggeredVia } from './vocabulary.ts'

export const defineCallDetails = () => ({
  callId: nonEmpty(),
  channel: z.nullish(z.enum([...Channel.options, ''])),
  callDirection: z.nullish(z.enum([...CallDirection.options, ''])),
  callStatus: z.nullish(z.string()),
  durationInSeconds: z.nullish(z.number()),
  callStartedAt: z.nullish(TimestampOrEmpty),
  callEndedAt: z.nullish(TimestampOrEmpty),
  from: z.nullish(z.string()),
  to: z.nullish(z.string()),
  channelNumber: z.nullish(z.string()),
  customerNumber: z.nullish(z.string()),
  agentNumber: z.nullish(z.string()),
  callType: z.nullish(z.enum([...CallType.options, ''])),
  triggeredVia: z.nullish(z.enum([...TriggeredVia.options, ''])),
})
