import type { CallSummary } from '@wabakit/wire'
import {
  type CallDetails,
  type CallEvent,
  type CallEventName,
  type CallField,
  type CallState,
  callFields,
  callStates,
  type TrackedCall,
  type TrackedCallBase,
} from './tracked-call.ts'

/** The result of adding an event to a call. */
export type CallUpdate = {
  /** The updated record; the same object if the event adds nothing. */
  readonly record: TrackedCall
  /** The state before the event; `undefined` for the first event, or if the state is unchanged. */
  readonly previousState: CallState | undefined
  /** Whether the state changed. True for the first event. */
  readonly stateChanged: boolean
  /** The fields that the event added or changed. */
  readonly changed: readonly CallField[]
}

/** Combines the events of a call into one record. It stores nothing. */
export type CallTracker = {
  /**
   * Adds an event to the record of its call. Events may arrive in any order and any number of times with the same
   * result: a field of an older event never replaces that of a newer one, and a state never goes back.
   *
   * @param record - the record that `apply` returned before; `undefined` for the first event of a call.
   * @throws RangeError when the event and the record belong to different calls.
   */
  apply(record: TrackedCall | undefined, event: CallEvent): CallUpdate
}

const order: readonly string[] = /* @__PURE__ */ Object.keys(callStates)
const isNewer = (left: CallEventName, right: CallEventName | undefined): boolean =>
  right === undefined || order.indexOf(left) > order.indexOf(right)

const isSet = <Value>(value: Value): value is Exclude<Value, '' | null | undefined> =>
  value !== '' && value !== null && value !== undefined

type Collected = Pick<TrackedCallBase, 'details' | 'sources'> & { readonly changed: readonly CallField[] }

const collect = <Field extends CallField>(
  collected: Collected,
  event: CallEvent,
  field: Field,
): Collected => {
  const value: CallEvent[Field] = event[field]
  if (!isSet(value) || !isNewer(event.event, collected.sources[field])) return collected
  const details: CallDetails = { ...collected.details, [field]: value }
  const sources = { ...collected.sources, [field]: event.event }
  const changed = collected.details[field] === value ? collected.changed : [...collected.changed, field]
  return { details, sources, changed }
}

const sortEvents = (events: readonly CallEventName[]): CallEventName[] =>
  events.toSorted((left, right) => order.indexOf(left) - order.indexOf(right))

/** Adds the state that the newest event leads to. */
const addState = (base: TrackedCallBase, summary: CallSummary | undefined): TrackedCall => {
  if (summary !== undefined) return { ...base, state: 'summarized', summary }
  const newest = base.events.findLast((name) => name !== 'CALL_AI_SUMMARY')
  return { ...base, state: newest === undefined ? 'initiated' : callStates[newest] }
}

/**
 * Creates a tracker that combines the lifecycle and summary events of each call into one typed record, in whatever order
 * and however often they arrive. It is a pure function of a record and an event; storing records is up to you.
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
    const base: TrackedCallBase = record ?? { callId: event.callId, details: {}, events: [], sources: {} }
    if (base.callId !== event.callId) {
      throw new RangeError(
        `An event of call ${event.callId} cannot be added to the record of call ${base.callId}. Load the record by event.callId.`,
      )
    }
    let collected: Collected = { details: base.details, sources: base.sources, changed: [] }
    for (const field of callFields) collected = collect(collected, event, field)
    const { changed, ...rest } = collected
    const known = base.events.includes(event.event)
    const events = known ? base.events : sortEvents([...base.events, event.event])
    const summary = record?.summary ?? (event.event === 'CALL_AI_SUMMARY' ? event.summary : undefined)
    const next = addState({ callId: base.callId, ...rest, events }, summary)
    const stateChanged = next.state !== record?.state
    const unchanged = record !== undefined && known && !stateChanged && rest.sources === base.sources
    return {
      record: unchanged ? record : next,
      previousState: stateChanged ? record?.state : undefined,
      stateChanged,
      changed,
    }
  },
})
