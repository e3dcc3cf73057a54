import { isDeepStrictEqual } from 'node:util'
import { readField } from '../api/api-request.ts'
import type { Observation, ServerRule, ServerRules } from '../server-rule.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import { judgeCalls, judgeSummaries, judgeWebhooks, nameEvents, toDigits } from './witness.ts'

const oneCall = '"CALL_AI_SUMMARY": one event per call'
const sameSummary = '"What the service does", rule 3: the same summary can be fetched'

const numberFields = ['from', 'to', 'channelNumber', 'customerNumber', 'agentNumber']
const timeFields = ['callStartedAt', 'callEndedAt']
const otherFields = [
  'channel',
  'callDirection',
  'callStatus',
  'callType',
  'triggeredVia',
  'durationInSeconds',
]

/** Tolerated difference of two durations, in seconds: they may be rounded. */
const roundingSeconds = 2
/** Tolerated ringing in addition to the observed one, in seconds: a duration may exclude the ringing. */
const ringingSeconds = 5

/** Tolerated differences of fields in two statements about a call, in milliseconds for times and seconds for durations. */
type Tolerances = Readonly<Record<string, number>>

const exact: Tolerances = {}
/** One event may state when the call began to ring, or count the ringing, and one may state whole seconds. */
const eventTolerances: Tolerances = { callStartedAt: 300_000, callEndedAt: 1_000, durationInSeconds: 10 }

/** Fields that are known only when a call has ended. */
const finalFields = ['durationInSeconds', 'callType', 'agentNumber']

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === ''
const parseTime = (value: unknown): number => Date.parse(String(value))

/** Returns whether two values of a field mean the same. Numbers and times may be spelled differently. */
const isSame = (name: string, values: readonly [unknown, unknown], tolerances: Tolerances): boolean => {
  const [first, second] = values
  if (isDeepStrictEqual(first, second)) return true
  if (numberFields.includes(name)) return toDigits(first) === toDigits(second)
  if (timeFields.includes(name))
    return Math.abs(parseTime(first) - parseTime(second)) <= (tolerances[name] ?? 0)
  if (name === 'durationInSeconds') return Math.abs(Number(first) - Number(second)) <= (tolerances[name] ?? 0)
  return false
}

type Sides = { readonly first: unknown; readonly second: unknown; readonly tolerances: Tolerances }

/** Finds the fields that both sides set, but to different values. */
const observeAgreement = (names: readonly string[], { first, second, tolerances }: Sides): Observation => {
  const stated = names
    .map((name) => ({ name, values: [readField(first, name), readField(second, name)] as const }))
    .filter(({ values }) => !values.some(isUnset))
  const wrong = stated.find(({ name, values }) => !isSame(name, values, tolerances))
  const observed =
    wrong === undefined
      ? `${stated.length} equal fields`
      : `${wrong.name} ${wrong.values.map((value) => JSON.stringify(value)).join(', then ')}`
  return { kept: wrong === undefined, observed }
}

const findEvent = (webhooks: readonly ReceivedWebhook[], pattern: RegExp): ReceivedWebhook | undefined =>
  webhooks.find(({ event }) => pattern.test(event))

/** Estimates how long a call rang before it was accepted from when its events arrived, in seconds. */
const measureRinging = (webhooks: readonly ReceivedWebhook[]): number => {
  const initiated = findEvent(webhooks, /^CALL_(?:INCOMING|OUTGOING)_INITIATED$/)
  const accepted = findEvent(webhooks, /^CALL_ACCEPTED$/)
  if (initiated === undefined || accepted === undefined) return 0
  return Math.max(0, (accepted.arrivedAt - initiated.arrivedAt) / 1_000)
}

const readRecord = (json: unknown): unknown => {
  const data = readField(json, 'data')
  return typeof data === 'object' && data !== null ? data : json
}

/** Compares these fields of every event of a call with those of its CALL_AI_SUMMARY. */
const judgeAgainstSummary = (names: readonly string[], tolerances: Tolerances): ServerRule['examine'] =>
  judgeCalls(({ webhooks }) => {
    const summary = findEvent(webhooks, /^CALL_AI_SUMMARY$/)
    const others = webhooks.filter(({ event }) => event !== 'CALL_AI_SUMMARY')
    if (summary === undefined || others.length === 0)
      return { kept: undefined, observed: `nothing to compare: ${nameEvents(webhooks)}` }
    const compared = others.map(({ event, json }) => {
      // A duration that is unset is 0.
      const isKnown = (name: string): boolean =>
        !finalFields.includes(name) || (event === 'CALL_ENDED' && readField(json, name) !== 0)
      const judged = names.filter(isKnown)
      const { kept, observed } = observeAgreement(judged, { first: json, second: summary.json, tolerances })
      return { kept, observed: `${event}: ${observed}` }
    })
    return compared.find(({ kept }) => !kept) ?? { kept: true, observed: `${others.length} events agree` }
  })

/** Rules that compare the events and the fetched record of one call. */
export const agreementRules: ServerRules = {
  'events.summary.from-is-the-own-number': {
    title: "from is the organization's number and to the customer's, in both directions",
    clause: '"Call AI summary event payload": from and to',
    expected: 'from the number that the webhook is subscribed to, never the number of a customer',
    severity: 'critical',
    needs: ['--listen', '--play'],
    risk: "A customer's words are filed under the business itself, and every call under one customer.",
    fix: "Set from to the organization's number and to to the customer's. If the run could not tell, subscribe --waba-number to the path /whatsapp of --listen.",
    examine: async (examination) => {
      const own = toDigits(examination.lab.wabaNumber)
      const judged = await judgeWebhooks(
        ({ json, path }, { all }) => {
          const [from, to] = ['from', 'to'].map((name) => toDigits(readField(json, name)))
          if (to === own) return `to is ${to}, the WABA number`
          if (path === '/whatsapp' && from !== own) return `from is ${from}, not the WABA number ${own}`
          const isOwn = all.some((each) => to !== '' && toDigits(readField(each.json, 'from')) === to)
          return isOwn ? `to is ${to}, which is from in another event` : undefined
        },
        ({ event }) => event === 'CALL_AI_SUMMARY',
      )(examination)
      const isSameForBoth = examination.lab.listener?.webhooks.some(
        ({ event, json }) =>
          event === 'CALL_AI_SUMMARY' &&
          readField(json, 'channel') === 'PSTN' &&
          toDigits(readField(json, 'from')) === own,
      )
      if (judged.kept !== true || !isSameForBoth) return judged
      return {
        kept: undefined,
        observed: `from of a PSTN call is ${own}, the WABA number: wrong, unless it is also the number of PSTN calls`,
      }
    },
  },
  'events.summary.duration-fits-the-times': {
    title: 'durationInSeconds is the time from callStartedAt to callEndedAt in seconds',
    clause: '"Call AI summary event payload": durationInSeconds is the call duration in seconds',
    expected: 'the difference of the times in seconds, less only by the time in which the call rang',
    severity: 'high',
    needs: ['--listen', '--play'],
    examine: judgeCalls(({ webhooks }) => {
      const json = findEvent(webhooks, /^CALL_AI_SUMMARY$/)?.json
      const [startedAt, endedAt] = timeFields.map((name) => readField(json, name))
      const seconds = readField(json, 'durationInSeconds')
      const span = (parseTime(endedAt) - parseTime(startedAt)) / 1_000
      const observed = `durationInSeconds ${seconds}, from ${startedAt} to ${endedAt}`
      if (typeof seconds !== 'number' || Number.isNaN(span)) return { kept: undefined, observed }
      const shortest = span - measureRinging(webhooks) - ringingSeconds
      return { kept: seconds >= shortest && seconds <= span + roundingSeconds, observed }
    }),
  },
  'events.summary.agrees-with-the-other-events': {
    title:
      'CALL_AI_SUMMARY states the direction, the trigger, the numbers, the times and the duration of the other events of its call',
    clause: oneCall,
    expected: 'the same values, as far as both events state them',
    severity: 'high',
    needs: ['--listen', '--play'],
    examine: judgeAgainstSummary(
      [
        ...['channel', 'callDirection', 'triggeredVia', 'from', 'to', 'channelNumber', 'customerNumber'],
        ...finalFields,
        ...timeFields,
      ],
      eventTolerances,
    ),
  },
  'events.call.times': {
    title: 'All events of a call state the same callStartedAt and callEndedAt',
    clause: '0014 (call event fields)',
    expected: 'the times of CALL_AI_SUMMARY, to the millisecond',
    needs: ['--listen', '--play'],
    examine: judgeAgainstSummary(timeFields, exact),
  },
  'fetch.summary.agrees-with-the-event': {
    title: 'A fetched record states the times, the duration and the numbers of CALL_AI_SUMMARY',
    clause: sameSummary,
    expected: 'the values of the event, as far as the record states them',
    severity: 'high',
    needs: ['--listen', '--play'],
    examine: judgeSummaries((json, { summary }) => {
      if (summary === undefined) return { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
      const [record, event] = [readRecord(json), summary.json]
      const agent = readField(record, 'agentNumber')
      if (!isUnset(agent) && isUnset(readField(event, 'agentNumber')))
        return { kept: false, observed: `agentNumber ${JSON.stringify(agent)}, absent in the event` }
      const sides = { first: event, second: record, tolerances: exact }
      return observeAgreement([...otherFields, ...numberFields, ...timeFields], sides)
    }),
  },
  'fetch.summary.agent-number-absent-not-empty': {
    title: 'agentNumber is absent in a fetched record, not empty, when no team member took part',
    clause: `${sameSummary}; agentNumber is absent, not an empty string`,
    expected: 'no agentNumber, or a phone number',
    needs: ['--play'],
    examine: judgeSummaries((json) => {
      const agent = readField(readRecord(json), 'agentNumber')
      return {
        kept: agent === undefined || (agent !== null && agent !== ''),
        observed: agent === undefined ? 'no agentNumber' : `"agentNumber":${JSON.stringify(agent)}`,
      }
    }),
  },
}
