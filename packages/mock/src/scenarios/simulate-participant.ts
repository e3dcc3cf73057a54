import type { ParticipantRecord } from '@wabakit/core'
import { MockUsageError } from '../errors/mock-usage-error.ts'
import { parseInput, parseName } from '../input.ts'
import { ParticipantAction, ParticipantSimulation } from './participant-simulation.ts'
import type { ScenarioContext } from './scenario-context.ts'

const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const

/** Has somebody join or leave a group, or be removed from it. */
export const simulateParticipant = async (
  { account, server, nextCallData }: ScenarioContext,
  action: ParticipantAction,
  input: ParticipantSimulation,
): Promise<ParticipantRecord> => {
  const known = parseName('simulateParticipant', ParticipantAction.options, action)
  const { groupId, phone } = parseInput('simulateParticipant', ParticipantSimulation, input)
  if (phone === undefined && known !== 'joined') {
    throw new MockUsageError(`simulateParticipant: who has ${known}? Give the phone of somebody who joined.`)
  }
  const who = { groupId, phone: phone ?? nextCallData().customerNumber }
  return server.participants[steps[known]](account.organizationId, who)
}
