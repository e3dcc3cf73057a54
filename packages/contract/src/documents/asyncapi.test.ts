import asyncapi from '@asyncapi/specs'
import { eventNames } from '@wabakit/wire'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { publishedEventNames } from '../published-event.ts'
import { createAsyncApiDocument } from './asyncapi.ts'
import { eventExamples } from './examples.ts'
import { createOpenApiDocument } from './openapi.ts'

const document = createAsyncApiDocument()

const createAjv = (): Ajv => {
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false })
  formats.default(ajv)
  return ajv
}

const isAsyncApi = createAjv().compile<unknown>(Object(asyncapi.schemas['3.0.0']))

test('is a valid AsyncAPI 3.0 document', () => {
  isAsyncApi(document)
  expect(isAsyncApi.errors).toBe(null)
})

test('the validator rejects an operation that neither sends nor receives', () => {
  const broken = JSON.parse(JSON.stringify(document).replace('"action":"send"', '"action":"shout"'))
  expect(isAsyncApi(broken)).toBe(false)
})

test('is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})

test('one channel and one operation carry every published event', () => {
  const names = (prefix: string) => publishedEventNames.map((name) => ({ $ref: `#/${prefix}/${name}` }))
  expect(document).toMatchObject({
    channels: { subscription: { address: null } },
    operations: { deliver: { action: 'send', messages: names('channels/subscription/messages') } },
  })
  expect(Object.values(Object(document.channels).subscription.messages)).toEqual(names('components/messages'))
})

test.each(publishedEventNames)(
  '%s has a summary, a valid example and the Standard Webhooks headers',
  (name) => {
    const { messages, schemas } = Object(document.components)
    const { summary, payload, headers, examples } = messages[name]
    expect(summary).not.toBe('')
    const ajv = createAjv().addSchema({ $id: 'document', components: { schemas } })
    for (const example of examples) {
      expect(ajv.validate({ $ref: `document${payload.$ref}` }, example.payload), ajv.errorsText()).toBe(true)
      expect(ajv.validate({ $ref: `document${headers.$ref}` }, example.headers), ajv.errorsText()).toBe(true)
    }
    expect(schemas.WebhookHeaders.required).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(Object.keys(schemas.WebhookHeaders.properties)).toContain('traceparent')
  },
)

test('a host that simulates the events of live services describes them in both documents', () => {
  const simulating = createAsyncApiDocument({ simulated: true })
  isAsyncApi(simulating)
  expect(isAsyncApi.errors).toBe(null)
  const { messages, schemas } = Object(simulating.components)
  expect(Object.keys(messages)).toEqual(eventNames)
  const ajv = createAjv().addSchema({ $id: 'document', components: { schemas } })
  for (const name of eventNames)
    expect(ajv.validate({ $ref: `document${messages[name].payload.$ref}` }, eventExamples[name])).toBe(true)
  expect(Object.keys(Object(createOpenApiDocument({ simulated: true }).webhooks))).toEqual(eventNames)
  expect(Object.keys(Object(createOpenApiDocument().webhooks))).toEqual(publishedEventNames)
})
