import {
  type EventName,
  isEventName,
  type OpenEnum,
  type Validation,
  validateEvent,
  type WebhookEvent,
  type WebhookEventOf,
} from '@wabakit/wire'
import { expectTypeOf } from 'vitest'
import type {
  CallAiSummaryEvent,
  CallEndedEvent,
  CallMissedEvent,
  GroupCreatedEvent,
  GroupParticipantLeftEvent,
} from './events.ts'
import { extraFields } from './extra-fields.ts'
import type { PublishedEvent, PublishedEventName, PublishedEventOf } from './published-event.ts'
import type { CallSummary, SummaryRecord } from './summary.ts'

declare const event: WebhookEvent

// A switch on `event` narrows the union, and what is left tells which cases are missing.
export const getSubject = (): string | null => {
  switch (event.event) {
    case 'GROUP_CREATED':
      expectTypeOf(event).toEqualTypeOf<GroupCreatedEvent>()
      return event.groupId
    case 'CALL_ENDED':
    case 'CALL_MISSED':
      return event.callId
    case 'CALL_AI_SUMMARY':
      expectTypeOf(event).toEqualTypeOf<CallAiSummaryEvent>()
      return event.summary.recap
    default:
      expectTypeOf(event).toEqualTypeOf<
        WebhookEventOf<Exclude<EventName, 'GROUP_CREATED' | 'CALL_ENDED' | 'CALL_MISSED' | 'CALL_AI_SUMMARY'>>
      >()
      return null
  }
}

// With every case, nothing is left.
declare const either: WebhookEventOf<'GROUP_CREATED' | 'CALL_ENDED'>
export const getEither = (): string | null => {
  switch (either.event) {
    case 'GROUP_CREATED':
      return either.groupId
    case 'CALL_ENDED':
      return either.callId
    default:
      return either satisfies never
  }
}

// A missing case does not compile.
export const forgetful = (): string => {
  switch (event.event) {
    case 'CALL_AI_SUMMARY':
      return event.summary.recap
    default:
      // @ts-expect-error: the other events are not handled
      return event satisfies never
  }
}

if (event.event === 'CALL_ENDED') {
  expectTypeOf(event).toEqualTypeOf<CallEndedEvent>()
  // @ts-expect-error: a misspelled field: there is no index signature
  event.calId
  // @ts-expect-error: a field of another event
  event.summary
  // @ts-expect-error: only CALL_MISSED has this field
  event.isNewCaller
}
// @ts-expect-error: no event has this name
if (event.event === 'CALL_FINISHED') event
// @ts-expect-error: not every event has a callId
event.callId

expectTypeOf<WebhookEventOf<'CALL_ENDED'>>().toEqualTypeOf<CallEndedEvent>()
expectTypeOf<WebhookEvent['event']>().toEqualTypeOf<EventName>()

expectTypeOf<CallAiSummaryEvent>().toEqualTypeOf<{
  event: 'CALL_AI_SUMMARY'
  channel: OpenEnum<'PSTN' | 'WHATSAPP'>
  callId: string
  callDirection: OpenEnum<'INCOMING' | 'OUTGOING'>
  callStatus: OpenEnum<'INITIATED' | 'IN_PROGRESS' | 'END' | 'REJECT' | 'MISSED' | 'FAILED'>
  durationInSeconds: number
  callStartedAt: string
  callEndedAt: string
  from: string
  to: string
  channelNumber: string
  customerNumber: string
  agentNumber?: string | undefined
  callType: OpenEnum<'AI_BOT' | 'AGENT'>
  triggeredVia: OpenEnum<'INBOUND' | 'CAMPAIGN' | 'API' | 'UI'>
  summary: { recap: string; keyPoints: string[]; nextSteps: string[] }
}>()

// An open enumeration is not just a string, so that editors suggest its values, and a switch on it needs a default.
declare const summarized: CallAiSummaryEvent
expectTypeOf(summarized.channel).not.toEqualTypeOf<string>()
expectTypeOf<'WHATSAPP_BUSINESS'>().toExtend<CallAiSummaryEvent['channel']>()
switch (summarized.channel) {
  case 'PSTN':
  case 'WHATSAPP':
    break
  default:
    expectTypeOf(summarized.channel).not.toEqualTypeOf<CallAiSummaryEvent['channel']>()
    // @ts-expect-error: a service may add a channel
    summarized.channel satisfies never
}

expectTypeOf<CallAiSummaryEvent['summary']>().toEqualTypeOf<CallSummary>()

expectTypeOf<CallEndedEvent['callDirection']>().toEqualTypeOf<
  OpenEnum<'INCOMING' | 'OUTGOING'> | '' | null | undefined
>()
expectTypeOf<
  CallEndedEvent['agentNumber'] | SummaryRecord['agentNumber'] | CallAiSummaryEvent['agentNumber']
>().toEqualTypeOf<string | undefined>()
expectTypeOf<CallEndedEvent['durationInSeconds']>().toEqualTypeOf<number | null | undefined>()
expectTypeOf<CallEndedEvent['callStartedAt']>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<
  CallEndedEvent[
    | 'customerId'
    | 'chatId'
    | 'chatMessageId'
    | 'pickedBy'
    | 'rejectedBy'
    | 'endedBy'
    | 'deviceId']
>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<CallMissedEvent['isNewCaller' | 'isChatAssigned']>().toEqualTypeOf<boolean | null | undefined>()
expectTypeOf<{ event: 'CALL_ENDED'; callId: string }>().toExtend<CallEndedEvent>()

expectTypeOf<GroupParticipantLeftEvent>().toEqualTypeOf<{
  event: 'GROUP_PARTICIPANT_LEFT'
  groupId: string | null
  groupName?: string | null | undefined
  orgId?: string | null | undefined
  integrationId?: string | null | undefined
  customerPhone?: string | null | undefined
  participantLeftAt?: string | null | undefined
}>()
expectTypeOf<GroupCreatedEvent['inviteLink']>().toEqualTypeOf<string | null | undefined>()

expectTypeOf<Omit<CallAiSummaryEvent, 'event'>>().toExtend<SummaryRecord>()
expectTypeOf<{ callId: string; summary: CallSummary }>().toExtend<SummaryRecord>()

// A sent event is also a received event, with narrower types and without the fields of other services.
expectTypeOf<PublishedEvent>().toExtend<WebhookEvent>()
expectTypeOf<PublishedEventName>().toExtend<EventName>()
expectTypeOf<PublishedEventOf<'CALL_ENDED' | 'CALL_AI_SUMMARY'>['callStatus']>().toEqualTypeOf<'END'>()
expectTypeOf<PublishedEventOf<'CALL_ENDED' | 'CALL_AI_SUMMARY'>['channel']>().toEqualTypeOf<
  'PSTN' | 'WHATSAPP'
>()
expectTypeOf<PublishedEventOf<'GROUP_CREATED'>>().toEqualTypeOf<{
  event: 'GROUP_CREATED'
  groupId: string
  groupName: string
  inviteLink: string | null
  groupCreatedAt: string
}>()
// @ts-expect-error: the reference server never sends it
expectTypeOf<PublishedEventOf<'CALL_MISSED'>>()

declare const name: unknown
if (isEventName(name)) expectTypeOf(name).toEqualTypeOf<EventName>()

expectTypeOf(extraFields(event)).toEqualTypeOf<Record<string, unknown>>()
// @ts-expect-error: an object that is not an event needs its schema
extraFields({ success: true })

const validation = validateEvent('CALL_AI_SUMMARY', name)
expectTypeOf(validation).toEqualTypeOf<Validation<CallAiSummaryEvent>>()
if (validation.success) expectTypeOf(validation.data.summary.recap).toEqualTypeOf<string>()
else expectTypeOf(validation.issues).toEqualTypeOf<{ path: string; message: string }[]>()
// @ts-expect-error: data exists only on success
validation.data
