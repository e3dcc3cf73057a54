import type { CallSummary } from '@wabakit/contract'
import type { CallRecord } from '@wabakit/core'
import { type ObservedCallEventName, observedCallEvent } from '../data/observed-call-event.ts'
import { MockUsageError } from '../errors/mock-usage-error.ts'
import { parseInput } from '../input.ts'
import { parseDuration } from '../time/duration.ts'
import { type CallOutcome, CallSimulation, LaterSummary } from './call-simulation.ts'
import { completeSummary } from './complete-summary.ts'
import type { ScenarioContext } from './scenario-context.ts'

/** A call as it stands after its simulation, and the summary that it has or will have. */
export type SimulatedCall = CallRecord & {
  /** `undefined` when there will be none by itself. */
  readonly summary: CallSummary | undefined
}

const observedNames = {
  missed: 'CALL_MISSED',
  rejected: 'CALL_REJECTED',
  not_picked: 'CALL_NOT_PICKED',
} as const satisfies Partial<Record<CallOutcome, ObservedCallEventName>>

type Unanswered = keyof typeof observedNames

const isUnanswered = (outcome: CallOutcome): outcome is Unanswered => outcome in observedNames

/** The summary that was asked for, or that the call has by itself. */
const planSummary = (
  { outcome = 'answered', summary }: CallSimulation,
  { isAutomatic }: ScenarioContext,
): LaterSummary | undefined => {
  if (summary === false || (summary === undefined && !isAutomatic)) return undefined
  if (outcome === 'answered') return summary ?? {}
  if (summary === undefined) return undefined
  throw new MockUsageError(
    `simulateCall: a call whose outcome is ${JSON.stringify(outcome)} has no summary. Leave summary out, or let the outcome be "answered".`,
  )
}

const leaveUnanswered = async (
  { account, server, publish }: ScenarioContext,
  call: CallRecord,
  { outcome, customerName, observed }: { outcome: Unanswered; customerName: string; observed: boolean },
): Promise<CallRecord> => {
  const { calls } = server
  const step = { missed: calls.miss, rejected: calls.reject, not_picked: calls.ringOut }[outcome]
  const left = await step(account.organizationId, call.callId)
  if (observed) {
    const about = { ...call, customerName }
    // A telephone network does not tell that nobody picked up.
    if (outcome !== 'not_picked' || call.channel === 'WHATSAPP') {
      await publish(observedCallEvent(observedNames[outcome], about), call.channel)
    }
    await publish(observedCallEvent('CALL_ENDED', about), call.channel)
  }
  return left
}

/** Plays a call to its end, and has its summary saved when it is due. */
export const simulateCall = async (
  context: ScenarioContext,
  input: CallSimulation = {},
): Promise<SimulatedCall> => {
  if (typeof input.summary === 'object') parseInput('simulateCall: summary', LaterSummary, input.summary)
  const simulation = parseInput('simulateCall', CallSimulation, input)
  const plan = planSummary(simulation, context)
  const { account, server, time, isAutomatic } = context
  const { organizationId } = account
  const { channel = 'PSTN', direction = 'INCOMING', callType = 'AGENT', outcome = 'answered' } = simulation
  const data = context.nextCallData()
  const { callId, customerNumber = data.customerNumber, triggeredVia, botTest } = simulation
  const agentNumber = simulation.agentNumber ?? (callType === 'AGENT' ? data.agentNumber : undefined)

  const channelNumber = channel === 'PSTN' ? account.pstnNumber : account.wabaNumber
  const parties = { channel, direction, channelNumber, customerNumber, agentNumber }
  const started = await server.calls.start(organizationId, {
    callId,
    ...parties,
    callType,
    triggeredVia,
    botTest,
  })
  if (isUnanswered(outcome)) {
    const { customerName } = data
    const details = { outcome, customerName, observed: simulation.observedEvents ?? false }
    return { ...(await leaveUnanswered(context, started, details)), summary: undefined }
  }

  await server.calls.accept(organizationId, started.callId)
  const ended = await server.calls.end(organizationId, started.callId, {
    durationInSeconds: simulation.durationInSeconds ?? data.durationInSeconds,
    recorded: outcome !== 'no_recording',
    spoken: outcome !== 'nothing_said',
  })
  if (plan === undefined) return { ...ended, summary: undefined }

  const summary = completeSummary(plan, data.summary)
  const generatedBy = plan.generatedBy ?? (isAutomatic ? 'automatic' : 'team_member')
  const save = () => server.summaries.save(organizationId, ended.callId, summary, { generatedBy })
  const after = parseDuration(plan.after ?? 0)
  if (after === 0) await save()
  else time.schedule({ at: time.now() + after, what: `the summary of ${ended.callId}`, run: save })
  return { ...ended, summary }
}
