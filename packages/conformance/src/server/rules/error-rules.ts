import { ErrorBody, type ErrorCode, endpoints, errorCodes, limits, reasonPhrases } from '@wabakit/contract'
import { type ApiRequest, type ApiResponse, readField } from '../api/api-request.ts'
import { buildCreate, buildFetch, describeResponse, type Lab, type Need } from '../lab.ts'
import type { Rule } from '../rule.ts'

const body = '0014 (error body)'

/** Judges all error responses of the run. */
const judgeErrors =
  (isRight: (response: ApiResponse) => boolean): Rule['examine'] =>
  async ({ lab }) => {
    const errors = lab.exchanges.filter(({ response }) => response.status >= 400)
    const wrong = errors.find(({ response }) => !isRight(response))
    if (wrong !== undefined)
      return { kept: false, observed: describeResponse(wrong), requests: [wrong.request] }
    return { kept: errors.length === 0 ? undefined : true, observed: `${errors.length} error responses` }
  }

const buildGet = (): ApiRequest => ({ method: 'GET', path: endpoints['groups.create'].path, key: 'api' })

/** A request that provokes each error, and the option it needs. */
const codeRules: Partial<Record<ErrorCode, readonly [build: (lab: Lab) => ApiRequest, need?: Need]>> = {
  missing_api_key: [(lab) => buildCreate(lab, {}, { key: 'none' })],
  invalid_api_key: [(lab) => buildCreate(lab, {}, { key: 'unknown' })],
  invalid_subject: [(lab) => buildCreate(lab, { subject: '' })],
  invalid_description: [(lab) => buildCreate(lab, { description: 1 })],
  invalid_join_approval_mode: [(lab) => buildCreate(lab, { joinApprovalMode: 'open' })],
  invalid_group_id: [(lab) => buildCreate(lab, { groupId: '' })],
  invalid_waba_number: [(lab) => buildCreate(lab, { wabaNumber: '' })],
  integration_not_found: [(lab) => buildCreate(lab, { wabaNumber: '+19995550000' })],
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

const toCodeRule = ([code, [build, need]]: [string, NonNullable<(typeof codeRules)[ErrorCode]>]): Rule => ({
  id: `errors.code.${code.replaceAll('_', '-')}`,
  title: `The error ${code} is reported by its code and status`,
  clause: body,
  expected: `status ${errorCodes[code as ErrorCode]} with code ${code}`,
  needs: need === undefined ? [] : [need],
  examine: async ({ lab }) => {
    const sent = await lab.send(build(lab))
    const { status, json } = sent.response
    const kept = status === errorCodes[code as ErrorCode] && readField(json, 'code') === code
    return {
      kept: status === 0 ? undefined : kept,
      observed: describeResponse(sent),
      requests: [sent.request],
    }
  },
})

const findPhrase = (status: number): string | undefined =>
  Object.entries(reasonPhrases).find(([each]) => Number(each) === status)?.[1]

/** Rules for error responses. They follow the rules that provoke errors, because they judge all error responses. */
export const errorRules: readonly Rule[] = [
  ...Object.entries(codeRules).map(toCodeRule),
  {
    id: 'errors.body.is-json',
    title: 'Every error response is a JSON object',
    clause: 'introduction: all bodies are JSON',
    expected: 'a JSON object, with content-type application/json',
    examine: judgeErrors(({ json, headers }) => {
      const isJson = /^application\/(?:problem\+)?json\b/i.test(headers.get('content-type') ?? '')
      return isJson && typeof json === 'object' && json !== null
    }),
  },
  {
    id: 'errors.body.has-the-documented-fields',
    title: 'Every error response has statusCode, error, message and a code of the list',
    clause: body,
    expected: 'statusCode, error, message, code',
    examine: judgeErrors(({ json }) => ErrorBody.safeParse(json).success),
  },
  {
    id: 'errors.body.status-code-is-the-status',
    title: 'statusCode is the HTTP status',
    clause: body,
    expected: 'equal numbers',
    examine: judgeErrors(({ json, status }) => readField(json, 'statusCode') === status),
  },
  {
    id: 'errors.body.error-is-the-reason-phrase',
    title: 'error is the reason phrase of the status',
    clause: body,
    expected: 'such as Bad Request',
    examine: judgeErrors(({ json, status }) => readField(json, 'error') === findPhrase(status)),
  },
  {
    id: 'errors.body.issues-name-the-field',
    title: 'The response to an invalid field names the field',
    clause: body,
    expected: 'issues with the path subject',
    examine: async ({ lab }) => {
      const sent = await lab.send(buildCreate(lab, { subject: '' }))
      const issues = readField(sent.response.json, 'issues')
      const kept = Array.isArray(issues) && issues.some((issue) => readField(issue, 'path') === 'subject')
      return { kept, observed: describeResponse(sent), requests: [sent.request] }
    },
  },
  {
    id: 'errors.method-not-allowed.names-the-allowed',
    title: 'A response with status 405 names the allowed method',
    clause: body,
    expected: 'Allow: POST',
    examine: async ({ lab }) => {
      const { request, response } = await lab.send(buildGet())
      const allow = response.headers.get('allow')
      const kept = response.status === 405 ? /\bPOST\b/.test(allow ?? '') : undefined
      return { kept, observed: `${response.status}, Allow: ${allow}`, requests: [request] }
    },
  },
  {
    id: 'errors.request-id.is-present',
    title: 'Every response has its own x-request-id',
    clause: body,
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
  {
    id: 'errors.key.is-not-repeated',
    title: 'No response repeats the key',
    clause: '0007 (keys are kept as hashes)',
    expected: 'responses without the key',
    examine: async ({ lab }) => {
      const telling = lab.exchanges.find(({ response }) =>
        response.text.includes('wk_unknown_key_0000000000'),
      )
      return {
        kept: telling === undefined,
        observed: telling === undefined ? 'no response has it' : 'a response has it',
        requests: telling && [telling.request],
      }
    },
  },
]
