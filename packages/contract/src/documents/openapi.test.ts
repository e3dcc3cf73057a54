import { Validator } from '@seriousme/openapi-schema-validator'
import { type EndpointName, type ErrorCode, endpoints, errorCodes, isErrorCode } from '@wabakit/wire'
import { expect, test } from 'vitest'
import { createAjv } from '../../test/ajv.ts'
import { publishedEventNames } from '../published-event.ts'
import { createAsyncApiDocument } from './asyncapi.ts'
import { endpointErrors } from './errors.ts'
import { createOpenApiDocument } from './openapi.ts'

/** Returns a place in the document, following references. */
const at = (document: unknown, ...path: string[]): unknown => {
  let value = document
  for (const key of path) {
    value = Object.entries(value ?? {}).find(([name]) => name === key)?.[1]
    const { $ref } = (value ?? {}) as { $ref?: string }
    if ($ref !== undefined) value = at(document, ...$ref.slice(2).split('/'))
  }
  return value
}

const document = createOpenApiDocument()

const endpointNames: readonly EndpointName[] = ['groups.create', 'calls.getSummary']

const operation = (name: EndpointName, ...path: string[]): unknown => {
  const { method, path: url } = endpoints[name]
  return at(document, 'paths', url, method.toLowerCase(), ...path)
}

const statuses = (name: EndpointName): string[] => Object.keys(Object(operation(name, 'responses')))

const listCodes = (name: EndpointName, status: string): readonly ErrorCode[] =>
  endpointErrors[name].filter((code) => String(errorCodes[code]) === status)

const listHeaders = (name: EndpointName, status: string): string[] =>
  Object.keys(Object(operation(name, 'responses', status, 'headers')))

test('is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result).toEqual({ valid: true })
  expect(document.openapi).toMatch(/^3\.1\./)
})

test('is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})

test('every reference resolves', () => {
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    expect(at(document, ...pointer.split('/')), pointer).toBeDefined()
  }
})

test('every component is used', () => {
  const text = JSON.stringify(document)
  for (const section of ['schemas', 'headers', 'parameters']) {
    for (const name of Object.keys(Object(at(document, 'components', section)))) {
      expect(text, name).toContain(`"#/components/${section}/${name}"`)
    }
  }
})

test('the statuses of create group: 200, 400, 401, 403, 408, 413, 415, 422, 429, 431, 500, 503', () => {
  const expected = ['200', '400', '401', '403', '408', '413', '415', '422', '429', '431', '500', '503']
  expect(statuses('groups.create')).toEqual(expected)
})

test('the statuses of the summary: 200, 202, 400, 401, 404, 408, 422, 429, 431, 500, 503', () => {
  const expected = ['200', '202', '400', '401', '404', '408', '422', '429', '431', '500', '503']
  expect(statuses('calls.getSummary')).toEqual(expected)
})

test('every error code belongs to an endpoint, except route_not_found and method_not_allowed', () => {
  const belonging = new Set(Object.values(endpointErrors).flat())
  const others = Object.keys(errorCodes).filter((code) => !isErrorCode(code) || !belonging.has(code))
  expect(others).toEqual(['route_not_found', 'method_not_allowed'])
})

test('every error response lists its codes and has an example for each', () => {
  for (const name of endpointNames) {
    for (const status of statuses(name).filter((each) => each !== '200')) {
      const content = ['responses', status, 'content', 'application/json']
      const codes = listCodes(name, status)
      expect(operation(name, ...content, 'schema', 'properties', 'code', 'enum')).toEqual(codes)
      for (const code of codes) {
        expect(operation(name, ...content, 'examples', code, 'value', 'code')).toBe(code)
        expect(operation(name, 'responses', status, 'description')).toContain(code)
      }
    }
  }
})

test('every example is valid', () => {
  const ajv = createAjv().addVocabulary([
    'openapi',
    'info',
    'jsonSchemaDialect',
    'servers',
    'tags',
    'security',
    'paths',
  ])
  ajv.addVocabulary(['webhooks', 'components']).addSchema({ ...document, $id: 'api' })
  const holds = (content: unknown, place: string): void => {
    const { schema, examples } = Object(content)
    const placed = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/'))
    for (const example of Object.values(examples)) {
      expect(ajv.validate(placed, Object(example).value), `${place}: ${ajv.errorsText()}`).toBe(true)
    }
  }
  const json = 'application/json'
  for (const name of endpointNames) {
    for (const status of statuses(name)) holds(operation(name, 'responses', status, 'content', json), status)
  }
  holds(operation('groups.create', 'requestBody', 'content', json), 'request')
  for (const event of publishedEventNames) {
    holds(at(document, 'webhooks', event, 'post', 'requestBody', 'content', json), event)
  }
})

test('every response has x-request-id', () => {
  for (const name of endpointNames) {
    for (const status of statuses(name)) expect(listHeaders(name, status), status).toContain('x-request-id')
  }
})

test('202, 429 and 503 have Retry-After, and every response has the RateLimit headers', () => {
  for (const name of endpointNames) {
    for (const status of statuses(name)) {
      expect(listHeaders(name, status).includes('Retry-After')).toBe(['202', '429', '503'].includes(status))
      expect(listHeaders(name, status)).toContain('RateLimit-Policy')
      expect(listHeaders(name, status)).toContain('RateLimit')
    }
  }
})

test('the key is sent in Authorization, plain or as a bearer token, or in x-public-api-key', () => {
  expect(document.security).toEqual([{ authorization: [] }, { bearer: [] }, { publicApiKey: [] }])
  expect(at(document, 'components', 'securitySchemes')).toMatchObject({
    authorization: { type: 'apiKey', in: 'header', name: 'Authorization' },
    bearer: { type: 'http', scheme: 'bearer' },
    publicApiKey: { type: 'apiKey', in: 'header', name: 'x-public-api-key' },
  })
})

test.each(publishedEventNames)(
  'the webhook %s has its event as body and the Standard Webhooks headers',
  (event) => {
    const post = at(document, 'webhooks', event, 'post')
    expect(post).toMatchObject({
      security: [],
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'traceparent'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
      responses: {
        '2XX': {},
        409: { headers: { 'Retry-After': {} } },
        410: {},
        429: {},
        503: {},
        default: {},
      },
    })
    const content = ['requestBody', 'content', 'application/json', 'schema', 'properties', 'event', 'const']
    expect(at(document, 'webhooks', event, 'post', ...content)).toBe(event)
  },
)

test('the create request and the webhooks may have a traceparent', () => {
  expect(at(document, 'components', 'parameters', 'traceparent', 'required')).toBe(false)
  expect(operation('groups.create', 'parameters')).toEqual([{ $ref: '#/components/parameters/traceparent' }])
  const { pattern } = Object(at(document, 'components', 'parameters', 'traceparent', 'schema'))
  const example = at(document, 'components', 'parameters', 'traceparent', 'example')
  expect(example).toMatch(new RegExp(pattern))
  // W3C Trace Context: "Version ff is invalid."
  expect(String(example).replace('00', 'ff')).not.toMatch(new RegExp(pattern))
})

test('the server URL is the baseUrl option, or a variable', () => {
  expect(createOpenApiDocument({ baseUrl: 'https://wa.example.com/api' }).servers).toEqual([
    { url: 'https://wa.example.com/api' },
  ])
  expect(document.servers).toEqual([
    { url: '{baseUrl}', variables: { baseUrl: { default: 'https://api.example.com' } } },
  ])
})

test('the documents mention responses that precede routing, and static headers', () => {
  for (const name of ['groups.create', 'calls.getSummary'] as const) {
    expect(statuses(name)).toEqual(expect.arrayContaining(['400', '408', '431']))
    expect(operation(name, 'responses', '400', 'description')).toContain('malformed_request')
  }
  for (const { info } of [document, createAsyncApiDocument()]) {
    expect(Object(info).description).toContain('static headers')
  }
  expect(Object(createAsyncApiDocument().info).description).toContain('409')
})

test('the description of the summary record does not contradict its required fields', () => {
  const { description, required } = Object(at(document, 'components', 'schemas', 'SummaryRecord'))
  expect(required).toHaveLength(14)
  expect(description).not.toMatch(/are\s+required/)
})
