import { CallSummary, endpoints } from '@wabakit/contract'
import { type ApiExchange, parseJson, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse } from '../lab.ts'
import type { ServerRules } from '../server-rule.ts'
import { findSummary, judgeFetched } from './fetch-rules.ts'
import { judgeCall, judgeCalls, judgeExchanges, judgeSummaries, judgeWebhooks, toDigits } from './witness.ts'

/** Tolerated difference between two clocks, in milliseconds: the tolerance of webhook-timestamp. */
const maxSkewMs = 300_000
/** The largest offset of a time zone, in milliseconds. A clock that is further off was set on purpose, as a mock's. */
const maxOffsetMs = 14 * 3_600_000
const generated = 8

/** Finds an event field whose name ends in `At` and whose value is a wrong time. */
const findTime = (json: unknown, isWrong: (time: number) => boolean): string | undefined =>
  Object.entries(Object(json))
    .filter(([name, value]) => name.endsWith('At') && typeof value === 'string')
    .find(([, value]) => isWrong(Date.parse(String(value))))
    ?.join(' ')

/** Returns whether an exchange is a summary request with a 200 response. */
const isFetched = ({ request, response }: ApiExchange): boolean =>
  request.path.startsWith(endpoints['calls.getSummary'].path) && response.status === 200

/** Judges whether the records of both channels name the right customer, if they name one. */
const judgeCustomers = judgeSummaries((json, { callId, webhooks }) => {
  const customer = readField(json, 'customerNumber')
  const expected = toDigits(
    webhooks.map(({ json }) => readField(json, 'customerNumber')).find((number) => number !== undefined),
  )
  const isOthers = customer !== undefined && expected !== '' && toDigits(customer) !== expected
  return { kept: !isOthers, observed: `customerNumber ${customer} for ${callId}` }
})

/** Returns the supplied group id of a successful create request, unless it is text that no server has to store. */
const readSuppliedId = ({ request: { body = '' }, response }: ApiExchange): string | undefined => {
  const groupId = response.status === 200 ? readField(parseJson(body), 'groupId') : undefined
  return typeof groupId === 'string' && groupId.isWellFormed() && !groupId.includes('\0')
    ? groupId
    : undefined
}

export const runRules: ServerRules = {
  'create.group-id.is-the-supplied-one': {
    title: 'Every response returns the supplied group id as it is: not cut, trimmed or in another case',
    clause: '"Group creation response": groupId',
    expected: 'the groupId of the request',
    severity: 'high',
    examine: judgeExchanges(
      'groups with a supplied id',
      (exchange) => readSuppliedId(exchange) !== undefined,
      (exchange) => {
        const [supplied, received] = [readSuppliedId(exchange), readField(exchange.response.json, 'groupId')]
        return received === supplied
          ? undefined
          : `groupId ${JSON.stringify(received)} for ${JSON.stringify(supplied)}`
      },
    ),
  },
  'fetch.response.200-is-a-summary': {
    title: 'A fetch gets 200 only with a summary',
    clause: '"Fetch call AI summary": success response; decision 0011',
    expected: 'recap, keyPoints and nextSteps in every response with status 200',
    severity: 'high',
    examine: judgeExchanges('responses', isFetched, (exchange) =>
      CallSummary.safeParse(findSummary(exchange.response.json)).success
        ? undefined
        : describeResponse(exchange),
    ),
  },
  'create.group-id.generated-ids-stay-different': {
    title: 'No generated group id is used twice',
    clause: 'rule 4 of "Create WhatsApp group": groupId is a primary key',
    expected: 'different ids',
    severity: 'high',
    examine: async ({ lab }) => {
      const request = buildCreate(lab, { groupId: undefined })
      const sent = await Promise.all(Array.from({ length: generated }, () => lab.send(request)))
      const created = sent.filter(({ response }) => response.status === 200)
      const ids = created.map(({ response }) => String(readField(response.json, 'groupId')))
      const kept = ids.length < 2 ? undefined : new Set(ids).size === ids.length
      return { kept, observed: ids.join(', ') || 'no group was created', requests: [request, request] }
    },
  },
  'events.subject.belongs-to-the-run': {
    title: 'Every callId and groupId in an event is one of this run',
    clause: '"Event kinds named": an event is about its call or group',
    expected: 'ids of calls that were played and of groups that were created',
    severity: 'critical',
    needs: ['--listen'],
    risk: 'A receiver gets events of other customers, or cannot find the call or group that an event is about.',
    fix: 'Publish the id of the call or group itself. If others use these numbers, examine the server while they do not.',
    examine: judgeWebhooks(({ callId, groupId }, { calls, groups }) => {
      if (callId !== '' && calls !== undefined && !calls.has(callId)) return `callId ${callId}`
      return groupId !== '' && !groups.has(groupId) ? `groupId ${groupId}` : undefined
    }),
  },
  'events.times.are-not-in-the-future': {
    title: 'No event states a time in the future',
    clause: '"Event kinds named": an event reports what has happened; decision 0004',
    expected: 'times before the arrival of the event',
    severity: 'high',
    needs: ['--listen'],
    examine: judgeWebhooks(({ json, arrivedAt }) => findTime(json, (time) => time > arrivedAt + maxSkewMs)),
  },
  'events.times.of-groups-are-in-utc': {
    title: 'No event of a group states a time that is hours before the group was created',
    clause: '"Event kinds named": an event reports what has happened; decision 0004',
    expected: 'times in UTC, or with their offset',
    severity: 'high',
    needs: ['--listen'],
    examine: (examination) =>
      judgeWebhooks(
        ({ json }) =>
          findTime(json, (time) => {
            const earlyMs = examination.lab.startedAt - time
            return earlyMs > maxSkewMs && earlyMs < maxOffsetMs + maxSkewMs
          }),
        ({ groupId }) => groupId !== '',
      )(examination),
  },
  'events.summary.names-the-customer-of-its-call': {
    title: 'CALL_AI_SUMMARY names the customer of the other events of its call',
    clause: '"CALL_AI_SUMMARY": one event per call',
    expected: 'the customerNumber of CALL_ENDED',
    severity: 'critical',
    needs: ['--listen', '--play'],
    risk: "A customer's words are filed under another customer.",
    examine: judgeCalls(({ webhooks }) => {
      const [summary, ended] = ['CALL_AI_SUMMARY', 'CALL_ENDED'].map((name) =>
        toDigits(readField(webhooks.find(({ event }) => event === name)?.json, 'customerNumber')),
      )
      const kept = summary === '' || ended === '' ? undefined : summary === ended
      return { kept, observed: `customerNumber ${ended}, then ${summary}` }
    }),
  },
  'fetch.summary.is-of-this-call': {
    title: 'A fetched record names the call and its customer, if it names any',
    clause: '"Fetch call AI summary": the summary of the call; decision 0011',
    expected: 'the callId of the request, and the customerNumber of its events',
    severity: 'critical',
    needs: ['--play'],
    risk: "A customer's words are shown to another customer.",
    examine: async (examination) => {
      const other = examination.lab.exchanges.filter(isFetched).find(({ request, response }) => {
        const id = readField(response.json, 'callId')
        return id !== undefined && request.path !== buildFetch(String(id)).path
      })
      if (other === undefined) return judgeCustomers(examination)
      return { kept: false, observed: describeResponse(other), requests: [other.request] }
    },
  },
  'fetch.manual.is-404': {
    title: 'If summaries are manual, a call has none until one is requested',
    clause: '0011 (summary statuses)',
    expected: 'status 404',
    needs: ['--wabakit-control'],
    examine: async (examination) => {
      // The scene changes the organization's settings, so no other call may be in progress.
      await examination.scenes.settle()
      return judgeCall('manual', (call) => judgeFetched(call, 404))(examination)
    },
  },
}
