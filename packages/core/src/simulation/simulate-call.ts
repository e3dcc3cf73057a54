import type { CallSummary } from '@wabakit/contract'
import { checkGeneration, parseSummary } from '../calls/summaries.ts'
import type { ReferenceServer } from '../create-reference-server.ts'
import { InputError } from '../errors/operation-errors.ts'
import { RecordNotFoundError } from '../errors/record-errors.ts'
import { StorageOutcomeUnknownError, StorageUnavailableError } from '../errors/storage-errors.ts'
import { toCallSubject } from '../events/event-log.ts'
import type { CallRecord, OrganizationRecord } from '../records.ts'
import { parseInput } from '../values/input-schemas.ts'
import type { CallData } from './call-data.ts'
import {
  CallSimulation,
  type SimulatedCall,
  type SummarySimulation,
  toMilliseconds,
} from './call-simulation.ts'
import { buildObservedCallEvent, findObservedEnd, type ObservedCallEventName } from './observed-call-event.ts'

/** The parts of a server that a simulation uses. */
export type SimulationContext = {
  readonly server: Pick<ReferenceServer, 'organizations' | 'calls' | 'summaries' | 'events'>
  readonly organizationId: string
  /** Generated data for the parts that the simulation omits. */
  readonly data: CallData
  /** Returns the time of the server, as Unix time in milliseconds. */
  readonly now: () => number
  /** Default of the simulation's `observedEvents`. */
  readonly observedEvents?: boolean | undefined
  /** Called with each event that only live services send: the `on` of the server does not report it. */
  readonly onObserved?: ((event: object) => void) | undefined
  /** Runs a task after `delayMs`. `description` completes the sentence "… is due in 30 s". */
  readonly schedule: (delayMs: number, task: () => Promise<unknown>, description: string) => void
}

/** Fills in the parts that a simulated summary omits. */
export const completeSummary = (
  { recap, keyPoints, nextSteps }: SummarySimulation,
  { summary }: Pick<CallData, 'summary'>,
): CallSummary => ({
  recap: recap ?? summary.recap,
  keyPoints: [...(keyPoints ?? summary.keyPoints)],
  nextSteps: [...(nextSteps ?? summary.nextSteps)],
})

/** Returns a call's summary and the delay before it is saved; `undefined` if the call gets none. */
const planSummary = (
  { outcome = 'answered', summary }: CallSimulation,
  organization: OrganizationRecord,
  data: CallData,
) => {
  const isAutomatic = organization.callSummaries === 'automatic'
  if (outcome !== 'answered' && summary) {
    const message = `must be omitted or false: a call with the outcome ${JSON.stringify(outcome)} has no summary`
    throw new InputError([{ path: 'summary', message }])
  }
  if (outcome !== 'answered' || !(summary ?? isAutomatic)) return undefined
  const { after = 0, ...parts } = summary || {}
  const delayMs = toMilliseconds(after) ?? 0
  const { generatedBy = isAutomatic ? 'automatic' : 'team_member' } = parts
  checkGeneration(organization, { generatedBy })
  return { summary: parseSummary(completeSummary(parts, data)), generatedBy, delayMs }
}

/** The step that ends a call that was not answered. */
const unanswered = { missed: 'miss', rejected: 'reject' } as const

/**
 * Checks that `notPicked` is set only for incoming WhatsApp calls, which ring for one agent after another.
 */
const checkNotPicked = ({ notPicked = 0, channel, direction }: CallSimulation): void => {
  if (notPicked === 0 || (channel === 'WHATSAPP' && direction !== 'OUTGOING')) return
  const message =
    'needs channel: "WHATSAPP" and direction: "INCOMING", because only such a call rings for one agent after another'
  throw new InputError([{ path: 'notPicked', message }])
}

const getFirstNumber = ({ pstnNumbers, integrations }: OrganizationRecord, channel: string): string =>
  (channel === 'PSTN' ? pstnNumbers : integrations)[0]?.number ?? ''

/**
 * Simulates a call from its start to its end. An answered call ends now, and started in the past. A summary without a
 * delay is saved at once; any other is scheduled. If this throws, nothing has happened, unless the store failed or the
 * call was changed concurrently.
 *
 * @throws InputError if a field is invalid, or a summary is requested for a call that cannot have one.
 * @throws SummaryRefusedError if an automatic summary is requested, and the organization has none.
 * @throws RecordExistsError if the organization has a call with this id.
 * @throws RecordNotFoundError if there is no such organization.
 * @throws StorageOutcomeUnknownError if the store failed after the call had started.
 */
export const simulateCall = async (
  {
    server: { organizations, calls, summaries, events },
    organizationId,
    data,
    now,
    onObserved,
    schedule,
    ...context
  }: SimulationContext,
  input: CallSimulation = {},
): Promise<SimulatedCall> => {
  const organization = await organizations.find(organizationId)
  if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
  const simulation = parseInput(CallSimulation, input)
  checkNotPicked(simulation)
  const plan = planSummary(simulation, organization, data)
  // The call ends now, and no call starts before 1970: the clock of a test may leave little time for it.
  const longest = Math.floor(now() / 1_000)
  const {
    outcome,
    durationInSeconds = Math.min(data.durationInSeconds, longest),
    summary: _,
    notPicked = 0,
    // CALL_NOT_PICKED ends nothing: a receiver expects the event that ends the call (decision 0058).
    observedEvents = context.observedEvents || notPicked > 0,
    ...details
  } = simulation
  if (durationInSeconds > longest) {
    const message = `must be at most ${longest}, because the call ends now, and no call starts before 1970`
    throw new InputError([{ path: 'durationInSeconds', message }])
  }
  const { channel = 'PSTN', direction = 'INCOMING', callType = 'AGENT' } = details
  const ringing = await calls.start(organizationId, {
    ...details,
    channel,
    direction,
    callType,
    channelNumber: details.channelNumber ?? getFirstNumber(organization, channel),
    customerNumber: details.customerNumber ?? data.customerNumber,
    agentNumber:
      details.agentNumber ??
      (callType === 'AGENT' || details.triggeredVia === 'UI' ? data.agentNumber : undefined),
  })
  const { callId, initiatedAt, channelNumber, publishesEvents } = ringing
  const publish = async (name: ObservedCallEventName, call: CallRecord): Promise<void> => {
    if (!publishesEvents) return
    const payload = buildObservedCallEvent(name, call)
    await events.publish(organizationId, {
      name,
      subject: toCallSubject(callId),
      channel,
      number: channelNumber,
      payload: JSON.stringify(payload),
    })
    onObserved?.(payload)
  }
  const proceed = async (): Promise<SimulatedCall> => {
    for (let count = 0; count < notPicked; count += 1) await publish('CALL_NOT_PICKED', ringing)
    if (outcome === 'missed' || outcome === 'rejected') {
      const call = await calls[unanswered[outcome]](organizationId, callId)
      const end = observedEvents ? findObservedEnd(call) : undefined
      if (end !== undefined) await publish(end, call)
      return { ...call, summary: undefined }
    }
    // The call takes place in the past, so that no payload contains a time later than its event.
    const startedAt = initiatedAt - durationInSeconds * 1_000
    await calls.accept(organizationId, callId, { startedAt })
    const recorded = outcome !== 'no_recording'
    const spoken = outcome !== 'nothing_said'
    const ended = await calls.end(organizationId, callId, { durationInSeconds, recorded, spoken })
    if (plan === undefined) return { ...ended, summary: undefined }

    const { summary, generatedBy } = plan
    const save = () => summaries.save(organizationId, callId, summary, { generatedBy })
    if (plan.delayMs === 0) await save()
    else schedule(plan.delayMs, save, `the summary of ${callId}`)
    return { ...ended, summary }
  }
  return proceed().catch((cause) => {
    if (!(cause instanceof StorageUnavailableError)) throw cause
    const message = `The call ${callId} was started, but the simulation was interrupted. Check the state of the call before you simulate another.`
    throw new StorageOutcomeUnknownError(message, { cause })
  })
}
