import { createClient } from '@wabakit/client'
import * as contract from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { MeasuredProfile } from '@wabakit/contract/profile'
import { createReferenceServer, memoryStore } from '@wabakit/core'
import { operations } from '@wabakit/core/control'
import { LaterSummary, SummarySimulation } from '@wabakit/core/simulation'
import { createMock, type Mock } from '@wabakit/mock'
import { parseEvent } from '@wabakit/webhooks'
import { validateReceivedErrorBody, validateSummaryRecord } from '@wabakit/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type * as z from 'zod/mini'
import * as deliveryFaults from '../../mock/src/faults/delivery-fault.ts'
import { MockOptions } from '../../mock/src/mock-options.ts'
import { ServerConfig } from '../src/config/server-config.ts'
import { type RunningServer, startServer } from '../src/index.ts'
import { findLists, type List } from './find-lists.ts'
import { acme, control } from './fixture.ts'

let server: RunningServer
let mock: Mock
beforeAll(async () => {
  server = await startServer({ port: 0, database: ':memory:', logLevel: 'silent', organizations: [acme] })
  mock = await createMock({ port: 0 })
})
afterAll(async () => {
  await server.close()
  await mock.close()
})

type Json = ReturnType<typeof JSON.parse>

/** Something that accepts values with lists. `submit` returns or throws issues, or a message that names fields. */
type Input = {
  readonly name: string
  readonly schema: z.core.$ZodType
  readonly submit: (value: Json) => unknown
}

const isSchema = (value: unknown): value is z.core.$ZodType => Object(value)._zod !== undefined

const createInputs = (schemas: object, submitTo: (schema: z.core.$ZodType) => Input['submit']): Input[] =>
  Object.entries(schemas).flatMap(([name, schema]) =>
    isSchema(schema) ? [{ name, schema, submit: submitTo(schema) }] : [],
  )

const validate = (schema: z.core.$ZodType) => (value: Json) => contract.validate(schema, value)

const requests = operations.flatMap(({ id, needs, method, path, body, query }): Input[] => {
  const send = async (search: string, value?: Json) => {
    const [host, organization] = needs === 'mock' ? [mock, mock.organizationId] : [server, 'acme']
    const filled = path.replace(':organizationId', organization).replaceAll(/:\w+/g, 'x')
    return (await control(host, `${method} ${filled}${search}`, value)).body
  }
  return [
    ...createInputs({ [id]: body }, () => (value) => send('', value)),
    ...createInputs({ [id]: query }, () => (value) => send(`?${new URLSearchParams(value)}`)),
  ]
})

const { organizations, apiKeys, subscriptions, summaries } = createReferenceServer({
  store: memoryStore(),
  organizations: [acme],
})
const functions: Readonly<Record<string, Input['submit']>> = {
  createOrganization: organizations.create,
  updateOrganization: (value) => organizations.update('acme', value),
  createApiKey: (value) => apiKeys.create('acme', value),
  createSubscription: (value) => subscriptions.create('acme', value),
  updateSubscription: (value) => subscriptions.update('acme', 'x', value),
  saveSummary: (value) => summaries.save('acme', 'x', value, { generatedBy: 'automatic' }),
}

const getSummary = (body: object) =>
  createClient({
    apiKey: 'wk_test_key_0123456789',
    baseUrl: 'https://api.example',
    fetch: async () => Response.json(body),
  }).calls.getSummary('c1')

const inputs: readonly Input[] = [
  ...createInputs(contract, validate),
  ...createInputs(contract.publishedEventSchemas, validate),
  ...createInputs(contract.eventSchemas, () => (value) => parseEvent(JSON.stringify(value))),
  ...createInputs({ SummaryRecord: contract.SummaryRecord }, () => validateSummaryRecord),
  ...createInputs({ SummaryRecord: contract.SummaryRecord }, () => getSummary),
  ...createInputs({ ReceivedErrorBody: contract.ReceivedErrorBody }, () => validateReceivedErrorBody),
  ...requests,
  ...requests.flatMap((request) => {
    const submit = functions[request.name]
    return submit === undefined ? [] : [{ ...request, submit }]
  }),
  ...createInputs({ ServerConfig }, () => (value) => startServer({ port: 0, ...value })),
  ...createInputs({ MockOptions }, () => createMock),
  ...createInputs({ MeasuredProfile }, () => (profile) => createMock({ profile })),
  ...createInputs({ LaterSummary }, () => (value) => mock.simulateCall({ summary: value })),
  ...createInputs({ SummarySimulation }, () => (value) => mock.simulateSummary('x', value)),
  ...createInputs(deliveryFaults, () => (value) => mock.faults.deliveries.add(value)),
]

// An example for each of these, with three valid items in each list.

const texts = ['a', 'b', 'c']
const names = ['CALL_ENDED', 'GROUP_CREATED', 'CALL_AI_SUMMARY']
const numbers = ['+15550100011', '+15550100012', '+15550100013']
const repeat = <Value>(value: Value): Value[] => [value, value, value]

const summary = { recap: 'They agreed.', keyPoints: texts, nextSteps: texts }
const summarized = { ...eventExamples.CALL_AI_SUMMARY, summary }
const failure = { statusCode: 400, error: 'Bad Request', code: 'invalid_subject' }
const issues = texts.map((path) => ({ path, message: 'is wrong' }))

const settings = {
  integrations: numbers.map((wabaNumber) => ({ wabaNumber })),
  pstnNumbers: numbers,
}
const keys = ['1', '2', '3'].map((end) => ({ key: `wk_other_key_012345${end}`, wabaNumbers: numbers }))
const organization = { id: 'other', ...settings, apiKeys: keys }
const filters = { name: names.join(), response: '401,5xx,none', anyResponse: '401,5xx,none' }
const deliveries = { ...filters, status: 'pending,delivered,exhausted' }
const live = { nullFields: ['groupId', 'groupName', 'inviteLink'] }
const to = { ids: texts }

const stated = { values: repeat({ value: 'never', source: 'stated' }) }
const form = { status: 401, body: 'json', fields: {}, headers: ['retry-after', 'ratelimit', 'x-request-id'] }
const measured = {
  version: 1,
  api: { 'fetch.missing-key': { values: repeat({ value: form, source: 'stated' }) } },
  deliveries: Object.fromEntries(
    [
      ...(['method', 'format', 'id', 'signature', 'authorization', 'registeredHeaders'] as const),
      ...(['groupEventName', 'order'] as const),
      ...(['repeatAfterSuccess', 'repeatAfterFailure', 'repeatAfterTimeout'] as const),
    ].map((question) => [question, stated]),
  ),
  events: { GROUP_CREATED: { groupId: stated } },
}

const examples: Readonly<Record<string, object>> = {
  CallSummary: summary,
  SummaryRecord: { callId: 'c1', summary },
  CallAiSummaryEvent: summarized,
  CALL_AI_SUMMARY: summarized,
  ErrorBody: { ...failure, message: 'x', issues },
  ReceivedErrorBody: { ...failure, message: texts, issues },
  createOrganization: organization,
  updateOrganization: settings,
  createApiKey: { wabaNumbers: numbers },
  createSubscription: { channel: 'PSTN', number: '+15550100002', url: 'https://r.example/', events: names },
  simulateCall: { summary },
  updateSubscription: { events: names },
  saveSummary: summary,
  listEvents: { name: names.join() },
  listDeliveries: deliveries,
  resendDeliveries: deliveries,
  cancelDeliveries: deliveries,
  retryDeliveries: deliveries,
  addDeliveryFault: { kind: 'reorder', events: names },
  ServerConfig: { organizations: repeat(organization), live },
  MockOptions: { live },
  MeasuredProfile: measured,
  LaterSummary: summary,
  SummarySimulation: summary,
  DuplicateFault: { kind: 'duplicate', event: '*', to },
  DropFault: { kind: 'drop', event: '*', to },
  TimeOutFault: { kind: 'timeOut', event: '*', to },
  NeverRetryFault: { kind: 'neverRetry', event: '*', to },
  DelayFault: { kind: 'delay', by: '1s', event: '*', to },
  TamperFault: { kind: 'tamper', part: 'body', event: '*', to },
  ReorderFault: { kind: 'reorder', events: names, to },
}

/** Returns the paths to a list in a value: in the middle item of an outer list, and in each field of a record. */
const resolve = (value: Json, [name, ...rest]: List['path']): string[][] => {
  if (name === undefined) return [[]]
  const keys = name !== '*' ? [name] : Array.isArray(value) ? ['1'] : Object.keys(Object(value))
  return keys.flatMap((key) => resolve(value?.[key], rest).map((inner) => [key, ...inner]))
}

const read = (value: Json, path: readonly string[]): Json =>
  path.reduce((inner, name) => inner?.[name], value)

/** Returns the items of a list, which is text with commas in a query. */
const readItems = (value: Json): Json[] | undefined => (typeof value === 'string' ? value.split(',') : value)

const spoil = (example: object, path: readonly string[], spoiled: ReadonlyMap<number, Json>): Json => {
  // Unlike a structured clone, this copy shares no objects between the items of a list.
  const copy = JSON.parse(JSON.stringify(example))
  const list = read(copy, path)
  const items = readItems(list)?.map((item, index) => (spoiled.has(index) ? spoiled.get(index) : item))
  read(copy, path.slice(0, -1))[path.at(-1) ?? ''] = typeof list === 'string' ? items?.join() : items
  return copy
}

const lists = inputs.flatMap(({ schema, ...input }) => {
  const example = examples[input.name] ?? {}
  return findLists(schema).flatMap(({ path, item }) => {
    const paths = resolve(example, path)
    return (paths.length === 0 ? [path] : paths).map((path) => ({
      ...input,
      example,
      path,
      item,
      field: path.join('.'),
    }))
  })
})

test('the examples are valid, and have three items in each list', () => {
  for (const { name, schema } of inputs) {
    const example = examples[name]
    if (example !== undefined)
      expect(contract.validate(schema, example), name).toMatchObject({ success: true })
  }
  const missing = lists.filter(({ example, path }) => readItems(read(example, path))?.length !== 3)
  expect(missing.map(({ name, field }) => `${name}: ${field}`)).toEqual([])
})

/** Returns the outcome of handing in a value: its issues or its message. */
const describeOutcome = async (submit: Input['submit'], value: Json): Promise<string> => {
  const outcome = await new Promise((resolve) => resolve(submit(value))).catch((error: unknown) => error)
  const { message, issues, problems, data } = Object(outcome)
  return JSON.stringify({ message, issues, problems, data })
}

const positions = [[0], [1], [2], [0, 2]]

/** Lists whose field is dropped as a whole if an item is wrong: no service guarantees them. */
const dropped = ['ReceivedErrorBody: message', 'ReceivedErrorBody: issues']
/** Lists that are reported as a whole, because a program writes them, and the message that reports them. */
const whole = [
  { list: /Fault: to\.ids$/, message: 'to must be the result of subscribe' },
  { list: /^MeasuredProfile: .*\.headers$/, message: 'values.1 is invalid' },
]

test.each(lists)(
  '$name reports each invalid item of $field',
  async ({ name, field, path, item, example, submit }) => {
    const isText = typeof read(example, path) === 'string'
    const bad = isText ? '' : [5, null, {}, ''].find((value) => !contract.validate(item, value).success)
    const id = `${name}: ${field}`
    const message = whole.find(({ list }) => list.test(id))?.message
    for (const spoiled of positions) {
      const value = spoil(example, path, new Map(spoiled.map((position) => [position, bad])))
      const outcome = await describeOutcome(submit, value)
      if (dropped.includes(id)) {
        const { [field]: _, ...rest } = Object(example)
        expect(JSON.parse(outcome)).toEqual({ data: rest })
      } else if (message !== undefined) {
        expect(outcome).toContain(message)
      } else {
        const reported = outcome.matchAll(
          new RegExp(`(?<![\\w.])${field.replaceAll('.', '\\.')}\\.(\\d+)`, 'g'),
        )
        expect([...new Set([...reported].map(([, index]) => Number(index)))], outcome).toEqual(spoiled)
      }
    }
  },
)
