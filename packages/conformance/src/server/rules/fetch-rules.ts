import { isDeepStrictEqual } from 'node:util'
import { CallSummary } from '@wabakit/contract'
import { type ApiRequest, readField } from '../api/api-request.ts'
import type { AnsweredCall, UnansweredCall, UnansweredOutcome } from '../calls/call-scenes.ts'
import { buildFetch, describeResponse, type Need } from '../lab.ts'
import type { Examination, Observation, Rule } from '../rule.ts'

const statuses = { clause: '0017 (summary statuses)', decision: true } as const
const fetchable = '"Fetch call AI summary": the summary can be fetched at any time after it exists'
const calls: readonly Need[] = ['--play']

const judgeStatus = async (
  { lab }: Examination,
  { request, status }: { request: ApiRequest; status: number },
): Promise<Observation> => {
  const sent = await lab.send(request)
  const received = sent.response.status
  const kept = received === 429 ? undefined : received === status
  return { kept, observed: describeResponse(sent), requests: [request] }
}

const judgeFetched = ({ callId, failure, fetched }: UnansweredCall, status: number): Observation => {
  if (fetched === undefined) return { kept: undefined, observed: failure ?? 'the call was not made' }
  return {
    kept: fetched.response.status === status,
    observed: describeResponse(fetched),
    requests: [buildFetch(callId)],
  }
}

const judgeBoth = async (
  { scenes }: Examination,
  judge: (call: AnsweredCall) => Observation,
): Promise<Observation> => {
  const found = [judge(await scenes.answered('PSTN')), judge(await scenes.answered('WHATSAPP'))]
  return (
    found.find(({ kept }) => kept === false) ??
    found.find(({ kept }) => kept) ??
    found[0] ?? { kept: undefined, observed: '' }
  )
}

/** Finds the summary in a response: bare, or wrapped in `summary` or `data`. */
const findSummary = (json: unknown): unknown => {
  const candidates = [
    json,
    readField(json, 'summary'),
    readField(json, 'data'),
    readField(readField(json, 'data'), 'summary'),
  ]
  return candidates.find((each) => typeof readField(each, 'recap') === 'string')
}

const unavailable: Readonly<Record<UnansweredOutcome, string>> = {
  missed: 'missed',
  rejected: 'rejected',
  not_picked: 'not picked',
  no_recording: 'not recorded',
  nothing_said: 'silent',
}

/** Rules of the fetch endpoint. */
export const fetchRules: readonly Rule[] = [
  ...(['none', 'unknown', 'empty'] as const).map(
    (key): Rule => ({
      id: `fetch.key.${key === 'none' ? 'missing' : key}-is-401`,
      title: `A fetch with ${key === 'none' ? 'no' : `an ${key}`} key is refused`,
      clause: 'rule 2 of "Authentication"',
      expected: 'status 401',
      severity: 'critical',
      examine: (examination) =>
        judgeStatus(examination, { request: buildFetch('check', { key }), status: 401 }),
    }),
  ),
  {
    id: 'fetch.call-id.missing-is-400',
    title: 'A fetch without callId is refused',
    ...statuses,
    expected: 'status 400',
    examine: (examination) => judgeStatus(examination, { request: buildFetch(undefined), status: 400 }),
  },
  {
    id: 'fetch.call-id.empty-is-400',
    title: 'A fetch with an empty callId is refused',
    ...statuses,
    expected: 'status 400',
    examine: (examination) => judgeStatus(examination, { request: buildFetch(''), status: 400 }),
  },
  {
    id: 'fetch.call-id.256-is-400',
    title: 'A callId of 256 characters is refused',
    clause: '0055 (identifiers have at most 255 characters)',
    decision: true,
    expected: 'status 400',
    examine: (examination) => judgeStatus(examination, { request: buildFetch('c'.repeat(256)), status: 400 }),
  },
  {
    id: 'fetch.call-id.unknown-is-404',
    title: 'A call that nobody knows is not found',
    ...statuses,
    expected: 'status 404',
    examine: (examination) =>
      judgeStatus(examination, { request: buildFetch(examination.lab.createGroupId()), status: 404 }),
  },
  {
    id: 'fetch.summary.is-200',
    title: 'A summary can be fetched once it exists',
    clause: fetchable,
    expected: 'status 200',
    severity: 'high',
    needs: calls,
    examine: (examination) => judgeBoth(examination, (call) => judgeFetched(call, 200)),
  },
  {
    id: 'fetch.summary.is-json',
    title: 'The fetched summary is JSON and says so',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    needs: calls,
    examine: (examination) =>
      judgeBoth(examination, ({ fetched, callId, failure }) => {
        if (fetched?.response.status !== 200)
          return { kept: undefined, observed: failure ?? 'no summary was fetched' }
        const type = fetched.response.headers.get('content-type') ?? 'no content-type'
        const kept = fetched.response.json !== undefined && /^application\/json\b/i.test(type)
        return { kept, observed: type, requests: [buildFetch(callId)] }
      }),
  },
  {
    id: 'fetch.summary.has-all-parts',
    title: 'The fetched summary has recap, keyPoints and nextSteps',
    clause: '"Summary object"',
    expected: 'recap: string, keyPoints and nextSteps: arrays of strings',
    severity: 'high',
    needs: calls,
    examine: (examination) =>
      judgeBoth(examination, ({ fetched, callId, failure }) => {
        if (fetched?.response.status !== 200)
          return { kept: undefined, observed: failure ?? 'no summary was fetched' }
        const kept = CallSummary.safeParse(findSummary(fetched.response.json)).success
        return { kept, observed: describeResponse(fetched), requests: [buildFetch(callId)] }
      }),
  },
  {
    id: 'fetch.summary.equals-event',
    title: 'The fetched summary is the one of CALL_AI_SUMMARY',
    clause: '"What the service does", rule 3: the same summary can be fetched',
    expected: 'the same recap, keyPoints and nextSteps',
    severity: 'high',
    needs: ['--listen', '--play'],
    examine: (examination) =>
      judgeBoth(examination, ({ fetched, summary, callId, failure }) => {
        if (fetched?.response.status !== 200 || summary === undefined) {
          return {
            kept: undefined,
            observed: failure ?? 'no summary was fetched, or no CALL_AI_SUMMARY arrived',
          }
        }
        const sent = readField(summary.json, 'summary')
        const found = findSummary(fetched.response.json)
        const kept = (['recap', 'keyPoints', 'nextSteps'] as const).every((part) =>
          isDeepStrictEqual(readField(found, part), readField(sent, part)),
        )
        const observed = kept ? 'equal' : `event ${JSON.stringify(sent)}, fetched ${JSON.stringify(found)}`
        return { kept, observed, requests: [buildFetch(callId)] }
      }),
  },
  {
    id: 'fetch.summary.is-the-event-without-its-name',
    title: 'The fetched record is the payload of CALL_AI_SUMMARY without event',
    clause: '0016 (summary response)',
    decision: true,
    expected: 'every field of the event except event',
    needs: ['--listen', '--play'],
    examine: (examination) =>
      judgeBoth(examination, ({ fetched, summary, callId, failure }) => {
        if (fetched?.response.status !== 200 || typeof summary?.json !== 'object') {
          return {
            kept: undefined,
            observed: failure ?? 'no summary was fetched, or no CALL_AI_SUMMARY arrived',
          }
        }
        const { event: _, ...payload } = { event: '', ...summary.json }
        const kept = isDeepStrictEqual(fetched.response.json, payload)
        const observed = kept ? 'equal' : `event ${summary.text}, fetched ${fetched.response.text}`
        return { kept, observed, requests: [buildFetch(callId)] }
      }),
  },
  {
    id: 'fetch.summary.again-is-the-same',
    title: 'A summary can be fetched again',
    clause: fetchable,
    expected: 'the same response as before',
    needs: calls,
    examine: async (examination) => {
      const { fetched, callId, failure } = await examination.scenes.answered('PSTN')
      if (fetched?.response.status !== 200)
        return { kept: undefined, observed: failure ?? 'no summary was fetched' }
      const again = await examination.lab.send(buildFetch(callId))
      const kept = isDeepStrictEqual(again.response.json, fetched.response.json)
      return { kept, observed: describeResponse(again), requests: [again.request] }
    },
  },
  {
    id: 'fetch.in-progress.is-202',
    title: 'A fetch during the call says that the summary is pending',
    ...statuses,
    expected: 'status 202',
    needs: ['--listen', '--play'],
    examine: (examination) =>
      judgeBoth(examination, ({ inProgress }) => {
        if (inProgress === undefined || inProgress.response.status === 200) {
          return { kept: undefined, observed: 'every call was over before its summary could be fetched' }
        }
        const kept = inProgress.response.status === 202
        return { kept, observed: describeResponse(inProgress), requests: [inProgress.request] }
      }),
  },
  {
    id: 'fetch.in-progress.retry-after',
    title: 'A pending summary says when to fetch it again',
    ...statuses,
    expected: 'Retry-After with whole seconds',
    needs: ['--listen', '--play'],
    examine: (examination) =>
      judgeBoth(examination, ({ inProgress }) => {
        if (inProgress?.response.status !== 202)
          return { kept: undefined, observed: 'no response with status 202' }
        const retryAfter = inProgress.response.headers.get('retry-after')
        return {
          kept: /^\d+$/.test(retryAfter ?? ''),
          observed: `Retry-After: ${retryAfter}`,
          requests: [inProgress.request],
        }
      }),
  },
  ...Object.entries(unavailable).map(
    ([outcome, words]): Rule => ({
      id: `fetch.${outcome.replaceAll('_', '-')}.is-422`,
      title: `A call that was ${words} can never have a summary`,
      ...statuses,
      expected: 'status 422',
      needs: calls,
      examine: async ({ scenes }) => judgeFetched(await scenes.unanswered(outcome as UnansweredOutcome), 422),
    }),
  ),
  {
    id: 'fetch.other-key.whatsapp-call-is-404',
    title: 'A key without permission for the number does not see its WhatsApp calls',
    ...statuses,
    expected: 'status 404',
    needs: ['--play', '--other-key'],
    examine: async (examination) => {
      const { callId, failure } = await examination.scenes.answered('WHATSAPP')
      if (failure !== undefined) return { kept: undefined, observed: failure }
      return judgeStatus(examination, { request: buildFetch(callId, { key: 'other' }), status: 404 })
    },
  },
  {
    id: 'fetch.other-key.pstn-call-is-200',
    title: 'Every key of the organization sees its PSTN calls',
    ...statuses,
    expected: 'status 200',
    needs: ['--play', '--other-key'],
    examine: async (examination) => {
      const { callId, failure } = await examination.scenes.answered('PSTN')
      if (failure !== undefined) return { kept: undefined, observed: failure }
      return judgeStatus(examination, { request: buildFetch(callId, { key: 'other' }), status: 200 })
    },
  },
]
