import type { CallRecord, CallSummaryRecord, DeliveryRecord, OrganizationRecord } from '../../index.ts'
import { utc } from '../schemas.ts'
import type { ArrivalView } from '../views/arrival.ts'
import type { SummaryStatusView } from '../views/timeline.ts'
import { formatMoment } from '../views/wait.ts'
import type { WaitContext } from './explain-delivery.ts'
import { listArrivals } from './list-arrivals.ts'

type SummaryCircumstances = {
  readonly call: CallRecord
  readonly summary: CallSummaryRecord | undefined
  readonly callSummaries: OrganizationRecord['callSummaries']
  /** The summary's due time, as Unix time in milliseconds; `undefined` if this process has scheduled none. */
  readonly dueAt: number | undefined
  readonly deliveries: readonly DeliveryRecord[]
}

type Cause = Extract<SummaryStatusView, { state: 'never' }>['cause']

const causes: Readonly<Record<Cause, string>> = {
  missed: 'No summary: the call was missed.',
  rejected: 'No summary: the call was rejected.',
  no_recording: 'No summary: the call was not recorded.',
  nothing_said: 'No summary: nothing was said.',
  switched_off:
    'No summary: automatic summaries are switched off for this organization. A team member can request one.',
}

const findCause = ({ call, callSummaries }: SummaryCircumstances): Cause | undefined => {
  const { state, recorded, spoken } = call
  if (state === 'missed' || state === 'rejected') return state
  if (state !== 'ended') return undefined
  if (recorded === false) return 'no_recording'
  if (spoken === false) return 'nothing_said'
  return callSummaries === 'manual' ? 'switched_off' : undefined
}

/** Returns the URL of an endpoint without its scheme and query, or the id of a removed subscription. */
const nameEndpoint = ({ url, subscriptionId }: ArrivalView): string =>
  url?.replace(/^https?:\/\/|\?.*$/gs, '') ?? subscriptionId

const explainExisting = async (
  context: WaitContext,
  { call, deliveries }: SummaryCircumstances,
): Promise<SummaryStatusView> => {
  const endpoints = await listArrivals(
    context,
    deliveries.filter(({ eventName }) => eventName === 'CALL_AI_SUMMARY'),
  )
  if (endpoints.length === 0) {
    const none = call.publishesEvents
      ? 'No subscription matched its event.'
      : 'A test call without webhooks has no event.'
    return { state: 'arrived', endpoints, text: `The summary exists. ${none}` }
  }
  const missing = endpoints.filter(({ state }) => state !== 'delivered')
  const own = missing.find(({ eventName }) => eventName === 'CALL_AI_SUMMARY')
  const [first] = missing
  if (first === undefined) {
    const where = endpoints.length === 1 ? '' : ` at all ${endpoints.length} endpoints`
    return { state: 'arrived', endpoints, text: `The summary has arrived${where}.` }
  }
  const { deliveryId, eventName } = own ?? first
  const state = own === undefined ? 'blocked' : 'undelivered'
  const lines = missing.map((each) => `${nameEndpoint(each)} ${each.text}.`)
  const count = `The summary has arrived at ${endpoints.length - missing.length} of ${endpoints.length} endpoints.`
  return { state, deliveryId, eventName, endpoints, text: [count, ...lines].join(' ') }
}

/**
 * Returns the state of a call's summary: when it is due, or why there is none; that it has arrived at every endpoint,
 * or where it has not, and why.
 */
export const explainSummary = async (
  context: WaitContext,
  circumstances: SummaryCircumstances,
): Promise<SummaryStatusView> => {
  const { call, summary, dueAt } = circumstances
  if (summary !== undefined) return explainExisting(context, circumstances)
  // Checks this before the causes, because a team member may have requested a summary that is not automatic.
  if (dueAt !== undefined) {
    return {
      state: 'due',
      at: utc(dueAt),
      text: `The summary is due at ${formatMoment(dueAt, context.now())}.`,
    }
  }
  const cause = findCause(circumstances)
  if (cause !== undefined) return { state: 'never', cause, text: causes[cause] }
  if (call.state !== 'ended') return { state: 'not_ended', text: 'No summary yet: the call is not over.' }
  return {
    state: 'not_due',
    text: 'No summary: none is scheduled in this process. Save one, or simulate the call with one.',
  }
}
