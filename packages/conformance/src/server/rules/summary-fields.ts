import { CallDirection, CallType, Channel, Timestamp, TriggeredVia, UtcTimestamp } from '@wabakit/contract'
import { readField } from '../api/api-request.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import { judgeWebhooks, toDigits } from './witness.ts'

/** Reads a field of a payload by its path, such as `summary.recap`. */
type Payload = (path: string) => unknown

type FieldRule = Pick<ServerRule, 'title' | 'expected'> &
  Partial<Pick<ServerRule, 'clause' | 'severity'>> & {
    readonly keeps: (payload: Payload) => boolean
    /** The field whose value the report shows first. @default none */
    readonly path?: string
    /** Returns whether the rule applies to a payload. @default it applies to every payload */
    readonly applies?: (payload: Payload) => boolean
  }

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
/** Returns whether a value has digits and no letters. How numbers are written is not specified. */
const isPhoneNumber = (value: unknown): boolean =>
  typeof value === 'string' && /\d/.test(value) && !/\p{L}/u.test(value)
const fits =
  (schema: { safeParse(value: unknown): { success: boolean } }) =>
  (value: unknown): boolean =>
    schema.safeParse(value).success
const parseTime = (value: unknown): number => Date.parse(String(value))
const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Returns whether a bot handled a call that no team member started. */
const isBotsOwnCall = (payload: Payload): boolean =>
  payload('callType') === 'AI_BOT' && ['INBOUND', 'API', 'CAMPAIGN'].includes(String(payload('triggeredVia')))

const expectKind = (path: string, expected: string, isRight: (value: unknown) => boolean): FieldRule => ({
  title: `${path} is ${expected}`,
  expected,
  path,
  keeps: (payload) => isRight(payload(path)),
})

const expectEqual = (first: string, second: string): FieldRule => ({
  title: `${first} has the same value as ${second}`,
  expected: 'equal values',
  severity: 'high',
  keeps: (payload) => payload(first) !== undefined && payload(first) === payload(second),
})

const summaryObject = { clause: '"Summary object"' }

const fieldRules: Readonly<Record<string, FieldRule>> = {
  'channel-is-named': expectKind('channel', 'PSTN or WHATSAPP', fits(Channel)),
  'call-id-is-present': {
    ...expectKind('callId', 'a string that is not empty', isText),
    severity: 'high',
  },
  'call-direction-is-named': expectKind('callDirection', 'INCOMING or OUTGOING', fits(CallDirection)),
  'call-status-is-a-string': expectKind('callStatus', 'a string', isText),
  'call-status-is-never-ended': {
    title: 'callStatus is END for a call that has ended: not ENDED, and not in another case',
    path: 'callStatus',
    clause: '"States and transitions": the status in the summary event is END',
    expected: 'END',
    applies: (payload) => isText(payload('callStatus')),
    keeps: (payload) => payload('callStatus') === 'END',
  },
  'duration-is-a-number': {
    title: 'durationInSeconds is a number',
    path: 'durationInSeconds',
    expected: 'a number, 0 or more',
    keeps: (payload) =>
      Number.isFinite(payload('durationInSeconds')) && Number(payload('durationInSeconds')) >= 0,
  },
  'started-at-is-iso-8601': expectKind('callStartedAt', 'an ISO 8601 timestamp', fits(Timestamp)),
  'ended-at-is-iso-8601': expectKind('callEndedAt', 'an ISO 8601 timestamp', fits(Timestamp)),
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
    clause: '0004 (timestamps)',
    keeps: (payload) => ['callStartedAt', 'callEndedAt'].every((name) => fits(UtcTimestamp)(payload(name))),
  },
  'from-is-a-phone-number': expectKind('from', 'a phone number', isPhoneNumber),
  'to-is-a-phone-number': expectKind('to', 'a phone number', isPhoneNumber),
  'channel-number-equals-from': expectEqual('channelNumber', 'from'),
  'customer-number-equals-to': expectEqual('customerNumber', 'to'),
  'agent-number-absent-not-empty': {
    title: 'agentNumber is absent, not empty, when no team member took part',
    path: 'agentNumber',
    expected: 'no agentNumber, or a phone number',
    keeps: (payload) => payload('agentNumber') === undefined || isText(payload('agentNumber')),
  },
  'agent-number-is-a-phone-number': {
    ...expectKind('agentNumber', 'a phone number, if it is present', isPhoneNumber),
    applies: (payload) => isText(payload('agentNumber')),
  },
  'agent-number-absent-for-bots': {
    title: 'agentNumber is absent for a bot call that no team member started',
    path: 'agentNumber',
    expected: 'no agentNumber',
    applies: isBotsOwnCall,
    keeps: (payload) => payload('agentNumber') === undefined,
  },
  'agent-number-is-not-the-customers': {
    title: 'agentNumber is not the number of the customer or of the call',
    path: 'agentNumber',
    expected: 'the phone number of a team member',
    applies: (payload) => isText(payload('agentNumber')),
    keeps: (payload) =>
      !['customerNumber', 'channelNumber'].some(
        (name) => toDigits(payload(name)) === toDigits(payload('agentNumber')),
      ),
  },
  'agent-number-is-present-for-agents': {
    title: 'agentNumber is present if a team member handled the call',
    clause: '0014 (agentNumber)',
    expected: 'a phone number',
    applies: (payload) => payload('callType') === 'AGENT',
    keeps: (payload) => isText(payload('agentNumber')),
  },
  'call-type-is-named': expectKind('callType', 'AI_BOT or AGENT', fits(CallType)),
  'triggered-via-is-named': expectKind('triggeredVia', 'INBOUND, CAMPAIGN, API or UI', fits(TriggeredVia)),
  'direction-fits-the-trigger': {
    title: 'A call is incoming if, and only if, the customer started it',
    expected: 'INCOMING exactly with INBOUND',
    clause: '"Call AI summary event payload": INCOMING and INBOUND both mean that the customer called',
    applies: (payload) =>
      fits(CallDirection)(payload('callDirection')) && fits(TriggeredVia)(payload('triggeredVia')),
    keeps: (payload) => (payload('callDirection') === 'INCOMING') === (payload('triggeredVia') === 'INBOUND'),
  },
  'has-a-summary': {
    ...expectKind('summary', 'an object', (value) => typeof value === 'object' && value !== null),
    severity: 'high',
  },
  'recap-is-a-string': {
    ...expectKind('summary.recap', 'a string', (value) => typeof value === 'string'),
    ...summaryObject,
    severity: 'high',
  },
  'key-points-are-strings': {
    ...expectKind('summary.keyPoints', 'an array of strings', isStrings),
    ...summaryObject,
  },
  'next-steps-are-strings': {
    ...expectKind('summary.nextSteps', 'an array of strings', isStrings),
    ...summaryObject,
  },
}

const createPayload =
  (json: unknown): Payload =>
  (path) =>
    path.split('.').reduce(readField, json)

const show = (payload: Payload, path: string | undefined): string =>
  path === undefined ? '' : `${path} is ${JSON.stringify(payload(path)) ?? 'absent'} in `

const toRule = ({ keeps, path, applies = () => true, ...rule }: FieldRule): ServerRule => ({
  clause: '"Call AI summary event payload"',
  ...rule,
  needs: ['--listen', '--play'],
  examine: judgeWebhooks(
    ({ json, text }) => (keeps(createPayload(json)) ? undefined : show(createPayload(json), path) + text),
    ({ event, json }) => event === 'CALL_AI_SUMMARY' && applies(createPayload(json)),
  ),
})

export const summaryFieldRules: ServerRules = Object.fromEntries(
  Object.entries(fieldRules).map(([id, rule]) => [`events.summary.${id}`, toRule(rule)]),
)
