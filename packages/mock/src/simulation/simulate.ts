import type { ParticipantRecord, ReferenceServer, SavedSummary } from '@wabakit/core'
import * as core from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
import { MockUsageError } from '../errors.ts'
import { parseInput, parseName, toUsageError } from '../input.ts'

/** The parts of a mock that simulations use. */
export type SimulationContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly calls: core.CallSimulator
  /** Generates the data of the next call. */
  createCallData(): core.CallData
}

export const simulateCall = async (
  { account, calls }: SimulationContext,
  input: core.CallSimulation = {},
): Promise<core.SimulatedCall> => {
  const caller = 'simulateCall'
  // Checks the summary separately, because a union does not report which of its fields is unknown.
  if (typeof input.summary === 'object') parseInput(`${caller}: summary`, core.LaterSummary, input.summary)
  const simulation = parseInput(caller, core.CallSimulation, input)
  return calls
    .simulateCall(account.organizationId, simulation)
    .catch((error) => Promise.reject(toUsageError(caller, error)))
}

export const simulateSummary = async (
  { account: { organizationId }, server, createCallData }: SimulationContext,
  callId: string,
  input: core.SummarySimulation = {},
): Promise<SavedSummary> => {
  const parsed = parseInput('simulateSummary', core.SummarySimulation, input)
  const organization = await server.organizations.find(organizationId)
  const byDefault = organization?.callSummaries === 'automatic' ? 'automatic' : 'team_member'
  return server.summaries.save(organizationId, callId, core.completeSummary(parsed, createCallData()), {
    generatedBy: parsed.generatedBy ?? byDefault,
  })
}

/** A participant's step. */
export type ParticipantAction = 'joined' | 'left' | 'removed'

/** A participant of a group. */
export const ParticipantSimulation = z.strictObject({
  /** The `groupId` of the create response. */
  groupId: z.string().check(z.minLength(1)),
  /** The participant's phone number. @default a generated one, for `joined` */
  phone: z.optional(z.string().check(z.minLength(1))),
})
export type ParticipantSimulation = z.infer<typeof ParticipantSimulation>

const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const

const actions = Object.keys(steps) as readonly ParticipantAction[]

export const simulateParticipant = async (
  { account, server, createCallData }: SimulationContext,
  action: ParticipantAction,
  input: ParticipantSimulation,
): Promise<ParticipantRecord> => {
  const caller = 'simulateParticipant'
  const step = steps[parseName(caller, actions, action)]
  const { groupId, phone } = parseInput(caller, ParticipantSimulation, input)
  if (phone === undefined && action !== 'joined') {
    throw new MockUsageError(`${caller}: phone is missing. Pass the phone of a participant who joined.`)
  }
  const participant = { groupId, phone: phone ?? createCallData().customerNumber }
  return server.participants[step](account.organizationId, participant)
}
