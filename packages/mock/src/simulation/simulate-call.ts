import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { ReferenceServer, SavedSummary } from '@wabakit/core'
import * as core from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
import { buildObservedCallEvent, type ObservedCallEventName } from '../data/observed-call-event.ts'
import { parseInput, toUsageError } from '../input.ts'
import { durationSchema } from '../time/duration.ts'
import type { Scheduler } from '../time/scheduler.ts'

/** The parts of a mock that simulations use. */
export type SimulationContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly scheduler: Scheduler
  /** Makes up data for the next call. */
  createCallData(): core.CallData
  /** Publishes an event that the server itself would not publish. */
  publish(payload: object, channel: 'PSTN' | 'WHATSAPP'): Promise<void>
}

/** A call to simulate. By default: an answered incoming PSTN call between made-up people. @interface */
export type CallSimulation = core.CallSimulation & {
  /**
   * Also sends the events that live services send for unanswered calls: CALL_MISSED, CALL_REJECTED or CALL_NOT_PICKED
   * (the last only on WhatsApp), and a CALL_ENDED whose unset fields are empty.
   * @default false
   */
  readonly observedEvents?: boolean | undefined
}

const summarySchema = z.strictObject({
  recap: z.optional(z.string()),
  keyPoints: z.optional(z.readonly(z.array(z.string()))),
  nextSteps: z.optional(z.readonly(z.array(z.string()))),
  generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
} satisfies Record<keyof core.SummarySimulation, unknown>)

const laterSummarySchema = z.extend(summarySchema, { after: z.optional(durationSchema) })

const text = () => z.optional(z.string().check(z.minLength(1)))

export const callSchema = z.strictObject({
  callId: text(),
  channel: z.optional(Channel),
  direction: z.optional(CallDirection),
  outcome: z.optional(
    z.enum(['answered', 'missed', 'rejected', 'not_picked', 'no_recording', 'nothing_said']),
  ),
  durationInSeconds: z.optional(z.int().check(z.minimum(0))),
  channelNumber: text(),
  customerNumber: text(),
  agentNumber: text(),
  callType: z.optional(CallType),
  triggeredVia: z.optional(TriggeredVia),
  botTest: z.optional(z.strictObject({ webhooks: z.boolean() })),
  summary: z.optional(z.union([z.literal(false), laterSummarySchema])),
  observedEvents: z.optional(z.boolean()),
} satisfies Record<keyof CallSimulation, unknown>)

const observedNames: Partial<Record<core.CallOutcome, ObservedCallEventName>> = {
  missed: 'CALL_MISSED',
  rejected: 'CALL_REJECTED',
  not_picked: 'CALL_NOT_PICKED',
}

export const simulateCall = async (
  { server, account, scheduler, createCallData, publish }: SimulationContext,
  input: CallSimulation = {},
): Promise<core.SimulatedCall> => {
  const caller = 'simulateCall'
  // Checks the summary separately, because a union does not report which of its fields is unknown.
  if (typeof input.summary === 'object') parseInput(`${caller}: summary`, laterSummarySchema, input.summary)
  const { observedEvents = false, ...simulation } = parseInput(caller, callSchema, input)
  const data = createCallData()
  const schedule: core.SimulationContext['schedule'] = (delayMs, run, description) =>
    scheduler.schedule({ at: scheduler.now() + delayMs, description, run })
  const { organizationId } = account
  const call = await core
    .simulateCall({ server, organizationId, data, schedule }, simulation)
    .catch((error) => Promise.reject(toUsageError(caller, error)))

  const name = observedNames[simulation.outcome ?? 'answered']
  if (observedEvents && name !== undefined) {
    const about = { ...call, customerName: data.customerName }
    // Telephone networks do not report that a call was not picked up.
    if (name !== 'CALL_NOT_PICKED' || call.channel === 'WHATSAPP') {
      await publish(buildObservedCallEvent(name, about), call.channel)
    }
    await publish(buildObservedCallEvent('CALL_ENDED', about), call.channel)
  }
  return call
}

export const simulateSummary = async (
  { account: { organizationId }, server, createCallData }: SimulationContext,
  callId: string,
  input: core.SummarySimulation = {},
): Promise<SavedSummary> => {
  const parsed = parseInput('simulateSummary', summarySchema, input)
  const organization = await server.organizations.find(organizationId)
  const byDefault = organization?.callSummaries === 'automatic' ? 'automatic' : 'team_member'
  return server.summaries.save(organizationId, callId, core.completeSummary(parsed, createCallData()), {
    generatedBy: parsed.generatedBy ?? byDefault,
  })
}
