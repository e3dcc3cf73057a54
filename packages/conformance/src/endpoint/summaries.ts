import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'

/** Fields of a summary that may differ from the contract's example. A field that is `undefined` is absent. */
export type SummaryFields = Readonly<Record<string, unknown>>

const agentNumber = '+12025550117'

/** Lists the numbers of agents that a call may state: none if a bot handled it without a team member. */
const listAgents = (callType: CallType, triggeredVia: TriggeredVia): (string | undefined)[] => {
  if (callType === 'AGENT') return [agentNumber, undefined]
  return [triggeredVia === 'UI' ? agentNumber : undefined]
}

/** Returns every kind of call that the contract allows, each with a phrase that describes it. */
export const listSummaries = (): Readonly<Record<string, SummaryFields>> => {
  const summaries: Record<string, SummaryFields> = {}
  for (const channel of Channel.options) {
    for (const callDirection of CallDirection.options) {
      for (const triggeredVia of TriggeredVia.options) {
        if ((callDirection === 'INCOMING') !== (triggeredVia === 'INBOUND')) continue
        for (const callType of CallType.options) {
          for (const agent of listAgents(callType, triggeredVia)) {
            const fields = { channel, callDirection, callType, triggeredVia, agentNumber: agent }
            const parties = agent === undefined ? 'without agentNumber' : 'with agentNumber'
            summaries[`${channel} ${callDirection} ${callType} ${triggeredVia} ${parties}`] = fields
          }
        }
      }
    }
  }
  return summaries
}

/** Values that a later version of the service may send, and other ways to state that there is no agent. */
export const newValues: Readonly<Record<string, SummaryFields>> = {
  'a new channel': { channel: 'SIP' },
  'a new direction': { callDirection: 'INTERNAL' },
  'a new status': { callStatus: 'TRANSFERRED' },
  'a new type of call': { callType: 'HYBRID' },
  'a new trigger': { triggeredVia: 'WIDGET' },
  'an agentNumber that is empty': { agentNumber: '' },
  'an agentNumber that is null': { agentNumber: null },
}
