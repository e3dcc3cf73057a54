import { STATUS_CODES } from 'node:http'
import { ErrorBody, type ErrorCode, endpoints, errorCodes, limits, reasonPhrases } from '@wabakit/contract'
import { type Defaulted, setDefaults } from '../../report/run-checks.ts'
import { type ApiExchange, type ApiRequest, type ApiResponse, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse, type Lab, type Need, unknownNumber } from '../lab.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import { judgeExchanges, judgeRequest } from './witness.ts'

type ErrorRule = Defaulted<ServerRule, 'clause'>

const judgeErrors = (isRight: (response: ApiResponse) => boolean): ServerRule['examine'] =>
  judgeExchanges(
    'error responses',
    ({ response }) => response.status >= 400,
    (exchange) => (isRight(exchange.response) ? undefined : describeResponse(exchange)),
  )

/** Number of requests without a response that are sent again. */
const maxRepeated = 3

/** Describes a response and the request that led to it. */
const describeExchange = (exchange: ApiExchange): string => {
  const { method, path, body = '' } = exchange.request
  return `${describeResponse(exchange)} to ${method} ${path.slice(0, 300)} ${body.slice(0, 300)}`.trimEnd()
}

const buildGet = (): ApiRequest => ({ method: 'GET', path: endpoints['groups.create'].path, key: 'api' })

/** A request that provokes each error, and the option it needs. */
const provocations: Partial<Record<ErrorCode, readonly [build: (lab: Lab) => ApiRequest, need?: Need]>> = {
  missing_api_key: [(lab) => buildCreate(lab, {}, { key: 'none' })],
  invalid_api_key: [(lab) => buildCreate(lab, {}, { key: 'unknown' })],
  invalid_subject: [(lab) => buildCreate(lab, { subject: '' })],
  invalid_description: [(lab) => buildCreate(lab, { description: 1 })],
  invalid_join_approval_mode: [(lab) => buildCreate(lab, { joinApprovalMode: 'open' })],
  invalid_group_id: [(lab) => buildCreate(lab, { groupId: '' })],
  invalid_waba_number: [(lab) => buildCreate(lab, { wabaNumber: '' })],
  integration_not_found: [(lab) => buildCreate(lab, { wabaNumber: unknownNumber })],
  malformed_json: [(lab) => buildCreate(lab, {}, { body: '{' })],
  invalid_body: [(lab) => buildCreate(lab, {}, { body: '[]' })],
  body_too_large: [(lab) => buildCreate(lab, {}, { body: ' '.repeat(limits.requestBodyMaxBytes + 1) })],
  unsupported_media_type: [(lab) => buildCreate(lab, {}, { contentType: 'text/plain' })],
  waba_number_not_permitted: [(lab) => buildCreate(lab, {}, { key: 'other' }), '--other-key'],
  integration_disabled: [(lab) => buildCreate(lab, { wabaNumber: lab.disabledNumber }), '--disabled-number'],
  invalid_call_id: [() => buildFetch('')],
  summary_not_found: [(lab) => buildFetch(lab.createGroupId())],
  route_not_found: [() => ({ method: 'GET', path: '/v1/call/nowhere', key: 'api' })],
  method_not_allowed: [buildGet],
}

const listCodeRules = () => {
  const rules = Object.entries(provocations).map(([code, [build, need]]): [string, ErrorRule] => {
    const expected = errorCodes[code as ErrorCode]
    const rule = {
      title: `The error ${code} is reported by its code and status`,
      expected: `status ${expected} with code ${code}`,
      needs: need === undefined ? [] : [need],
      examine: judgeRequest(build, ({ status, json }) =>
        status === 0 ? undefined : status === expected && readField(json, 'code') === code,
      ),
    }
    return [`errors.code.${code.replaceAll('_', '-')}`, rule]
  })
  return Object.fromEntries(rules)
}

/** Returns whether a phrase is the current one of a status (RFC 9110) or an older one, which many libraries use. */
const isPhrase = (phrase: unknown, status: number): boolean => {
  const phrases: Readonly<Record<number, string>> = reasonPhrases
  return phrase === phrases[status] || phrase === STATUS_CODES[status]
}

const rules: Readonly<Record<string, ErrorRule>> = {
  ...listCodeRules(),
  'errors.body.is-json': {
    title: 'Every error response is a JSON object',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    examine: judgeErrors(({ json, headers }) => {
      const isJson = /^application\/(?:problem\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
      return isJson && typeof json === 'object' && json !== null
    }),
  },
  'errors.body.has-the-documented-fields': {
    title: 'Every error response has statusCode, error, message and a code of the list',
    expected: 'statusCode, error, message, code',
    examine: judgeErrors(({ json }) => ErrorBody.safeParse(json).success),
  },
  'errors.body.status-code-is-the-status': {
    title: 'statusCode is the HTTP status',
    expected: 'equal numbers',
    examine: judgeErrors(({ json, status }) => readField(json, 'statusCode') === status),
  },
  'errors.body.error-is-the-reason-phrase': {
    title: 'error is the reason phrase of the status',
    expected: 'such as Bad Request',
    examine: judgeErrors(({ json, status }) => isPhrase(readField(json, 'error'), status)),
  },
  'errors.body.issues-name-the-field': {
    title: 'The response to an invalid field names the field',
    expected: 'issues with the path subject',
    examine: judgeRequest(
      (lab) => buildCreate(lab, { subject: '' }),
      ({ json }) => {
        const issues = readField(json, 'issues')
        return Array.isArray(issues) && issues.some((issue) => readField(issue, 'path') === 'subject')
      },
    ),
  },
  'errors.status.is-never-500': {
    title: 'No request makes the server fail, whatever its fields',
    clause: 'RFC 9110, section 15.6.1; "Errors": an invalid request has status 400',
    expected: 'another status than 500 to every request',
    severity: 'high',
    risk: 'A client believes that the service is broken and sends the same request again. An attacker finds what to exploit.',
    fix: 'Validate every field before you use it, and respond 400 to what you cannot store.',
    examine: judgeExchanges(
      'responses',
      // What a lone surrogate becomes depends on the parser of JSON.
      ({ request, response }) => response.status !== 0 && !/\\ud[89a-f]/i.test(request.body ?? ''),
      (exchange) => (exchange.response.status === 500 ? describeExchange(exchange) : undefined),
    ),
  },
  'errors.connection.is-not-closed': {
    title: 'Every request gets a response',
    clause: 'RFC 9110, section 3.3: a server responds to each request with a final response',
    expected: 'a response, also when the request is sent again',
    severity: 'high',
    risk: 'A client cannot tell whether its group was created, and sends the request again.',
    fix: 'Respond 400 to what you refuse, such as a long query, instead of closing the connection.',
    examine: async ({ lab }) => {
      const isShort = ({ request: { body = '' } }: ApiExchange): boolean =>
        body.length <= limits.requestBodyMaxBytes
      const silent = lab.exchanges.filter((each) => each.response.status === 0 && isShort(each))
      for (const { request } of silent.slice(0, maxRepeated)) {
        // A connection may be closed at any time. One that is closed each time was closed because of the request.
        const again = await lab.send(request)
        const other = await lab.send(buildCreate(lab, { subject: '' }))
        if (again.response.status === 0 && other.response.status !== 0)
          return { kept: false, observed: describeExchange(again), requests: [request] }
      }
      return {
        kept: silent.length > maxRepeated ? undefined : true,
        observed: `${lab.exchanges.length} requests`,
      }
    },
  },
  'errors.method-not-allowed.names-the-allowed': {
    title: 'A response with status 405 names the allowed method',
    expected: 'Allow: POST',
    examine: async ({ lab }) => {
      const { request, response } = await lab.send(buildGet())
      const allow = response.headers.get('allow')
      const kept = response.status === 405 ? /\bPOST\b/.test(allow ?? '') : undefined
      return { kept, observed: `${response.status}, Allow: ${allow}`, requests: [request] }
    },
  },
  'errors.request-id.is-present': {
    title: 'Every response has its own x-request-id',
    expected: 'x-request-id, different each time',
    examine: async ({ lab }) => {
      const seen = new Set<string>()
      for (const { request, response } of lab.exchanges) {
        const id = response.headers.get('x-request-id') ?? ''
        if (response.status === 0) continue
        if (id === '' || seen.has(id))
          return { kept: false, observed: id === '' ? 'no x-request-id' : `${id} twice`, requests: [request] }
        seen.add(id)
      }
      return { kept: true, observed: `${seen.size} different ids` }
    },
  },
  'errors.key.is-not-repeated': {
    title: 'No response repeats a key',
    clause: '0005 (keys are kept as hashes)',
    expected: 'responses without keys',
    examine: async ({ lab }) => {
      const telling = lab.exchanges.find(({ response: { text, headers } }) =>
        lab.hasKey([text, ...headers.values()].join('\n')),
      )
      return {
        kept: telling === undefined,
        observed: telling === undefined ? 'no response has it' : 'a response has it',
        requests: telling && [telling.request],
      }
    },
  },
}

/** Rules for error responses. They run after the rules that provoke errors, because they judge all error responses. */
export const errorRules: ServerRules = setDefaults(rules, { clause: '0010 (error body)' })
