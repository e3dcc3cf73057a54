import { type EndpointName, endpoints } from '../endpoints.ts'
import { type ErrorCode, type ErrorStatus, errorCodes } from '../error-codes.ts'
import { reasonPhrases } from '../reason-phrases.ts'
import { endpointErrors, errorExample, explain } from './errors.ts'
import { createGroupRequestExample, createGroupResponseExample, emittedExamples } from './examples.ts'
import { json, ref } from './openapi-parts.ts'
import type { JsonObject } from './schemas.ts'

const requestId = { 'x-request-id': ref('headers', 'x-request-id') }

/** The headers that answers of a status carry besides `x-request-id`. */
const headersByStatus: { readonly [status: number]: JsonObject } = {
  202: { 'Retry-After': ref('headers', 'Retry-After') },
  401: { 'WWW-Authenticate': ref('headers', 'WWW-Authenticate') },
  429: {
    'Retry-After': ref('headers', 'Retry-After'),
    RateLimit: ref('headers', 'RateLimit'),
    'RateLimit-Policy': ref('headers', 'RateLimit-Policy'),
  },
  503: { 'Retry-After': ref('headers', 'Retry-After') },
}

const success = (description: string, schema: string, value: JsonObject): JsonObject => ({
  200: { description, headers: requestId, content: json(ref('schemas', schema), { success: { value } }) },
})

const failure = (status: ErrorStatus, codes: readonly ErrorCode[]): JsonObject => ({
  description: [
    `${reasonPhrases[status]}.`,
    ...codes.map((code) => `- \`${code}\`: ${explain(code).meaning} ${explain(code).remedy}`),
  ].join('\n'),
  headers: { ...requestId, ...headersByStatus[status] },
  content: json(
    { type: 'object', allOf: [ref('schemas', 'ErrorBody')], properties: { code: { enum: codes } } },
    Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
  ),
})

const failures = (endpoint: EndpointName): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(endpointErrors[endpoint], (code) => errorCodes[code])].map(([status, codes]) => [
      status,
      failure(status, codes),
    ]),
  )

const { event: _, ...summaryRecordExample } = emittedExamples.CALL_AI_SUMMARY

const operations = (): { readonly [Name in EndpointName]: JsonObject } => ({
  'groups.create': {
    operationId: 'createGroup',
    summary: 'Create a WhatsApp group',
    description:
      'Creates a group on a WABA number. A GROUP_CREATED webhook follows. The `groupId` of the response is the key that joins it to the webhooks of the group. A request that names a `groupId` can be repeated safely: the same request again has the same response, and creates nothing.',
    requestBody: {
      required: true,
      description: 'At most 64 KiB of JSON in UTF-8.',
      content: json(ref('schemas', 'CreateGroupRequest'), { request: { value: createGroupRequestExample } }),
    },
    responses: {
      ...success('The group was created.', 'CreateGroupResponse', createGroupResponseExample),
      ...failures('groups.create'),
    },
  },
  'calls.getSummary': {
    operationId: 'getCallSummary',
    summary: 'Fetch the AI summary of a call',
    description: 'Answers at any time after the summary exists.',
    parameters: [
      {
        name: 'callId',
        in: 'query',
        required: true,
        description: 'The `callId` of the webhooks of the call.',
        schema: {
          type: 'string',
          minLength: 1,
          maxLength: 255,
          pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
        },
        example: emittedExamples.CALL_AI_SUMMARY.callId,
      },
    ],
    responses: {
      ...success('The summary, with the facts of its call.', 'SummaryRecord', summaryRecordExample),
      ...failures('calls.getSummary'),
    },
  },
})

/** The two endpoints with all their answers, by path. */
export const openApiPaths = (): JsonObject => {
  const byName = operations()
  const pathOf = (name: EndpointName): [string, JsonObject] => {
    const { method, path } = endpoints[name]
    return [path, { [method.toLowerCase()]: byName[name] }]
  }
  return Object.fromEntries([pathOf('groups.create'), pathOf('calls.getSummary')])
}
