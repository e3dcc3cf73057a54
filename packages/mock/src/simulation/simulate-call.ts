import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { ReferenceServer, SavedSummary } from '@wabakit/core'
import * as core from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
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
  /** Records an event that the server has published, and does not report to its listeners. */
  readonly onObserved: (event: object) => void
  /** Whether simulated calls that were not answered end with the events of live services, by default. */
  readonly observedEvents: boolean
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
  outcome: z.optional(z.enum(['answered', 'missed', 'rejected', 'no_recording', 'nothing_said'])),
  durationInSeconds: z.optional(z.int().check(z.minimum(0))),
  channelNumber: text(),
  customerNumber: text(),
  agentNumber: text(),
  callType: z.optional(CallType),
  triggeredVia: z.optional(TriggeredVia),
  botTest: z.optional(z.strictObject({ webhooks: z.boolean() })),
  summary: z.optional(z.union([z.literal(false), laterSummarySchema])),
  observedEvents: z.optional(z.boolean()),
  notPicked: z.optional(z.int().check(z.minimum(0), z.maximum(100))),
} satisfies Record<keyof core.CallSimulation, unknown>)

export const simulateCall = async (
  { server, account, scheduler, createCallData, observedEvents, onObserved }: SimulationContext,
  input: core.CallSimulation = {},
): Promise<core.SimulatedCall> => {
  const caller = 'simulateCall'
  // Checks the summary separately, because a union does not report which of its fields is unknown.
  if (typeof input.summary === 'object') parseInput(`${caller}: summary`, laterSummarySchema, input.summary)
  const simulation = parseInput(caller, callSchema, input)
  const schedule: core.SimulationContext['schedule'] = (delayMs, run, description) =>
    scheduler.schedule({ at: scheduler.now() + delayMs, description, run })
  const { organizationId } = account
  return core
    .simulateCall(
      { server, organizationId, data: createCallData(), observedEvents, onObserved, schedule },
      simulation,
    )
    .catch((error) => Promise.reject(toUsageError(caller, error)))
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
