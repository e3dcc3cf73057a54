import {
  CallDirection,
  CallSummary,
  CallType,
  Channel,
  Timestamp,
  TriggeredVia,
  UtcTimestamp,
} from '@wabakit/contract'
import { readField } from '../api/api-request.ts'
import type { Rule } from '../rule.ts'
import { judgeWebhooks } from './witness.ts'

type Payload = (name: string) => unknown

type FieldRule = Pick<Rule, 'title' | 'expected'> &
  Partial<Pick<Rule, 'clause' | 'severity'>> & {
    readonly keeps: (payload: Payload) => boolean
    /** Returns whether the rule applies to a payload. @default it applies to every payload */
    readonly applies?: (payload: Payload) => boolean
  }

const summaryObject = '"Summary object"'

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isDateTime = (value: unknown): boolean => Timestamp.safeParse(value).success
const parseTime = (value: unknown): number => Date.parse(String(value))
const isStrings = (value: unknown): boolean =>
  CallSummary.safeParse({ recap: '', nextSteps: [], keyPoints: value }).success

const isBotCallOfService = (payload: Payload): boolean =>
  payload('callType') === 'AI_BOT' && ['API', 'CAMPAIGN'].includes(String(payload('triggeredVia')))

const fieldRules: Readonly<Record<string, FieldRule>> = {
  'channel-is-named': {
    title: 'channel is PSTN or WHATSAPP',
    expected: 'PSTN or WHATSAPP',
    keeps: (payload) => Channel.safeParse(payload('channel')).success,
  },
  'call-id-is-present': {
    title: 'callId is a string that is not empty',
    expected: 'a string',
    severity: 'high',
    keeps: (payload) => isText(payload('callId')),
  },
  'call-direction-is-named': {
    title: 'callDirection is INCOMING or OUTGOING',
    expected: 'INCOMING or OUTGOING',
    keeps: (payload) => CallDirection.safeParse(payload('callDirection')).success,
  },
  'call-status-is-a-string': {
    title: 'callStatus is a string',
    expected: 'a string',
    keeps: (payload) => isText(payload('callStatus')),
  },
  'call-status-is-never-ended': {
    title: 'callStatus is END, never ENDED',
    expected: 'END',
    applies: (payload) => /^END(?:ED)?$/.test(String(payload('callStatus'))),
    keeps: (payload) => payload('callStatus') === 'END',
  },
  'duration-is-a-number': {
    title: 'durationInSeconds is a number',
    expected: 'a number, 0 or more',
    keeps: (payload) =>
      Number.isFinite(payload('durationInSeconds')) && Number(payload('durationInSeconds')) >= 0,
  },
  'started-at-is-iso-8601': {
    title: 'callStartedAt is an ISO 8601 timestamp',
    expected: 'an ISO 8601 timestamp',
    keeps: (payload) => isDateTime(payload('callStartedAt')),
  },
  'ended-at-is-iso-8601': {
    title: 'callEndedAt is an ISO 8601 timestamp',
    expected: 'an ISO 8601 timestamp',
    keeps: (payload) => isDateTime(payload('callEndedAt')),
  },
  'ended-at-is-not-before-started-at': {
    title: 'A call does not end before it starts',
    expected: 'callEndedAt at or after callStartedAt',
    applies: (payload) =>
      !Number.isNaN(parseTime(payload('callStartedAt')) + parseTime(payload('callEndedAt'))),
    keeps: (payload) => parseTime(payload('callEndedAt')) >= parseTime(payload('callStartedAt')),
  },
  'timestamps-are-utc': {
    title: 'Timestamps are in UTC with milliseconds',
    expected: 'such as 2026-01-01T10:00:00.000Z',
    clause: '0028 (timestamps)',
    keeps: (payload) =>
      ['callStartedAt', 'callEndedAt'].every((name) => UtcTimestamp.safeParse(payload(name)).success),
  },
  'from-is-present': {
    title: 'from is a string that is not empty',
    expected: 'a phone number',
    keeps: (payload) => isText(payload('from')),
  },
  'to-is-present': {
    title: 'to is a string that is not empty',
    expected: 'a phone number',
    keeps: (payload) => isText(payload('to')),
  },
  'channel-number-equals-from': {
    title: 'channelNumber has the same value as from',
    expected: 'equal values',
    severity: 'high',
    keeps: (payload) =>
      payload('channelNumber') !== undefined && payload('channelNumber') === payload('from'),
  },
  'customer-number-equals-to': {
    title: 'customerNumber has the same value as to',
    expected: 'equal values',
    severity: 'high',
    keeps: (payload) =>
      payload('customerNumber') !== undefined && payload('customerNumber') === payload('to'),
  },
  'agent-number-absent-not-empty': {
    title: 'agentNumber is absent, not empty, when no team member took part',
    expected: 'no agentNumber, or a phone number',
    keeps: (payload) => payload('agentNumber') === undefined || isText(payload('agentNumber')),
  },
  'agent-number-absent-for-bots': {
    title: 'agentNumber is absent for a bot call started by the API or a campaign',
    expected: 'no agentNumber',
    applies: isBotCallOfService,
    keeps: (payload) => payload('agentNumber') === undefined,
  },
  'call-type-is-named': {
    title: 'callType is AI_BOT or AGENT',
    expected: 'AI_BOT or AGENT',
    keeps: (payload) => CallType.safeParse(payload('callType')).success,
  },
  'triggered-via-is-named': {
    title: 'triggeredVia is INBOUND, CAMPAIGN, API or UI',
    expected: 'INBOUND, CAMPAIGN, API or UI',
    keeps: (payload) => TriggeredVia.safeParse(payload('triggeredVia')).success,
  },
  'direction-fits-the-trigger': {
    title: 'A call is incoming if, and only if, the customer started it',
    expected: 'INCOMING exactly with INBOUND',
    clause: '0024 (who sees which event)',
    keeps: (payload) => (payload('callDirection') === 'INCOMING') === (payload('triggeredVia') === 'INBOUND'),
  },
  'has-a-summary': {
    title: 'summary is an object',
    expected: 'an object',
    severity: 'high',
    keeps: (payload) => typeof payload('summary') === 'object' && payload('summary') !== null,
  },
  'recap-is-a-string': {
    title: 'summary.recap is a string',
    expected: 'a string',
    clause: summaryObject,
    severity: 'high',
    keeps: (payload) => typeof readField(payload('summary'), 'recap') === 'string',
  },
  'key-points-are-strings': {
    title: 'summary.keyPoints is an array of strings',
    expected: 'an array of strings',
    clause: summaryObject,
    keeps: (payload) => isStrings(readField(payload('summary'), 'keyPoints')),
  },
  'next-steps-are-strings': {
    title: 'summary.nextSteps is an array of strings',
    expected: 'an array of strings',
    clause: summaryObject,
    keeps: (payload) => isStrings(readField(payload('summary'), 'nextSteps')),
  },
}

/** Rules for the fields of every received CALL_AI_SUMMARY. */
export const summaryFieldRules: readonly Rule[] = Object.entries(fieldRules).map(
  ([id, { keeps, applies = () => true, ...rule }]) => ({
    clause: '"Call AI summary event payload"',
    ...rule,
    id: `events.summary.${id}`,
    needs: ['--listen', '--play'],
    examine: judgeWebhooks(
      ({ json, text }) => (keeps((name) => readField(json, name)) ? undefined : text),
      ({ event, json }) => event === 'CALL_AI_SUMMARY' && applies((name) => readField(json, name)),
    ),
  }),
)
