import type { ParticipantRecord } from '@wabakit/core'
import * as z from 'zod/mini'
import { MockUsageError } from '../errors.ts'
import { parseInput, parseName } from '../input.ts'
import type { SimulationContext } from './simulate-call.ts'

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
