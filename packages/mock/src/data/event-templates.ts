import type { EventName } from '@wabakit/contract'
import type { Ids } from '@wabakit/core'
import { buildObservedCallEvent, type CallData, type ObservedCallEventName } from '@wabakit/core/simulation'
import { callEventExamples, groupEventExamples } from '@wabakit/wire/definitions'
import type { Account } from './account.ts'

export type Fields = Readonly<Record<string, unknown>>

export type TemplateSources = {
  readonly account: Account
  readonly data: CallData
  readonly ids: Ids
  /** Time of the first event, as Unix time in milliseconds. */
  readonly start: number
}

/** Returns a time, in seconds, within which an event follows `start`, so that the event can be placed in the past. */
export const getSecondsAfterStart = (name: EventName, durationInSeconds: number): number => {
  if (name.startsWith('CALL_')) return 5 + durationInSeconds
  return name === 'GROUP_CREATED' ? 0 : 3_600
}

const examples: Readonly<Record<EventName, Fields>> = { ...groupEventExamples, ...callEventExamples }

/**
 * Creates the fields of an event about a group and a participant, or about a call and its summary. Without a template, the other
 * fields are copied from the event's example.
 */
export const createTemplate = (name: EventName, { account, data, ids, start }: TemplateSources): Fields => {
  const { customerNumber, agentNumber, durationInSeconds, summary } = data
  const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString()
  const group = { groupId: ids('wagrp'), groupName: 'Order 1042' }
  const member = { ...group, customerPhone: customerNumber }
  const call = {
    callId: ids('call'),
    channel: 'PSTN',
    callDirection: 'INCOMING',
    from: account.pstnNumber,
    to: customerNumber,
    channelNumber: account.pstnNumber,
    customerNumber,
    agentNumber,
    callType: 'AGENT',
    triggeredVia: 'INBOUND',
  } as const
  const accepted = { ...call, callStartedAt: at(5) }
  const ended = { ...accepted, callStatus: 'END', durationInSeconds, callEndedAt: at(5 + durationInSeconds) }
  const observed = (name: ObservedCallEventName): Fields => {
    const { callId } = call
    const parties = { channelNumber: account.wabaNumber, customerNumber }
    const about = { callId, channel: 'WHATSAPP', direction: 'INCOMING', updatedAt: start } as const
    return buildObservedCallEvent(name, { ...about, ...parties })
  }
  const templates: Partial<Record<EventName, Fields>> = {
    GROUP_CREATED: {
      ...group,
      inviteLink: 'https://invite.example/MadeUpInviteLink00000A',
      groupCreatedAt: at(0),
    },
    GROUP_PARTICIPANT_JOINED: { ...member, participantJoinedAt: at(60) },
    CALL_INCOMING_INITIATED: { ...call, callStatus: 'INITIATED' },
    CALL_OUTGOING_INITIATED: {
      ...call,
      callDirection: 'OUTGOING',
      triggeredVia: 'UI',
      callStatus: 'INITIATED',
    },
    CALL_ACCEPTED: { ...accepted, callStatus: 'IN_PROGRESS' },
    CALL_ENDED: ended,
    CALL_AI_SUMMARY: { ...ended, summary },
    CALL_MISSED: observed('CALL_MISSED'),
    CALL_REJECTED: observed('CALL_REJECTED'),
    CALL_NOT_PICKED: observed('CALL_NOT_PICKED'),
  }
  const own: Fields = { ...member, ...call }
  const fill = ([field, value]: [string, unknown]) => [
    field,
    field.endsWith('At') ? at(3_600) : (own[field] ?? value),
  ]
  return templates[name] ?? Object.fromEntries(Object.entries(examples[name]).map(fill))
}
