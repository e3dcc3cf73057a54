import { errorCodes, eventNames, isErrorCode } from '@wabakit/wire'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createAjv } from '../../test/ajv.ts'
import { healthEventExample } from '../../test/docs-pages.ts'
import { mutate } from '../../test/mutations.ts'
import { publishedEventNames } from '../published-event.ts'
import { buildErrorExample } from './errors.ts'
import {
  createGroupRequestExample,
  createGroupResponseExample,
  eventExamples,
  publishedExamples,
} from './examples.ts'
import {
  createJsonSchemas,
  operationalSchemas,
  receivedSchemas,
  sentSchemas,
  toSchemaName,
} from './json-schemas.ts'

const schemas = createJsonSchemas()
const zodSchemas = { ...sentSchemas, ...receivedSchemas, ...operationalSchemas }

const validators = new Map(
  Object.entries(schemas).map(([name, schema]) => [name, createAjv().compile(schema)]),
)

const accepts = (name: string, value: unknown): boolean => validators.get(name)?.(value) === true

// Ignores two rules of the zod schemas: JSON Schema cannot express that from equals channelNumber, and readers must allow
// unknown fields.
const beyondJsonSchema = ({ issues }: z.core.$ZodError): boolean =>
  issues.every(({ code }) => code === 'custom' || code === 'unrecognized_keys')

const expectAgreement = (name: string, value: unknown): void => {
  const schema = zodSchemas[name] ?? z.never()
  const parsed = z.safeParse(schema, value)
  const expected = parsed.success || beyondJsonSchema(parsed.error)
  expect(accepts(name, value), JSON.stringify({ name, value, issues: parsed.error?.issues })).toBe(expected)
}

const { event: _, ...record } = publishedExamples.CALL_AI_SUMMARY

const payloads: ReadonlyArray<[string, object]> = [
  ['CreateGroupRequest', createGroupRequestExample],
  ['CreateGroupResponse', createGroupResponseExample],
  ['CallSummary', record.summary],
  ['SummaryRecord', record],
  ['ErrorBody', buildErrorExample('invalid_subject')],
  ['Issue', { path: 'subject', message: 'subject is required' }],
  ['HealthEvent', healthEventExample],
  ['HealthEventData', healthEventExample.data],
  ...publishedEventNames.map((name): [string, object] => [toSchemaName(name), publishedExamples[name]]),
  ...eventNames.map((name): [string, object] => [`Received${toSchemaName(name)}`, eventExamples[name]]),
]

test('there is a JSON Schema for every request, response and event', () => {
  const names = [...payloads.map(([name]) => name), 'MeasuredProfile']
  expect(Object.keys(schemas).sort()).toEqual(names.sort())
})

test.each(payloads)('%s: a valid payload is accepted', (name, payload) => {
  expect(accepts(name, payload)).toBe(true)
})

test.each(payloads)('%s: ajv rejects exactly what zod rejects', (name, payload) => {
  fc.assert(
    fc.property(mutate(payload), (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__"'))
      expectAgreement(name, value)
    }),
    { numRuns: 150 },
  )
})

test.each(payloads)('%s: unknown fields are allowed', (name, payload) => {
  expect(accepts(name, { ...payload, addedLater: 1 })).toBe(true)
})

test('lengths count code points: 128, 2048 and 50 emoji are valid, one more is not', () => {
  const lengths = { subject: 128, description: 2048, groupId: 50 }
  for (const [field, length] of Object.entries(lengths)) {
    const request = (count: number) => ({ ...createGroupRequestExample, [field]: '😀'.repeat(count) })
    expect(accepts('CreateGroupRequest', request(length)), field).toBe(true)
    expect(accepts('CreateGroupRequest', request(length + 1)), field).toBe(false)
  }
})

test('NUL and lone surrogates are rejected in every string of a request', () => {
  for (const field of ['wabaNumber', 'subject', 'description', 'groupId']) {
    for (const text of ['a\u0000', '\ud800', 'a\udc00b']) {
      expect(accepts('CreateGroupRequest', { ...createGroupRequestExample, [field]: text }), field).toBe(
        false,
      )
    }
  }
})

test('the error codes are exactly the documented ones', () => {
  expect(schemas.ErrorBody).toHaveProperty('properties.code.enum', Object.keys(errorCodes))
  for (const code of Object.keys(errorCodes).filter(isErrorCode)) {
    expect(accepts('ErrorBody', buildErrorExample(code)), code).toBe(true)
  }
})

test('every property has a description', () => {
  for (const [name, { properties }] of Object.entries(schemas)) {
    for (const [field, property] of Object.entries(properties ?? {})) {
      expect(property, `${name}.${field}`).toHaveProperty('description')
    }
  }
})

test('the JSON Schema of a profile accepts what it may contain, and no other name or value', () => {
  const seen = { count: 1, firstSeenAt: '2026-01-05T10:00:00.000Z', lastSeenAt: '2026-01-05T10:00:00.000Z' }
  const profile = (field: string, value: string, source: string) => ({
    version: 1,
    api: {},
    deliveries: { id: { values: [], notSeenIn: 3 } },
    events: {
      'CALL_ENDED/PSTN': { [field]: { values: [{ value, source, ...(source !== 'stated' && seen) }] } },
    },
  })
  expect(accepts('MeasuredProfile', profile('customerNumber', '+digits', 'capture'))).toBe(true)
  expect(accepts('MeasuredProfile', profile('customerNumber', 'never', 'stated'))).toBe(true)
  expect(accepts('MeasuredProfile', profile('customerNumber', 'never', 'capture'))).toBe(false)
  expect(accepts('MeasuredProfile', profile('customerNumber', '+12025550143', 'capture'))).toBe(false)
  expect(accepts('MeasuredProfile', profile('Ada', 'string', 'capture'))).toBe(false)
})
