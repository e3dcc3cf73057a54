import { InputError } from '../errors/operation-errors.ts'
import { RecordExistsError, RecordNotFoundError } from '../errors/record-errors.ts'
import { type ListQuery, maxExamined } from '../history/selection.ts'
import type { CallRecord, CallState } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { CallQuery, CallWithSummary, Page } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { type ActionOf, getCallState, step } from '../transitions.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { readWallClock } from '../values/clock.ts'
import { parseInput } from '../values/input-schemas.ts'
import { parseDigits } from '../values/phone-number.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'
import { draftCallChange } from './call-events.ts'
import { type CallInput, parseCall, toAgentNumber } from './call-input.ts'
import { CallAcceptance, CallEnding } from './call-steps.ts'

/**
 * The calls of a server. A step throws `IllegalTransitionError` if `callTransitions` does not allow it,
 * `RecordNotFoundError` if there is no such call or organization, and `InputError` if a field is invalid. In each case,
 * nothing has changed. The events of a bot test call without webhooks are not published.
 */
export type Calls = {
  /**
   * Starts a call, and publishes CALL_INCOMING_INITIATED or CALL_OUTGOING_INITIATED.
   *
   * @throws InputError if a field is invalid.
   * @throws RecordExistsError if the organization has a call with this id.
   */
  start(organizationId: string, input: CallInput): Promise<CallRecord>
  /** Answers a call, and publishes CALL_ACCEPTED. */
  accept(organizationId: string, callId: string, acceptance?: CallAcceptance): Promise<CallRecord>
  /** Ends a conversation, and publishes CALL_ENDED. */
  end(organizationId: string, callId: string, ending?: CallEnding): Promise<CallRecord>
  /** Ends a call that was not answered. No event is published. */
  miss(organizationId: string, callId: string): Promise<CallRecord>
  /** Ends a call that was declined. No event is published. */
  reject(organizationId: string, callId: string): Promise<CallRecord>
  /** Finds a call with its summary; `undefined` if there is no call with this id. */
  find(organizationId: string, callId: string): Promise<CallWithSummary | undefined>
  /** Lists an organization's calls, newest first. */
  list(organizationId: string, query?: ListQuery<CallQuery>): Promise<Page<CallRecord>>
}

type Change = (call: CallRecord, now: number) => Partial<CallRecord>

const acceptWith =
  ({ agentNumber, startedAt: stated }: CallAcceptance): Change =>
  (call, now) => {
    if (agentNumber !== undefined && agentNumber !== '') parseDigits(agentNumber, 'agentNumber')
    const ownNumber = toAgentNumber(call, agentNumber)
    const startedAt = Math.min(now, stated ?? now)
    const initiatedAt = Math.min(call.initiatedAt, startedAt)
    return { initiatedAt, startedAt, agentNumber: ownNumber ?? call.agentNumber }
  }

const endWith =
  ({ durationInSeconds, recorded = true, spoken = true }: CallEnding): Change =>
  (call, now) => {
    // If the clock was set back since the call was accepted, the duration would be negative.
    const startedAt = Math.min(call.startedAt ?? now, now)
    const elapsed = (now - startedAt) / 1_000
    if (durationInSeconds === undefined) {
      return { startedAt, durationInSeconds: Math.round(elapsed), endedAt: now, recorded, spoken }
    }
    if (!Number.isInteger(durationInSeconds) || durationInSeconds < 0 || durationInSeconds > elapsed) {
      const message = `must be a whole number of seconds from 0 to ${Math.floor(elapsed)}, the time since the call was accepted. For a past call, pass startedAt to accept`
      throw new InputError([{ path: 'durationInSeconds', message }])
    }
    const endedAt = startedAt + durationInSeconds * 1_000
    return { startedAt, durationInSeconds, endedAt, recorded, spoken }
  }

export const createCalls = ({ store, clock, ids, log }: ServerContext): Calls => {
  const save = async (call: CallRecord): Promise<boolean> => {
    const draft = draftCallChange(call, clock.now())
    const prepared = draft && log.prepare(draft)
    if ((await store.saveCall({ call, event: prepared?.record ?? null })) === 'stale') return false
    log.report(prepared)
    return true
  }

  const move =
    (action: Exclude<ActionOf<'call'>, 'summarize'>, change: Change = () => ({})) =>
    async (organizationId: string, callId: string): Promise<CallRecord> => {
      checkIdentifiers({ callId })
      await getOrganization(store, organizationId)
      for (;;) {
        const found = await store.findCall(organizationId, callId)
        if (found === undefined) throw new RecordNotFoundError('call', callId)
        const { call } = found
        const now = readWallClock(clock)
        const state: CallState = step('call', getCallState(found), action)
        const written = { state, revision: call.revision + 1, updatedAt: clock.now() }
        const next = { ...call, ...change(call, now), ...written }
        if (await save(next)) return next
      }
    }

  return {
    start: async (organizationId, input) => {
      const organization = await getOrganization(store, organizationId)
      const parsed = parseCall(organization, input)
      const call: CallRecord = {
        organizationId,
        ...parsed,
        callId: parsed.callId ?? ids('call'),
        revision: 1,
        state: 'initiated',
        initiatedAt: readWallClock(clock),
        updatedAt: clock.now(),
        startedAt: null,
        endedAt: null,
        durationInSeconds: null,
        recorded: null,
        spoken: null,
      }
      if (!(await save(call))) throw new RecordExistsError('call', call.callId)
      return call
    },
    accept: async (organizationId, callId, acceptance = {}) =>
      move('accept', acceptWith(parseInput(CallAcceptance, acceptance)))(organizationId, callId),
    end: async (organizationId, callId, ending = {}) =>
      move('end', endWith(parseInput(CallEnding, ending)))(organizationId, callId),
    miss: move('miss'),
    reject: move('reject'),
    find: async (organizationId, callId) => {
      checkIdentifiers({ organizationId, callId })
      return store.findCall(organizationId, callId)
    },
    list: async (organizationId, query = {}) => {
      checkIdentifiers({ organizationId })
      checkTexts({ text: query.text })
      checkNumbers(query)
      return store.listCalls({ limit: 100, maxExamined, ...query, organizationId })
    },
  }
}
