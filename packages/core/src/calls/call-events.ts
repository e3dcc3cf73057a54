import type { PublishedEvent } from '@wabakit/contract'
import { type EventDraft, toCallSubject } from '../events/event-log.ts'
import type { CallRecord, CallSummaryRecord } from '../records.ts'
import { toUtcTimestamp } from '../values/clock.ts'

/**
 * Builds the fields that all call events share. `from` is always the organization's number, and `to` is
 * always the customer's.
 */
const buildCallDetails = <Status extends string>(call: CallRecord, callStatus: Status) => ({
  channel: call.channel,
  callId: call.callId,
  callDirection: call.direction,
  callStatus,
  ...(call.durationInSeconds !== null && { durationInSeconds: call.durationInSeconds }),
  ...(call.startedAt !== null && { callStartedAt: toUtcTimestamp(call.startedAt) }),
  ...(call.endedAt !== null && { callEndedAt: toUtcTimestamp(call.endedAt) }),
  from: call.channelNumber,
  to: call.customerNumber,
  channelNumber: call.channelNumber,
  customerNumber: call.customerNumber,
  ...(call.agentNumber !== null && { agentNumber: call.agentNumber }),
  callType: call.callType,
  triggeredVia: call.triggeredVia,
})

const buildCallEvent = (call: CallRecord): PublishedEvent | undefined => {
  switch (call.state) {
    case 'initiated':
      return { event: `CALL_${call.direction}_INITIATED`, ...buildCallDetails(call, 'INITIATED') }
    case 'accepted':
      return { event: 'CALL_ACCEPTED', ...buildCallDetails(call, 'IN_PROGRESS') }
    case 'ended':
      return { event: 'CALL_ENDED', ...buildCallDetails(call, 'END') }
    case 'missed':
    case 'rejected':
      return undefined
  }
}

const draftCallEvent = (call: CallRecord, event: PublishedEvent, occurredAt: number): EventDraft => ({
  organizationId: call.organizationId,
  subject: toCallSubject(call.callId),
  channel: call.channel,
  digits: call.digits,
  occurredAt,
  event,
})

/**
 * Drafts the event for a call's new state: CALL_INCOMING_INITIATED or CALL_OUTGOING_INITIATED, CALL_ACCEPTED, or
 * CALL_ENDED. Returns `null` for a call that was missed or rejected, and for a bot test call without
 * webhooks.
 */
export const draftCallChange = (call: CallRecord, occurredAt: number): EventDraft | null => {
  const event = call.publishesEvents ? buildCallEvent(call) : undefined
  return event === undefined ? null : draftCallEvent(call, event, occurredAt)
}

/** Builds the payload of CALL_AI_SUMMARY. The summary endpoint returns it without `event`. */
export const buildSummaryPayload = (call: CallRecord, { summary }: CallSummaryRecord) => {
  const { startedAt, endedAt, durationInSeconds } = call
  if (startedAt === null || endedAt === null || durationInSeconds === null) {
    throw new TypeError(`Call ${call.callId} has a summary but no start, end or duration.`)
  }
  return {
    event: 'CALL_AI_SUMMARY' as const,
    ...buildCallDetails(call, 'END'),
    durationInSeconds,
    callStartedAt: toUtcTimestamp(startedAt),
    callEndedAt: toUtcTimestamp(endedAt),
    summary,
  }
}

/** Drafts CALL_AI_SUMMARY, which waits for its call's CALL_ENDED; `null` for a bot test call without webhooks. */
export const draftSummary = (call: CallRecord, summary: CallSummaryRecord): EventDraft | null => {
  if (!call.publishesEvents) return null
  const draft = draftCallEvent(call, buildSummaryPayload(call, summary), summary.generatedAt)
  return { ...draft, waitsFor: 'CALL_ENDED' }
}
