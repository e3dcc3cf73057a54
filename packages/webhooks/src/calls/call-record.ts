import type { CallSummary, WebhookEvent } from '@wabakit/contract'

/** Any event of a call: its lifecycle, and its summary. */
export type CallEvent = Extract<WebhookEvent, { callId: string }>

/** Name of an event of a call. */
export type CallEventName = CallEvent['event']

/**
 * How far a call is known to have got: `initiated`, `not_picked` (rang without an answer, and may still be answered),
 * `accepted`, then `ended`, `missed` or `rejected`, then `summarized`.
 */
export type CallState =
  | 'initiated'
  | 'not_picked'
  | 'accepted'
  | 'ended'
  | 'missed'
  | 'rejected'
  | 'summarized'

/** The events of a call from the oldest to the newest, each with the state that it brings. */
export const callStates = {
  CALL_INCOMING_INITIATED: 'initiated',
  CALL_OUTGOING_INITIATED: 'initiated',
  CALL_NOT_PICKED: 'not_picked',
  CALL_ACCEPTED: 'accepted',
  CALL_ENDED: 'ended',
  CALL_MISSED: 'missed',
  CALL_REJECTED: 'rejected',
  CALL_AI_SUMMARY: 'summarized',
} as const satisfies Record<CallEventName, CallState>

/** The fields that are gathered from the events of a call. */
export const callFields = [
  'channel',
  'callDirection',
  'callStatus',
  'callType',
  'triggeredVia',
  'from',
  'to',
  'channelNumber',
  'customerNumber',
  'agentNumber',
  'durationInSeconds',
  'callStartedAt',
  'callEndedAt',
] as const

/** Name of a field that is gathered from the events of a call. */
export type CallField = (typeof callFields)[number]

/** What the events of a call said about it, each field by the newest event that said something; unset ones are absent. */
export type CallDetails = {
  readonly [Field in CallField]?: Exclude<CallEvent[Field], '' | null | undefined>
}

/** What all records of calls have. It is plain JSON, to be kept wherever you like. */
export type CallRecordBase = {
  /** The call. */
  readonly callId: string
  /** What is known about it. */
  readonly details: CallDetails
  /** The events that arrived, in the order of the call, each once. */
  readonly events: readonly CallEventName[]
  /** Which event each detail comes from. */
  readonly sources: { readonly [Field in CallField]?: CallEventName }
}

/** What is known of one call. */
export type CallRecord =
  | (CallRecordBase & { readonly state: Exclude<CallState, 'summarized'>; readonly summary?: undefined })
  | (CallRecordBase & { readonly state: 'summarized'; readonly summary: CallSummary })
