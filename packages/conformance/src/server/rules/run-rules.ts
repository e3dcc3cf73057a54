import { isDeepStrictEqual } from 'node:util'
import { CallSummary, endpoints } from '@wabakit/contract'
import { type ApiExchange, parseJson, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse } from '../lab.ts'
import type { ServerRules } from '../server-rule.ts'
import { findSummary, judgeFetched } from './fetch-rules.ts'
import { isStorable, judgeCall, judgeExchanges, judgeSummaries, toDigits } from './witness.ts'

/** Number of concurrent requests. */
const generated = 20

/** Returns whether a generated id is a word and the present time in milliseconds, and nothing else. */
const isTime = (id: string): boolean => {
  const [, digits] = /^\D*(\d{13})$/.exec(id) ?? []
  return digits !== undefined && Math.abs(Number(digits) - Date.now()) < 86_400_000
}

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

/** Returns the supplied group id of a successful create request, unless it has text that no server has to store. */
const readSuppliedId = ({ request: { body = '' }, response }: ApiExchange): string | undefined => {
  if (response.status !== 200 || !isStorable(body)) return undefined
  const groupId = readField(parseJson(body), 'groupId')
  return typeof groupId === 'string' ? groupId : undefined
}

/** Rules for responses that judge the whole run, or need what earlier checks have left behind. */
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
  'fetch.pending.is-json': {
    title: 'The response about a pending summary is JSON, if it has a body',
    clause: 'introduction: all bodies are JSON',
    expected: 'JSON, with content-type application/json',
    examine: judgeExchanges(
      'responses with status 202',
      ({ response }) => response.status === 202,
      ({ response: { json, text, headers } }) => {
        const type = headers.get('content-type') ?? 'no content-type'
        const isJson = json !== undefined && /^application\/json\s*(?:;|$)/i.test(type)
        return text === '' || isJson ? undefined : `${type}: ${text.slice(0, 200)}`
      },
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
      const requests = [request, request]
      const differ = new Set(ids).size === ids.length
      if (differ && ids.length > 1 && ids.every(isTime)) {
        const observed = `${ids[0]}: the time alone, which two requests of the same millisecond share`
        return { kept: undefined, observed, requests }
      }
      const kept = ids.length < 2 ? undefined : differ
      return { kept, observed: ids.join(', ') || 'no group was created', requests }
    },
  },
  'create.waba-number.pstn-number-is-400': {
    title: 'The number of PSTN calls is refused as a WABA number',
    clause: 'rule 1 of "Create WhatsApp group": wabaNumber matches an integration',
    expected: 'status 400',
    needs: ['--listen', '--play'],
    examine: async ({ lab, scenes }) => {
      const { callId } = await scenes.play('PSTN')
      await scenes.settle()
      const own = lab.listener?.webhooks.filter((each) => each.callId === callId) ?? []
      const number = String(own.map(({ json }) => readField(json, 'channelNumber')).find(Boolean) ?? '')
      if (number === '' || toDigits(number) === toDigits(lab.wabaNumber))
        return { kept: undefined, observed: 'the run knows no number of PSTN calls alone' }
      const sent = await lab.send(buildCreate(lab, { wabaNumber: number }))
      const isRefused = sent.response.status === 400
      const observed = describeResponse(sent)
      return {
        kept: isRefused || undefined,
        observed: isRefused ? observed : `${observed}: wrong, unless ${number} is a WABA number, too`,
        requests: [sent.request],
      }
    },
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
  'fetch.summary.again-is-the-same': {
    title: 'Summaries can be fetched again at any time, several at once',
    clause: '"Fetch call AI summary": the summary can be fetched at any time after it exists',
    expected: 'the same response as before',
    needs: ['--play'],
    examine: async ({ lab, scenes }) => {
      const calls: { readonly callId: string; readonly before: unknown }[] = []
      for (const name of ['PSTN', 'WHATSAPP', 'anotherWhatsApp'] as const) {
        const { callId, fetched } = await scenes.play(name)
        if (fetched?.response.status === 200) calls.push({ callId, before: fetched.response.json })
      }
      const fetchAgain = async ({ callId, before }: (typeof calls)[number]) => {
        const again = await lab.send(buildFetch(callId))
        return { again, isSame: isDeepStrictEqual(again.response.json, before) }
      }
      const fetched = await Promise.all(calls.map(fetchAgain))
      const [first] = fetched
      if (first === undefined) return { kept: undefined, observed: 'no summary was fetched' }
      const { again } = fetched.find(({ isSame }) => !isSame) ?? first
      return {
        kept: fetched.every(({ isSame }) => isSame),
        observed: describeResponse(again),
        requests: [again.request],
      }
    },
  },
  'fetch.summary.regenerated-is-200': {
    title: 'The summary of a call can be fetched after it was generated again',
    clause: '"Fetch call AI summary": the summary can be fetched at any time after it exists',
    expected: 'status 200',
    needs: ['--play', '--wabakit-control'],
    examine: judgeCall('regenerated', (call) => judgeFetched(call, 200)),
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
  'events.summary.arrives-when-requested': {
    title: 'CALL_AI_SUMMARY is published when a team member asks for the first summary of a call',
    clause: '"CALL_AI_SUMMARY", emitted when: 2',
    expected: 'CALL_AI_SUMMARY, and status 200 afterwards',
    severity: 'high',
    needs: ['--listen', '--play', '--wabakit-control'],
    examine: async (examination) => {
      await examination.scenes.settle()
      return judgeCall('requested', (call) => {
        const { kept, observed, requests } = judgeFetched(call, 200)
        const isPublished = call.summary !== undefined
        return {
          // A server may only know how to generate a summary again.
          kept: kept === true ? isPublished : undefined,
          observed: isPublished ? observed : `${observed}, but no CALL_AI_SUMMARY`,
          requests,
        }
      })(examination)
    },
  },
}
