import { isDeepStrictEqual } from 'node:util'
import { CallSummary } from '@wabakit/contract'
import { type Defaulted, setDefaults } from '../../report/run-checks.ts'
import { swapCase } from '../../swap-case.ts'
import { type ApiResponse, readField } from '../api/api-request.ts'
import type { CallScene } from '../calls/call-scenes.ts'
import { buildFetch, describeResponse, type Need } from '../lab.ts'
import type { Observation, ServerRule, ServerRules } from '../server-rule.ts'
import {
  examineAfter,
  expectStatus,
  isRefusal,
  isRetryAfter,
  judgeCalls,
  judgeExchanges,
  judgeRequest,
  judgeSummaries,
  type SceneName,
} from './witness.ts'

const fetchable = '"Fetch call AI summary": the summary can be fetched at any time after it exists'
const calls: readonly Need[] = ['--play']
const webhooks: readonly Need[] = ['--listen', '--play']

type FetchRule = Defaulted<ServerRule, 'clause'>

/** Judges the status of the response to fetching a call's summary. */
export const judgeFetched = ({ callId, fetched }: CallScene, status: number): Observation => ({
  kept: fetched && fetched.response.status === status,
  observed: fetched === undefined ? 'the call was not made' : describeResponse(fetched),
  requests: [buildFetch(callId)],
})

/** Compares parts of a fetched summary with the same parts of its event. */
const judgeEqual = (read: (json: unknown, from: 'event' | 'response') => unknown): ServerRule['examine'] =>
  judgeSummaries((json, { summary }) => {
    if (summary === undefined) return { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
    const [sent, found] = [read(summary.json, 'event'), read(json, 'response')]
    const kept = isDeepStrictEqual(found, sent)
    return {
      kept,
      observed: kept ? 'equal' : `event ${JSON.stringify(sent)}, fetched ${JSON.stringify(found)}`,
    }
  })

/** Finds the summary in a response: bare, or wrapped in `summary` or `data`. */
export const findSummary = (json: unknown): unknown =>
  [
    json,
    readField(json, 'summary'),
    readField(json, 'data'),
    readField(readField(json, 'data'), 'summary'),
  ].find((each) => typeof readField(each, 'recap') === 'string')

/** Judges whether every response about a pending summary has a valid Retry-After. */
const judgePending = judgeExchanges(
  'responses with status 202',
  ({ response }) => response.status === 202,
  ({ response: { headers } }) => {
    const retryAfter = headers.get('retry-after')
    return isRetryAfter(retryAfter) ? undefined : `Retry-After: ${retryAfter}`
  },
)

const isClientError = ({ status }: ApiResponse): boolean | undefined =>
  status === 429 ? undefined : status >= 400 && status < 500

const readParts = (summary: unknown): unknown[] =>
  ['recap', 'keyPoints', 'nextSteps'].map((part) => readField(summary, part))

/** Expects this status when a call's summary is fetched with the key that may not use the WABA number. */
const expectForOther = (
  channel: 'PSTN' | 'WHATSAPP',
  status: number,
): Pick<ServerRule, 'expected' | 'needs' | 'examine'> => ({
  expected: `status ${status}`,
  needs: ['--play', '--other-key'],
  examine: examineAfter(
    channel,
    (callId) => expectStatus(status, () => buildFetch(callId, { key: 'other' })).examine,
  ),
})

/** Expects that a key of another organization finds nothing. */
const expectUnseen = (channel: 'PSTN' | 'WHATSAPP'): FetchRule => ({
  title: `A key of another organization does not see a ${channel} call`,
  clause: '"Authentication", rules 1 to 3: a key is for the calls of its organization',
  expected: 'status 404, and no summary',
  severity: 'critical',
  needs: ['--play', '--foreign-key'],
  risk: "A customer's words are shown to another business.",
  examine: examineAfter(channel, (callId) =>
    judgeRequest(() => buildFetch(callId, { key: 'foreign' }), isRefusal),
  ),
})

/** Expects that an id made from a call's finds nothing: what it finds is another call's summary. */
const expectOtherId = (what: string, toOther: (callId: string) => string): FetchRule => ({
  title: `${what} finds no summary`,
  clause: '"Fetch call AI summary": callId is the one of the event; decision 0011',
  expected: 'status 404',
  needs: calls,
  // The specification does not show the status of an unknown id.
  examine: examineAfter('PSTN', (callId) =>
    judgeRequest(
      () => buildFetch(toOther(callId)),
      ({ status }) => (toOther(callId) === callId ? undefined : status !== 200),
    ),
  ),
})

const expectUnavailable = (words: string, scenes: readonly SceneName<CallScene>[]): FetchRule => ({
  title: `A call that was ${words} can never have a summary`,
  expected: 'status 422',
  needs: calls,
  examine: judgeCalls((call) => judgeFetched(call, 422), scenes),
})

const rules: Readonly<Record<string, FetchRule>> = {
  'fetch.call-id.missing-is-400': {
    title: 'A fetch without callId is refused',
    ...expectStatus(400, () => buildFetch(undefined)),
  },
  'fetch.call-id.empty-is-400': {
    title: 'A fetch with an empty callId is refused',
    ...expectStatus(400, () => buildFetch('')),
  },
  'fetch.call-id.256-is-400': {
    title: 'A callId of 256 characters is refused',
    clause: '0001 (identifiers have at most 255 characters)',
    ...expectStatus(400, () => buildFetch('c'.repeat(256))),
  },
  'fetch.call-id.long-is-refused': {
    title: 'A callId of 255 characters gets a response that it names no call',
    clause: '"Fetch call AI summary": callId is a string',
    expected: 'a status from 400 to 499',
    examine: judgeRequest(() => buildFetch('c'.repeat(255)), isClientError),
  },
  'fetch.call-id.twice-is-refused': {
    title: 'A fetch with two unknown callIds gets a response that it names no call',
    clause: '"Fetch call AI summary": callId is a string',
    expected: 'a status from 400 to 499',
    fix: 'Respond 400 to a query with callId twice. Many frameworks turn it into a list.',
    examine: judgeRequest(() => {
      const { path, ...rest } = buildFetch('first')
      return { ...rest, path: `${path}&callId=second` }
    }, isClientError),
  },
  'fetch.call-id.unknown-is-404': {
    title: 'A call that does not exist is not found',
    ...expectStatus(404, (lab) => buildFetch(lab.createGroupId())),
  },
  'fetch.call-id.longer-is-404': expectOtherId(
    'An id that only begins with the id of a call',
    (callId) => `${callId}x`,
  ),
  'fetch.call-id.cut-is-404': expectOtherId('The id of a call without its last character', (callId) =>
    callId.slice(0, -1),
  ),
  'fetch.call-id.pattern-is-404': expectOtherId('A pattern of SQL', () => '%'),
  'fetch.call-id.injection-is-404': expectOtherId('A condition of SQL', () => "' OR '1'='1"),
  'fetch.call-id.inherited-name-is-404': expectOtherId(
    'The name of an inherited property of JavaScript objects',
    () => 'constructor',
  ),
  'fetch.call-id.in-the-other-case-is-404': expectOtherId(
    'The id of a call with its letters in the other case',
    swapCase,
  ),
  'fetch.call-id.without-a-key-is-401': {
    title: 'The summary of a call is not returned without a valid key',
    clause: '"Authentication", rule 2',
    expected: 'status 401',
    severity: 'critical',
    needs: calls,
    risk: "Anyone who learns the id of a call can read a customer's words.",
    examine: async (examination) => {
      const sent = []
      for (const channel of ['PSTN', 'WHATSAPP'] as const) {
        const { callId, failure } = await examination.scenes.play(channel)
        if (failure !== undefined) return { kept: undefined, observed: failure }
        for (const key of ['none', 'unknown'] as const)
          sent.push(await examination.lab.send(buildFetch(callId, { key })))
      }
      const returned = sent.find(({ response }) => response.status === 200)
      return {
        kept: returned === undefined,
        observed: sent.map(({ response }) => response.status).join(', '),
        requests: [(returned ?? sent[0])?.request].filter((each) => each !== undefined),
      }
    },
  },
  'fetch.method.post-is-refused': {
    title: 'A POST to the path of a summary is refused',
    clause: '0010 (error body)',
    expected: 'status 405, or another error',
    needs: calls,
    examine: examineAfter('PSTN', (callId) =>
      judgeRequest(() => buildFetch(callId, { method: 'POST' }), isRefusal),
    ),
  },
  'fetch.summary.is-200': {
    title: 'A summary can be fetched once it exists',
    clause: fetchable,
    expected: 'status 200',
    severity: 'high',
    needs: calls,
    fix: 'Return the summary as soon as it is saved. Do not cache the response that it is pending.',
    examine: judgeCalls((call) => {
      const { kept, observed, requests } = judgeFetched(call, 200)
      const { json } = call.summary ?? {}
      const kind = ['channel', 'callDirection', 'callType', 'triggeredVia'].map((name) =>
        readField(json, name),
      )
      const isLate = !kept && json !== undefined
      const after = `${observed}, after CALL_AI_SUMMARY of ${kind.join(' ')}`
      return { kept, observed: isLate ? after : observed, requests }
    }),
  },
  'fetch.summary.is-json': {
    title: 'The fetched summary is JSON, and its content type is application/json',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    needs: calls,
    examine: judgeSummaries((json, { fetched }) => {
      const type = fetched?.response.headers.get('content-type') ?? 'no content-type'
      return { kept: json !== undefined && /^application\/json\s*(?:;|$)/i.test(type), observed: type }
    }),
  },
  'fetch.summary.has-all-parts': {
    title: 'The fetched summary has recap, keyPoints and nextSteps',
    clause: '"Summary object"',
    expected: 'recap: string, keyPoints and nextSteps: arrays of strings',
    severity: 'high',
    needs: calls,
    examine: judgeSummaries((json, { fetched }) => ({
      kept: CallSummary.safeParse(findSummary(json)).success,
      observed: fetched === undefined ? '' : describeResponse(fetched),
    })),
  },
  'fetch.summary.equals-event': {
    title: 'The fetched summary is the one of CALL_AI_SUMMARY',
    clause: '"What the service does", rule 3: the same summary can be fetched',
    expected: 'the same recap, keyPoints and nextSteps',
    severity: 'high',
    needs: webhooks,
    examine: judgeEqual((json, from) =>
      readParts(from === 'event' ? readField(json, 'summary') : findSummary(json)),
    ),
  },
  'fetch.summary.is-the-event-without-its-name': {
    title: 'The fetched record is the payload of CALL_AI_SUMMARY without event',
    clause: '0011 (summary response)',
    expected: 'every field of the event except event',
    needs: webhooks,
    examine: judgeEqual((json, from) => {
      if (from === 'response' || typeof json !== 'object' || json === null) return json
      const { event: _, ...payload } = { event: '', ...json }
      return payload
    }),
  },
  'fetch.in-progress.is-202': {
    title: 'A fetch during the call reports that the summary is pending',
    expected: 'status 202',
    needs: webhooks,
    examine: judgeCalls(({ inProgress }) => {
      if (inProgress === undefined || inProgress.response.status === 200)
        return { kept: undefined, observed: 'every call was over before its summary could be fetched' }
      const kept = inProgress.response.status === 202
      return { kept, observed: describeResponse(inProgress), requests: [inProgress.request] }
    }),
  },
  'fetch.in-progress.retry-after': {
    title: 'The response about a pending summary has a Retry-After',
    clause: 'RFC 9110, section 10.2.3 (decision 0011)',
    expected: 'Retry-After with whole seconds, 1 or more, or a date',
    needs: webhooks,
    examine: async (examination) => {
      await examination.scenes.settle()
      return judgePending(examination)
    },
  },
  'fetch.missed.is-422': expectUnavailable('missed', ['missedPstn', 'missedWhatsApp']),
  'fetch.rejected.is-422': expectUnavailable('rejected', ['rejectedPstn', 'rejectedWhatsApp']),
  'fetch.no-recording.is-422': expectUnavailable('not recorded', ['unrecordedPstn', 'unrecordedWhatsApp']),
  'fetch.nothing-said.is-422': expectUnavailable('silent', ['silentPstn', 'silentWhatsApp']),
  'fetch.other-key.whatsapp-call-is-404': {
    title: 'A key without permission for the number does not see its WhatsApp calls',
    ...expectForOther('WHATSAPP', 404),
  },
  'fetch.foreign-key.finds-no-pstn-call': expectUnseen('PSTN'),
  'fetch.foreign-key.finds-no-whatsapp-call': expectUnseen('WHATSAPP'),
  'fetch.foreign-key.missed-call-is-404': {
    title: 'A key of another organization does not learn that a call was missed',
    expected: 'status 404, as of a call that does not exist',
    needs: ['--play', '--foreign-key'],
    examine: examineAfter(
      'missedPstn',
      (callId) => expectStatus(404, () => buildFetch(callId, { key: 'foreign' })).examine,
    ),
  },
  'fetch.other-key.pstn-call-is-200': {
    title: 'Every key of the organization sees its PSTN calls',
    ...expectForOther('PSTN', 200),
  },
}

export const fetchRules: ServerRules = setDefaults(rules, { clause: '0011 (summary statuses)' })
