// Combines the events of a call into one record, in whatever order and however often they arrive. Copy and adapt it. A
// field of an older event never replaces that of a newer one, and a state never goes back.
import type { WebhookEvent } from 'wabakit/webhooks'

export type CallEvent = Extract<WebhookEvent, { callId: string }>
type CallEventName = CallEvent['event']

/** The events of a call in their natural order, each with the state that it leads to. CALL_NOT_PICKED ends nothing. */
const callStates = {
  CALL_INCOMING_INITIATED: 'initiated',
  CALL_OUTGOING_INITIATED: 'initiated',
  CALL_NOT_PICKED: 'initiated',
  CALL_ACCEPTED: 'accepted',
  CALL_ENDED: 'ended',
  CALL_MISSED: 'missed',
  CALL_REJECTED: 'rejected',
  CALL_AI_SUMMARY: 'summarized',
} as const satisfies Record<CallEventName, string>

const callFields = [
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
  // The agent who answered an incoming call, or who placed an outgoing one: only `state` tells that it was answered.
  'pickedBy',
  'durationInSeconds',
  'callStartedAt',
  'callEndedAt',
] as const
type CallField = (typeof callFields)[number]
type LifecycleEvent = Extract<CallEvent, { event: 'CALL_ENDED' }>

/** All that is known about a call, as plain JSON that can be stored anywhere. */
export type TrackedCall = {
  readonly callId: string
  readonly state: (typeof callStates)[CallEventName]
  /** Each field comes from the newest event that sets it; empty values count as absent. */
  readonly details: { readonly [Field in CallField]?: LifecycleEvent[Field] }
  /** The event that each field comes from. */
  readonly sources: { readonly [Field in CallField]?: CallEventName }
  /** The events that arrived, each once, in their natural order. */
  readonly events: readonly CallEventName[]
  readonly summary?: Extract<CallEvent, { event: 'CALL_AI_SUMMARY' }>['summary'] | undefined
}

const order: readonly string[] = Object.keys(callStates)

const findState = (events: readonly CallEventName[]): TrackedCall['state'] => {
  const newest = events.at(-1)
  return newest === undefined ? 'initiated' : callStates[newest]
}

/** Adds an event to the record of its call. Returns the same record if the event adds nothing. */
export const trackCall = (
  record: TrackedCall | undefined,
  event: CallEvent,
): { record: TrackedCall; stateChanged: boolean; changed: readonly CallField[] } => {
  const { callId } = event
  if (record !== undefined && record.callId !== callId) {
    throw new RangeError(
      `The event of call ${callId} does not belong to the record of call ${record.callId}.`,
    )
  }
  const isNewer = (source: CallEventName | undefined): boolean =>
    source === undefined || order.indexOf(event.event) > order.indexOf(source)
  const fields: TrackedCall['details'] = event
  const isSet = (field: CallField): boolean =>
    fields[field] !== '' && fields[field] !== null && fields[field] !== undefined
  const set = callFields.filter((field) => isSet(field) && isNewer(record?.sources[field]))
  const known = record?.events ?? []
  const events = known.includes(event.event)
    ? known
    : [...known, event.event].toSorted((left, right) => order.indexOf(left) - order.indexOf(right))
  if (record !== undefined && set.length === 0 && events === known) {
    return { record, stateChanged: false, changed: [] }
  }
  const next: TrackedCall = {
    callId,
    state: findState(events),
    details: { ...record?.details, ...Object.fromEntries(set.map((field) => [field, fields[field]])) },
    sources: { ...record?.sources, ...Object.fromEntries(set.map((field) => [field, event.event])) },
    events,
    summary: record?.summary ?? (event.event === 'CALL_AI_SUMMARY' ? event.summary : undefined),
  }
  return {
    record: next,
    stateChanged: next.state !== record?.state,
    changed: set.filter((field) => record?.details[field] !== fields[field]),
  }
}
