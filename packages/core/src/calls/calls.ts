import { InputError } from '../errors/input-error.ts'
import { RecordExistsError } from '../errors/record-exists-error.ts'
import { RecordNotFoundError } from '../errors/record-not-found-error.ts'
import { callChanged } from '../events/event-draft.ts'
import type { EventLog } from '../events/event-log.ts'
import { type ActionOf, step } from '../machines.ts'
import type { CallRecord, CallState } from '../records.ts'
import type { CallWithSummary, Store } from '../store.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Clock } from '../values/clock.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import type { Ids } from '../values/ids.ts'
import { digitsOf, phoneNumberRule } from '../values/phone-number.ts'
import { agentNumberOf, type CallInput, parseCall } from './call-input.ts'
import { stateOf } from './call-state.ts'

/** A call that is answered. */
export type CallAcceptance = {
  /**
   * Phone number of the team member who took it.
   * @default the one known since the start
   */
  readonly agentNumber?: string | undefined
}

/** A conversation that ends. */
export type CallEnding = {
  /**
   * Length of the conversation, in whole seconds; the call then ends this long after it was accepted.
   * @default the time since it was accepted
   */
  readonly durationInSeconds?: number | undefined
  /**
   * Whether there is a recording; without one no summary can be generated.
   * @default true
   */
  readonly recorded?: boolean | undefined
  /**
   * Whether anything was said; otherwise no summary can be generated.
   * @default true
   */
  readonly spoken?: boolean | undefined
}

/**
 * The calls of a server. Each step throws `IllegalTransitionError` when `callMachine` does not have it, and
 * `RecordNotFoundError` when there is no such call or organization; then nothing has changed.
 */
export type Calls = {
  /**
   * Begins a call: CALL_INCOMING_INITIATED or CALL_OUTGOING_INITIATED.
   *
   * @throws InputError when a field cannot be right.
   * @throws RecordExistsError when the organization has a call of this id.
   */
  start(organizationId: string, input: CallInput): Promise<CallRecord>
  /** The call is answered: CALL_ACCEPTED. */
  accept(organizationId: string, callId: string, acceptance?: CallAcceptance): Promise<CallRecord>
  /** The conversation ends: CALL_ENDED. */
  end(organizationId: string, callId: string, ending?: CallEnding): Promise<CallRecord>
  /** Nobody answered an incoming call. No event tells so. */
  miss(organizationId: string, callId: string): Promise<CallRecord>
  /** The call was declined. No event tells so. */
  reject(organizationId: string, callId: string): Promise<CallRecord>
  /** The customer did not pick up. No event tells so. */
  leave(organizationId: string, callId: string): Promise<CallRecord>
  /** A call with its summary; `undefined` when there is none of this id. */
  find(organizationId: string, callId: string): Promise<CallWithSummary | undefined>
}

/** What {@link createCalls} works with. */
export type CallsContext = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: EventLog
  readonly directory: Directory
}

type Change = (call: CallRecord, now: number) => Partial<CallRecord>

const accepted =
  ({ agentNumber }: CallAcceptance): Change =>
  (call, now) => {
    if (agentNumber !== undefined && agentNumber !== '' && digitsOf(agentNumber) === undefined) {
      throw new InputError([{ path: 'agentNumber', message: phoneNumberRule }])
    }
    const given = agentNumberOf(call.callType, call.triggeredVia, agentNumber)
    return { startedAt: now, agentNumber: given ?? call.agentNumber }
  }

const ended =
  ({ durationInSeconds, recorded = true, spoken = true }: CallEnding): Change =>
  (call, now) => {
    const startedAt = call.startedAt ?? now
    if (durationInSeconds !== undefined && !(Number.isInteger(durationInSeconds) && durationInSeconds >= 0)) {
      throw new InputError([
        { path: 'durationInSeconds', message: 'must be a whole number of seconds, 0 or more' },
      ])
    }
    const duration = durationInSeconds ?? Math.max(0, Math.round((now - startedAt) / 1_000))
    const endedAt = durationInSeconds === undefined ? Math.max(now, startedAt) : startedAt + duration * 1_000
    return { durationInSeconds: duration, endedAt, recorded, spoken }
  }

/** Makes the operations on calls. */
export const createCalls = ({ store, clock, ids, log, directory }: CallsContext): Calls => {
  const save = async (call: CallRecord, now: number): Promise<boolean> => {
    const draft = callChanged(call, now)
    const prepared = draft && log.prepare(draft)
    if ((await store.saveCall({ call, event: prepared?.record ?? null })) === 'stale') return false
    log.emit(prepared)
    return true
  }

  const move = async (
    action: Exclude<ActionOf<'call'>, 'summarise'>,
    { organizationId, callId }: { organizationId: string; callId: string },
    change: Change = () => ({}),
  ): Promise<CallRecord> => {
    checkIdentifiers({ callId })
    await directory.organization(organizationId)
    for (;;) {
      const found = await store.findCall(organizationId, callId)
      if (found === undefined) throw new RecordNotFoundError('call', callId)
      const { call } = found
      const now = clock.now()
      const state: CallState = step('call', stateOf(found), action)
      const next = { ...call, ...change(call, now), state, revision: call.revision + 1 }
      if (await save(next, now)) return next
    }
  }

  return {
    start: async (organizationId, input) => {
      const organization = await directory.organization(organizationId)
      const now = clock.now()
      const call: CallRecord = {
        organizationId,
        ...parseCall(organization, input, () => ids('call')),
        revision: 1,
        state: 'initiated',
        initiatedAt: now,
        startedAt: null,
        endedAt: null,
        durationInSeconds: null,
        recorded: null,
        spoken: null,
      }
      if (!(await save(call, now))) throw new RecordExistsError('call', call.callId)
      return call
    },
    accept: (organizationId, callId, acceptance = {}) =>
      move('accept', { organizationId, callId }, accepted(acceptance)),
    end: (organizationId, callId, ending = {}) => move('end', { organizationId, callId }, ended(ending)),
    miss: (organizationId, callId) => move('miss', { organizationId, callId }),
    reject: (organizationId, callId) => move('reject', { organizationId, callId }),
    leave: (organizationId, callId) => move('leave', { organizationId, callId }),
    find: async (organizationId, callId) => {
      checkIdentifiers({ organizationId, callId })
      return store.findCall(organizationId, callId)
    },
  }
}
