import type { CallSummary, WebhookEvent } from '@wabakit/wire'

/** Any event of a call: its lifecycle, and its summary. */
export type CallEvent = Extract<WebhookEvent, { callId: string }>

/** Name of an event of a call. */
export type CallEventName = CallEvent['event']

/**
 * The state of a call: `initiated`, `not_picked` (it rang out, but may still be accepted), `accepted`, then `ended`,
 * `missed` or `rejected`, then `summarized`.
 */
export type CallState =
  | 'initiated'
  | 'not_picked'
  | 'accepted'
  | 'ended'
  | 'missed'
  | 'rejected'
  | 'summarized'

/** The events of a call in their natural order, each with the state that it leads to. */
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

/** The fields that are collected from the events of a call. */
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

/** Name of a field that is collected from the events of a call. */
export type CallField = (typeof callFields)[number]

/** The fields of a call. Each comes from the newest event that sets it. Fields that no event sets are absent. */
export type CallDetails = {
  readonly [Field in CallField]?: Exclude<CallEvent[Field], '' | null | undefined>
}

/** The fields of every {@link TrackedCall}. It is plain JSON, so you can store it anywhere. */
export type TrackedCallBase = {
  /** The id of the call. */
  readonly callId: string
  /** The collected fields. */
  readonly details: CallDetails
  /** The events that arrived, each once, in their natural order. */
  readonly events: readonly CallEventName[]
  /** The event that each field comes from. */
  readonly sources: { readonly [Field in CallField]?: CallEventName }
}

/** Everything that is known about one call. */
export type TrackedCall =
  | (TrackedCallBase & { readonly state: Exclude<CallState, 'summarized'>; readonly summary?: undefined })
  | (TrackedCallBase & { readonly state: 'summarized'; readonly summary: CallSummary })
