import type { CallSummary } from '@wabakit/contract'
import {
  type CallDetails,
  type CallEvent,
  type CallEventName,
  type CallField,
  type CallRecord,
  type CallRecordBase,
  type CallState,
  callFields,
  callStates,
} from './call-record.ts'

/** What an event added to a call's record. */
export type CallUpdate = {
  /** The record with the event in it; the very same one when the event told nothing new. */
  readonly record: CallRecord
  /** The state that the event moved the call from; `undefined` when it was the first event, or moved nothing. */
  readonly previousState: CallState | undefined
  /** Whether the event moved the call to another state, the first one included. */
  readonly stateChanged: boolean
  /** The details that the event added or corrected. */
  readonly changed: readonly CallField[]
}

/** Folds the events of a call into one record. It keeps nothing itself. */
export type CallTracker = {
  /**
   * Adds an event to what was known of its call. Events may come in any order and any number of times: the result is
   * the same, because a detail of an older event never replaces that of a newer one, and a state never goes back.
   *
   * @param record - what `apply` returned for the call before; `undefined` for its first event.
   * @throws RangeError when the event belongs to another call than the record.
   */
  apply(record: CallRecord | undefined, event: CallEvent): CallUpdate
}

const age = new Map(Object.keys(callStates).map((name, position) => [name, position]))
const isNewer = (left: CallEventName, right: CallEventName | undefined): boolean =>
  right === undefined || (age.get(left) ?? 0) > (age.get(right) ?? 0)

const isSet = <Value>(value: Value): value is Exclude<Value, '' | null | undefined> =>
  value !== '' && value !== null && value !== undefined

type Gathered = Pick<CallRecordBase, 'details' | 'sources'> & { readonly changed: readonly CallField[] }

const gather = <Field extends CallField>(gathered: Gathered, event: CallEvent, field: Field): Gathered => {
  const value: CallEvent[Field] = event[field]
  if (!isSet(value) || !isNewer(event.event, gathered.sources[field])) return gathered
  const details: CallDetails = { ...gathered.details, [field]: value }
  const sources = { ...gathered.sources, [field]: event.event }
  const changed = gathered.details[field] === value ? gathered.changed : [...gathered.changed, field]
  return { details, sources, changed }
}

const inOrder = (events: readonly CallEventName[]): CallEventName[] =>
  events.toSorted((left, right) => (age.get(left) ?? 0) - (age.get(right) ?? 0))

const first = (event: CallEvent): CallRecordBase => ({
  callId: event.callId,
  details: {},
  events: [],
  sources: {},
})

/** The state that the newest of these events brings; a summary's is decided by the summary itself. */
const lifecycleState = (events: readonly CallEventName[]): Exclude<CallState, 'summarized'> => {
  let state: Exclude<CallState, 'summarized'> = 'initiated'
  for (const name of events) if (name !== 'CALL_AI_SUMMARY') state = callStates[name]
  return state
}

const withState = (base: CallRecordBase, summary: CallSummary | undefined): CallRecord =>
  summary === undefined
    ? { ...base, state: lifecycleState(base.events) }
    : { ...base, state: 'summarized', summary }

/**
 * Makes a tracker that folds the lifecycle and summary events of calls, in whatever order and however often they
 * arrive, into one typed record per call. It is pure: record in, record out; where records live is up to you.
 *
 * @example
 * const tracker = createCallTracker()
 * receiver.on(['CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY'], async (event) => {
 *   const { record, stateChanged } = tracker.apply(await load(event.callId), event)
 *   if (stateChanged) await save(record)
 * })
 */
export const createCallTracker = (): CallTracker => ({
  apply: (record, event) => {
    const base = record ?? first(event)
    if (base.callId !== event.callId) {
      throw new RangeError(
        `An event of call ${event.callId} cannot be added to the record of call ${base.callId}`,
      )
    }
    let gathered: Gathered = { details: base.details, sources: base.sources, changed: [] }
    for (const field of callFields) gathered = gather(gathered, event, field)
    const { changed, ...rest } = gathered
    const known = base.events.includes(event.event)
    const events = known ? base.events : inOrder([...base.events, event.event])
    const summary = record?.summary ?? (event.event === 'CALL_AI_SUMMARY' ? event.summary : undefined)
    const next = withState({ callId: base.callId, ...rest, events }, summary)
    const stateChanged = next.state !== record?.state
    const nothingNew = record !== undefined && known && !stateChanged && rest.sources === base.sources
    return {
      record: nothingNew ? record : next,
      previousState: stateChanged ? record?.state : undefined,
      stateChanged,
      changed,
    }
  },
})
