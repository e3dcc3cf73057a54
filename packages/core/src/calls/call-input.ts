import { CallDirection, CallType, Channel, type Issue, TriggeredVia } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import type { CallRecord, OrganizationRecord } from '../records.ts'
import { findOwnNumber, phoneNumberRule, toDigits } from '../values/phone-number.ts'
import { identifierRule, isIdentifier } from '../values/storable-text.ts'

/** A new call. */
export type CallInput = {
  /** @default a generated `call_…` */
  readonly callId?: string | undefined
  readonly channel: Channel
  /** `INCOMING` (customer to business) or `OUTGOING` (business to customer). */
  readonly direction: CallDirection
  /** One of the organization's numbers on this channel: of `pstnNumbers` (PSTN) or of its integrations (WHATSAPP). */
  readonly channelNumber: string
  readonly customerNumber: string
  /**
   * The party that handled the call: a team member (`AGENT`) or an AI bot (`AI_BOT`).
   * @default 'AGENT'
   */
  readonly callType?: CallType | undefined
  /**
   * The trigger of the call: `INBOUND` if it is incoming, and `UI`, `API` or `CAMPAIGN` if it is outgoing.
   * @default 'INBOUND' for an incoming call; otherwise 'API' for an AI bot and 'UI' for a team member
   */
  readonly triggeredVia?: TriggeredVia | undefined
  /**
   * Phone number of the team member who starts or handles the call. It is ignored if an AI bot handles the call, unless
   * a team member started the call (`triggeredVia: 'UI'`).
   */
  readonly agentNumber?: string | undefined
  /** Makes this a bot test call. Its events are published only if `webhooks` is true. */
  readonly botTest?: { readonly webhooks: boolean } | undefined
}

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

const enums = { channel: Channel, direction: CallDirection, callType: CallType, triggeredVia: TriggeredVia }

const checkEnums = (values: Readonly<Record<keyof typeof enums, unknown>>): Issue[] =>
  Object.entries(enums)
    .filter(([path, schema]) => !schema.safeParse(values[path as keyof typeof enums]).success)
    .map(([path, schema]) => ({ path, message: `must be ${Object.values(schema.def.entries).join(' or ')}` }))

/** @throws InputError if a field is invalid, or the organization does not have `channelNumber` on this channel. */
export const parseCall = (organization: OrganizationRecord, input: CallInput) => {
  const { channel, direction, callId, customerNumber, callType = 'AGENT' } = input
  const { triggeredVia = direction === 'INCOMING' ? 'INBOUND' : callType === 'AGENT' ? 'UI' : 'API' } = input
  const issues = checkEnums({ channel, direction, callType, triggeredVia })
  if (issues.length === 0 && (direction === 'INCOMING') !== (triggeredVia === 'INBOUND')) {
    const valid =
      direction === 'INCOMING' ? 'INBOUND for an incoming call' : 'UI, API or CAMPAIGN for an outgoing call'
    issues.push({ path: 'triggeredVia', message: `must be ${valid}` })
  }
  const own = findOwnNumber(organization, channel, input.channelNumber)
  if (own === undefined) {
    issues.push({ path: 'channelNumber', message: `must be a ${channel} number of the organization` })
  }
  if (toDigits(customerNumber) === undefined)
    issues.push({ path: 'customerNumber', message: phoneNumberRule })
  if (callId !== undefined && !isIdentifier(callId)) issues.push({ path: 'callId', message: identifierRule })
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
