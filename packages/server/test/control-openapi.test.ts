import { Validator } from '@seriousme/openapi-schema-validator'
import { operations } from '@wabakit/core/control'
import { expect, onTestFinished, test, vi } from 'vitest'
import { control, start } from './fixture.ts'

test('describes itself with a valid OpenAPI document', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')

  expect(await new Validator().validate(body)).toMatchObject({ valid: true })
})

test('builds its document once, however often it is requested', async () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const server = await start()
  const first = await control(server, 'GET /openapi.json')
  const second = await control(server, 'GET /openapi.json')

  expect(second.body).toEqual(first.body)
  expect(stringify.mock.calls.filter(([value]) => value?.openapi !== undefined)).toHaveLength(1)
})

test('describes every operation once', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')
  const described = Object.values<Record<string, { operationId: string }>>(body.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .sort()

  expect(described).toEqual([...operations.map(({ id }) => id), 'streamEvents'].sort())
  expect(new Set(described).size).toBe(described.length)
})

test('describes the inputs as they are validated', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')

  expect(body.components.schemas.NewSubscriptionRequest).toMatchObject({
    type: 'object',
    required: ['channel', 'url'],
    additionalProperties: false,
    properties: { channel: { enum: ['PSTN', 'WHATSAPP', 'OPERATIONS'] } },
  })
  expect(body.paths['/organizations/{organizationId}/events'].get.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  })
})

test('describes identifiers wherever it accepts one', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')
  const schema = {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F]*$',
  }

  expect(body.components.schemas.NewCallRequest.properties.callId).toMatchObject(schema)
  expect(body.paths['/organizations/{organizationId}/calls/{callId}'].get.parameters).toEqual(
    ['organizationId', 'callId'].map((name) => ({ name, in: 'path', required: true, schema })),
  )
  expect(body.paths['/organizations/{organizationId}/deliveries'].get.parameters).toContainEqual({
    name: 'event',
    in: 'query',
    required: false,
    schema: { ...schema, description: 'Id of the event.' },
  })
})
