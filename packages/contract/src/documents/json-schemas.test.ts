import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createAjv } from '../../test/ajv.ts'
import { mutationsOf } from '../../test/mutations.ts'
import { emittedEventNames } from '../emitted-event.ts'
import { errorCodes, isErrorCode } from '../error-codes.ts'
import { eventNames } from '../event-name.ts'
import { errorExample } from './errors.ts'
import {
  createGroupRequestExample,
  createGroupResponseExample,
  emittedExamples,
  eventExamples,
} from './examples.ts'
import { jsonSchemas } from './json-schemas.ts'
import { receivedSchemas, schemaNameOf, sentSchemas } from './schemas.ts'

const drawn = jsonSchemas()
const zodSchemas = { ...sentSchemas, ...receivedSchemas }

const validators = new Map(Object.entries(drawn).map(([name, schema]) => [name, createAjv().compile(schema)]))

const accepts = (name: string, value: unknown): boolean => validators.get(name)?.(value) === true

// Two rules that JSON Schema cannot state, or that a document for readers must not: the two sides of a call agree,
// and a sender sends no further fields.
const beyondJsonSchema = ({ issues }: z.core.$ZodError): boolean =>
  issues.every(({ code }) => code === 'custom' || code === 'unrecognized_keys')

const agree = (name: string, value: unknown): void => {
  const schema = zodSchemas[name] ?? z.never()
  const parsed = z.safeParse(schema, value)
  const expected = parsed.success || beyondJsonSchema(parsed.error)
  expect(accepts(name, value), JSON.stringify({ name, value, issues: parsed.error?.issues })).toBe(expected)
}

const { event: _, ...record } = emittedExamples.CALL_AI_SUMMARY

const payloads: ReadonlyArray<[string, object]> = [
  ['CreateGroupRequest', createGroupRequestExample],
  ['CreateGroupResponse', createGroupResponseExample],
  ['CallSummary', record.summary],
  ['SummaryRecord', record],
  ['ErrorBody', errorExample('invalid_subject')],
  ['Issue', { path: 'subject', message: 'subject is required' }],
  ...emittedEventNames.map((name): [string, object] => [schemaNameOf(name), emittedExamples[name]]),
  ...eventNames.map((name): [string, object] => [`Received${schemaNameOf(name)}`, eventExamples[name]]),
]

test('there is a JSON Schema of everything on the wire', () => {
  expect(Object.keys(drawn).sort()).toEqual(payloads.map(([name]) => name).sort())
})

test.each(payloads)('%s: a valid payload passes', (name, payload) => {
  expect(accepts(name, payload)).toBe(true)
})

test.each(payloads)('%s: ajv refuses what zod refuses, and nothing else', (name, payload) => {
  fc.assert(
    fc.property(mutationsOf(payload), (value) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__"'))
      agree(name, value)
    }),
    { numRuns: 150 },
  )
})

test.each(payloads)(
  '%s: an unknown field is allowed, so that readers survive what is added later',
  (name, payload) => {
    expect(accepts(name, { ...payload, addedLater: 1 })).toBe(true)
  },
)

test('lengths count code points: 128, 2048 and 50 emoji pass, one more does not', () => {
  const lengths = { subject: 128, description: 2048, groupId: 50 }
  for (const [field, length] of Object.entries(lengths)) {
    const request = (count: number) => ({ ...createGroupRequestExample, [field]: '😀'.repeat(count) })
    expect(accepts('CreateGroupRequest', request(length)), field).toBe(true)
    expect(accepts('CreateGroupRequest', request(length + 1)), field).toBe(false)
  }
})

test('NUL and lone surrogates are refused in every text of a request', () => {
  for (const field of ['wabaNumber', 'subject', 'description', 'groupId']) {
    for (const text of ['a\u0000', '\ud800', 'a\udc00b']) {
      expect(accepts('CreateGroupRequest', { ...createGroupRequestExample, [field]: text }), field).toBe(
        false,
      )
    }
  }
})

test('the error codes are the closed list', () => {
  expect(drawn.ErrorBody).toHaveProperty('properties.code.enum', Object.keys(errorCodes))
  for (const code of Object.keys(errorCodes).filter(isErrorCode)) {
    expect(accepts('ErrorBody', errorExample(code)), code).toBe(true)
  }
})

test('every property has a description', () => {
  for (const [name, { properties }] of Object.entries(drawn)) {
    for (const [field, property] of Object.entries(properties ?? {})) {
      expect(property, `${name}.${field}`).toHaveProperty('description')
    }
  }
})
