import { type EndpointName, type ErrorCode, type ErrorStatus, endpoints, errorCodes } from '@wabakit/wire'
import { reasonPhrases } from '../error-body.ts'
import { buildErrorExample, endpointErrors, explainError } from './errors.ts'
import { createGroupRequestExample, createGroupResponseExample, publishedExamples } from './examples.ts'
import { createRef, type JsonObject } from './json-schemas.ts'

export const describeJson = (schema: JsonObject, examples: JsonObject): JsonObject => ({
  'application/json': { schema, examples },
})

const commonHeaders = {
  'x-request-id': createRef('headers', 'x-request-id'),
  RateLimit: createRef('headers', 'RateLimit'),
  'RateLimit-Policy': createRef('headers', 'RateLimit-Policy'),
}

/** Additional response headers by status. */
const headersByStatus: { readonly [status: number]: JsonObject } = {
  202: { 'Retry-After': createRef('headers', 'Retry-After') },
  401: { 'WWW-Authenticate': createRef('headers', 'WWW-Authenticate') },
  429: { 'Retry-After': createRef('headers', 'Retry-After') },
  503: {
    'Retry-After': {
      description: 'Seconds to wait; only with `storage_unavailable`.',
      schema: { type: 'integer', minimum: 0 },
    },
  },
}

const describeSuccess = (description: string, schema: string, value: JsonObject): JsonObject => ({
  200: {
    description,
    headers: commonHeaders,
    content: describeJson(createRef('schemas', schema), { success: { value } }),
  },
})

const describeFailure = (status: ErrorStatus, codes: readonly ErrorCode[]): JsonObject => ({
  description: [
    `${reasonPhrases[status]}.`,
    ...codes.map((code) => `- \`${code}\`: ${explainError(code).meaning} ${explainError(code).remedy}`),
  ].join('\n'),
  headers: { ...commonHeaders, ...headersByStatus[status] },
  content: describeJson(
    { type: 'object', allOf: [createRef('schemas', 'ErrorBody')], properties: { code: { enum: codes } } },
    Object.fromEntries(codes.map((code) => [code, { value: buildErrorExample(code) }])),
  ),
})

const describeFailures = (endpoint: EndpointName): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(endpointErrors[endpoint], (code) => errorCodes[code])].map(([status, codes]) => [
      status,
      describeFailure(status, codes),
    ]),
  )

const { event: _, ...summaryRecordExample } = publishedExamples.CALL_AI_SUMMARY

export const buildPaths = (): JsonObject => ({
  [endpoints['groups.create'].path]: {
    post: {
      operationId: 'createGroup',
      tags: ['Groups'],
      summary: 'Create a WhatsApp group',
      description:
        'Creates a group on a WABA number and sends GROUP_CREATED. All webhooks about the group carry the `groupId` of the response. A request with a `groupId` is idempotent: sending it again returns the same response and creates nothing.',
      parameters: [createRef('parameters', 'traceparent')],
      requestBody: {
        required: true,
        description: 'A JSON object in UTF-8, at most 64 KiB.',
        content: describeJson(createRef('schemas', 'CreateGroupRequest'), {
          request: { value: createGroupRequestExample },
        }),
      },
      responses: {
        ...describeSuccess('The group was created.', 'CreateGroupResponse', createGroupResponseExample),
        ...describeFailures('groups.create'),
      },
    },
  },
  [endpoints['calls.getSummary'].path]: {
    get: {
      operationId: 'getCallSummary',
      tags: ['Calls'],
      summary: 'Fetch the AI summary of a call',
      description:
        'Returns the summary of a call, with the facts of the call, as CALL_AI_SUMMARY sends them.',
      parameters: [
        {
          name: 'callId',
          in: 'query',
          required: true,
          description: 'The `callId` from the webhooks of the call.',
          schema: {
            type: 'string',
            minLength: 1,
            maxLength: 255,
            pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
          },
          example: publishedExamples.CALL_AI_SUMMARY.callId,
        },
      ],
      responses: {
        ...describeSuccess('The summary and the facts of the call.', 'SummaryRecord', summaryRecordExample),
        ...describeFailures('calls.getSummary'),
      },
    },
  },
})
