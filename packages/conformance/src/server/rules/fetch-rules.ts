import { isDeepStrictEqual } from 'node:util'
import { CallSummary } from '@wabakit/contract'
import { type ApiRequest, readField } from '../api/api-request.ts'
import type { AnsweredCall, UnansweredCall, UnansweredOutcome } from '../calls/call-scenes.ts'
import { buildFetch, describeResponse, type Lab, type Need } from '../lab.ts'
import type { Observation, Rule } from '../rule.ts'
import { judgeCall, judgeCalls } from './witness.ts'

const statuses = '0017 (summary statuses)'
const fetchable = '"Fetch call AI summary": the summary can be fetched at any time after it exists'
const calls: readonly Need[] = ['--play']
const webhooks: readonly Need[] = ['--listen', '--play']

const expectStatus = (
  status: number,
  build: (lab: Lab) => ApiRequest,
): Pick<Rule, 'expected' | 'examine'> => ({
  expected: `status ${status}`,
  examine: async ({ lab }) => {
    const sent = await lab.send(build(lab))
    const received = sent.response.status
    const kept = received === 429 ? undefined : received === status
    return { kept, observed: describeResponse(sent), requests: [sent.request] }
  },
})

/** Judges the status of the response to a fetch of a call's summary. */
export const judgeFetched = ({ callId, fetched }: UnansweredCall, status: number): Observation => ({
  kept: fetched && fetched.response.status === status,
  observed: fetched === undefined ? 'the call was not made' : describeResponse(fetched),
  requests: [buildFetch(callId)],
})

/** Judges the fetched summaries of both channels. */
const judgeSummary = (
  judge: (json: unknown, call: AnsweredCall) => Omit<Observation, 'requests'>,
): Rule['examine'] =>
  judgeCalls((call) => {
    if (call.fetched?.response.status !== 200) return { kept: undefined, observed: 'no summary was fetched' }
    return { ...judge(call.fetched.response.json, call), requests: [buildFetch(call.callId)] }
  })

/** Judges whether parts of a fetched summary equal those of its event. */
const judgeEqual = (read: (json: unknown, from: 'event' | 'response') => unknown): Rule['examine'] =>
  judgeSummary((json, { summary }) => {
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

const isPositive = (seconds: string | null): boolean => /^[1-9]\d*$/.test(seconds ?? '')

const readParts = (summary: unknown): unknown[] =>
  ['recap', 'keyPoints', 'nextSteps'].map((part) => readField(summary, part))

/** Judges fetching a call on either channel with the key that may not use the WABA number. */
const asOther = (
  channel: 'PSTN' | 'WHATSAPP',
  status: number,
): Pick<Rule, 'expected' | 'needs' | 'examine'> => ({
  expected: `status ${status}`,
  needs: ['--play', '--other-key'],
  examine: async ({ lab, scenes }) => {
    const { callId, failure } = await scenes.play(channel)
    if (failure !== undefined) return { kept: undefined, observed: failure }
    return expectStatus(status, () => buildFetch(callId, { key: 'other' })).examine({ lab, scenes })
  },
})

const unavailable: Readonly<Record<UnansweredOutcome, string>> = {
  missed: 'missed',
  rejected: 'rejected',
  not_picked: 'not picked',
  no_recording: 'not recorded',
  nothing_said: 'silent',
}

export const fetchRules: readonly Rule[] = [
  ...(['none', 'unknown', 'empty'] as const).map(
    (key): Rule => ({
      id: `fetch.key.${key === 'none' ? 'missing' : key}-is-401`,
      title: `A fetch with ${key === 'none' ? 'no' : `an ${key}`} key is refused`,
      clause: 'rule 2 of "Authentication"',
      severity: 'critical',
      ...expectStatus(401, () => buildFetch('check', { key })),
    }),
  ),
  {
    id: 'fetch.call-id.missing-is-400',
    title: 'A fetch without callId is refused',
    clause: statuses,
    ...expectStatus(400, () => buildFetch(undefined)),
  },
  {
    id: 'fetch.call-id.empty-is-400',
    title: 'A fetch with an empty callId is refused',
    clause: statuses,
    ...expectStatus(400, () => buildFetch('')),
  },
  {
    id: 'fetch.call-id.256-is-400',
    title: 'A callId of 256 characters is refused',
    clause: '0055 (identifiers have at most 255 characters)',
    ...expectStatus(400, () => buildFetch('c'.repeat(256))),
  },
  {
    id: 'fetch.call-id.unknown-is-404',
    title: 'A call that does not exist is not found',
    clause: statuses,
    ...expectStatus(404, (lab) => buildFetch(lab.createGroupId())),
  },
  {
    id: 'fetch.summary.is-200',
    title: 'A summary can be fetched once it exists',
    clause: fetchable,
    expected: 'status 200',
    severity: 'high',
    needs: calls,
    examine: judgeCalls((call) => judgeFetched(call, 200)),
  },
  {
    id: 'fetch.summary.is-json',
    title: 'The fetched summary is JSON, and its content type is application/json',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    needs: calls,
    examine: judgeSummary((json, { fetched }) => {
      const type = fetched?.response.headers.get('content-type') ?? 'no content-type'
      return { kept: json !== undefined && /^application\/json\b/i.test(type), observed: type }
    }),
  },
  {
    id: 'fetch.summary.has-all-parts',
    title: 'The fetched summary has recap, keyPoints and nextSteps',
    clause: '"Summary object"',
    expected: 'recap: string, keyPoints and nextSteps: arrays of strings',
    severity: 'high',
    needs: calls,
    examine: judgeSummary((json, { fetched }) => ({
      kept: CallSummary.safeParse(findSummary(json)).success,
      observed: fetched === undefined ? '' : describeResponse(fetched),
    })),
  },
  {
    id: 'fetch.summary.equals-event',
    title: 'The fetched summary is the one of CALL_AI_SUMMARY',
    clause: '"What the service does", rule 3: the same summary can be fetched',
    expected: 'the same recap, keyPoints and nextSteps',
    severity: 'high',
    needs: webhooks,
    examine: judgeEqual((json, from) =>
      readParts(from === 'event' ? readField(json, 'summary') : findSummary(json)),
    ),
  },
  {
    id: 'fetch.summary.is-the-event-without-its-name',
    title: 'The fetched record is the payload of CALL_AI_SUMMARY without event',
    clause: '0016 (summary response)',
    expected: 'every field of the event except event',
    needs: webhooks,
    examine: judgeEqual((json, from) => {
      if (from === 'response' || typeof json !== 'object' || json === null) return json
      const { event: _, ...payload } = { event: '', ...json }
      return payload
    }),
  },
  {
    id: 'fetch.summary.again-is-the-same',
    title: 'A summary can be fetched again',
    clause: fetchable,
    expected: 'the same response as before',
    needs: calls,
    examine: async ({ lab, scenes }) => {
      const { fetched, callId, failure } = await scenes.play('PSTN')
      if (fetched?.response.status !== 200)
        return { kept: undefined, observed: failure ?? 'no summary was fetched' }
      const again = await lab.send(buildFetch(callId))
      const kept = isDeepStrictEqual(again.response.json, fetched.response.json)
      return { kept, observed: describeResponse(again), requests: [again.request] }
    },
  },
  {
    id: 'fetch.in-progress.is-202',
    title: 'A fetch during the call reports that the summary is pending',
    clause: statuses,
    expected: 'status 202',
    needs: webhooks,
    examine: judgeCalls(({ inProgress }) => {
      if (inProgress === undefined || inProgress.response.status === 200)
        return { kept: undefined, observed: 'every call was over before its summary could be fetched' }
      const kept = inProgress.response.status === 202
      return { kept, observed: describeResponse(inProgress), requests: [inProgress.request] }
    }),
  },
  {
    id: 'fetch.in-progress.retry-after',
    title: 'The response about a pending summary has a Retry-After',
    clause: 'RFC 9110, section 10.2.3 (decision 0017)',
    expected: 'Retry-After with whole seconds, 1 or more',
    needs: webhooks,
    examine: async ({ lab, scenes }) => {
      await scenes.settle()
      const pending = lab.exchanges.filter(({ response }) => response.status === 202)
      const wrong = pending.find(({ response }) => !isPositive(response.headers.get('retry-after')))
      if (wrong === undefined) {
        const kept = pending.length === 0 ? undefined : true
        return { kept, observed: `${pending.length} responses with status 202` }
      }
      const retryAfter = wrong.response.headers.get('retry-after')
      return { kept: false, observed: `Retry-After: ${retryAfter}`, requests: [wrong.request] }
    },
  },
  ...Object.entries(unavailable).map(
    ([outcome, words]): Rule => ({
      id: `fetch.${outcome.replaceAll('_', '-')}.is-422`,
      title: `A call that was ${words} can never have a summary`,
      clause: statuses,
      expected: 'status 422',
      needs: calls,
      examine: judgeCall(outcome as UnansweredOutcome, (call) => judgeFetched(call, 422)),
    }),
  ),
  {
    id: 'fetch.other-key.whatsapp-call-is-404',
    title: 'A key without permission for the number does not see its WhatsApp calls',
    clause: statuses,
    ...asOther('WHATSAPP', 404),
  },
  {
    id: 'fetch.other-key.pstn-call-is-200',
    title: 'Every key of the organization sees its PSTN calls',
    clause: statuses,
    ...asOther('PSTN', 200),
  },
]
