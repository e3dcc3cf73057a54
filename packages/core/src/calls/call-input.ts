import { CallDirection, CallType, Channel, type Issue, TriggeredVia } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import type { CallRecord, OrganizationRecord } from '../records.ts'
import { identifier, optional, parseInput, phoneNumber } from '../values/input-schemas.ts'
import { findOwnNumber, phoneNumberRule, toDigits } from '../values/phone-number.ts'

/** The fields of a call that may be missing. */
export const callDetails = {
  /** @default a generated `call_…` */
  callId: optional(identifier, 'The id of the call. Default: a new one.'),
  /**
   * The party that handled the call: a team member (`AGENT`) or an AI bot (`AI_BOT`).
   * @default 'AGENT'
   */
  callType: optional(CallType, 'Who takes part for the organization. Default: AGENT.'),
  /**
   * The trigger of the call: `INBOUND` if it is incoming, and `UI`, `API` or `CAMPAIGN` if it is outgoing.
   * @default 'INBOUND' for an incoming call; otherwise 'API' for an AI bot and 'UI' for a team member
   */
  triggeredVia: optional(TriggeredVia, 'Trigger of the call.'),
  /**
   * Phone number of the team member who starts or handles the call. It is ignored if an AI bot handles the call, unless
   * a team member started the call (`triggeredVia: 'UI'`).
   */
  agentNumber: optional(z.string(), "The team member's phone number."),
  /** Makes this a bot test call. Its events are published only if `webhooks` is true. */
  botTest: optional(
    z.strictObject({ webhooks: z.boolean() }),
    'Marks a test call of a bot. Without `webhooks`, it publishes no events.',
  ),
}

/** A new call. */
export const CallInput = z.strictObject({
  channel: Channel.check(z.describe('Network of the number.')),
  /** `INCOMING` (customer to business) or `OUTGOING` (business to customer). */
  direction: CallDirection.check(z.describe('Who called.')),
  /** One of the organization's numbers on this channel: of `pstnNumbers` (PSTN) or of its integrations (WHATSAPP). */
  channelNumber: phoneNumber,
  customerNumber: phoneNumber,
  ...callDetails,
})
export type CallInput = z.infer<typeof CallInput>

/**
 * Returns the team member's number for events; `null` if it is missing or empty, or if an AI bot handles a call that no
 * team member started.
 */
export const toAgentNumber = (
  { callType, triggeredVia }: Pick<CallRecord, 'callType' | 'triggeredVia'>,
  agentNumber: string | undefined,
): string | null => {
  const botAlone = callType === 'AI_BOT' && triggeredVia !== 'UI'
  return botAlone || agentNumber === undefined || agentNumber === '' ? null : agentNumber
}

/** @throws InputError if a field is invalid, or the organization does not have `channelNumber` on this channel. */
export const parseCall = (organization: OrganizationRecord, unchecked: CallInput) => {
  const input = parseInput(CallInput, unchecked)
  const { channel, direction, callId, customerNumber, callType = 'AGENT' } = input
  const { triggeredVia = direction === 'INCOMING' ? 'INBOUND' : callType === 'AGENT' ? 'UI' : 'API' } = input
  const issues: Issue[] = []
  if ((direction === 'INCOMING') !== (triggeredVia === 'INBOUND')) {
    const valid =
      direction === 'INCOMING' ? 'INBOUND for an incoming call' : 'UI, API or CAMPAIGN for an outgoing call'
    issues.push({ path: 'triggeredVia', message: `must be ${valid}` })
  }
  const own = findOwnNumber(organization, channel, input.channelNumber)
  if (own === undefined) {
    issues.push({ path: 'channelNumber', message: `must be a ${channel} number of the organization` })
  }
  const agentNumber = toAgentNumber({ callType, triggeredVia }, input.agentNumber)
  if (agentNumber !== null && toDigits(agentNumber) === undefined) {
    issues.push({ path: 'agentNumber', message: phoneNumberRule })
  }
  if (own === undefined || issues.length > 0) throw new InputError(issues)
  return {
    callId,
    channel,
    direction,
    channelNumber: own.number,
    digits: own.digits,
    customerNumber,
    agentNumber,
    callType,
    triggeredVia,
    publishesEvents: input.botTest?.webhooks ?? true,
  }
}
