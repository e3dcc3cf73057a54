import type { CallRecord, CallSummaryRecord, DeliveryRecord, OrganizationRecord } from '../../index.ts'
import { utc } from '../schemas.ts'
import type { SummaryStatusView } from '../views/timeline.ts'
import { formatMoment, type WaitView } from '../views/wait.ts'

type SummaryCircumstances = {
  readonly call: CallRecord
  readonly summary: CallSummaryRecord | undefined
  readonly callSummaries: OrganizationRecord['callSummaries']
  /** The summary's due time, as Unix time in milliseconds; `undefined` if none is scheduled. */
  readonly dueAt: number | undefined
  readonly deliveries: readonly { readonly delivery: DeliveryRecord; readonly wait: WaitView | null }[]
  readonly now: number
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

const explainExisting = ({ call, deliveries }: SummaryCircumstances): SummaryStatusView => {
  const own = deliveries.filter(({ delivery }) => delivery.eventName === 'CALL_AI_SUMMARY')
  const missing = own.find(({ delivery }) => delivery.status !== 'delivered')
  if (missing === undefined) {
    const none = call.publishesEvents
      ? 'No subscription matched its event.'
      : 'A test call without webhooks has no event.'
    return {
      state: 'arrived',
      text: own.length > 0 ? 'The summary has arrived.' : `The summary exists. ${none}`,
    }
  }
  const { delivery, wait } = missing
  if (wait?.reason === 'event' || wait?.reason === 'lane') {
    const { deliveryId, eventName } = wait
    return {
      state: 'blocked',
      deliveryId,
      eventName,
      text: `The summary exists. Its webhook waits for ${eventName}.`,
    }
  }
  const text = `The summary exists. The delivery of its webhook is ${delivery.status}.`
  return { state: 'undelivered', deliveryId: delivery.id, eventName: delivery.eventName, text }
}

/** Returns the state of a call's summary: that it has arrived, or why it has not. */
export const explainSummary = (circumstances: SummaryCircumstances): SummaryStatusView => {
  const { call, summary, dueAt, now } = circumstances
  if (summary !== undefined) return explainExisting(circumstances)
  // Checks this before the causes, because a team member may have requested a summary that is not automatic.
  if (dueAt !== undefined) {
    return { state: 'due', at: utc(dueAt), text: `The summary is due at ${formatMoment(dueAt, now)}.` }
  }
  const cause = findCause(circumstances)
  if (cause !== undefined) return { state: 'never', cause, text: causes[cause] }
  if (call.state !== 'ended') return { state: 'not_ended', text: 'No summary yet: the call is not over.' }
  return {
    state: 'not_due',
    text: 'No summary: none is scheduled in this process. Save one, or simulate the call with one.',
  }
}
