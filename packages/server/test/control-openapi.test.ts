import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { operations } from '../src/control/operations/index.ts'
import { control, start } from './fixture.ts'

test('describes itself by a valid OpenAPI document', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')

  expect(await new Validator().validate(body)).toMatchObject({ valid: true })
})

test('describes every operation once', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')
  const described = Object.values<Record<string, { operationId: string }>>(body.paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .sort()

  expect(described).toEqual([...operations.map(({ id }) => id), 'streamEvents'].sort())
  expect(new Set(described).size).toBe(described.length)
})

test('describes the inputs as they are checked', async () => {
  const { body } = await control(await start(), 'GET /openapi.json')

  expect(body.components.schemas.NewSubscriptionRequest).toMatchObject({
    type: 'object',
    required: ['channel', 'number', 'url'],
    additionalProperties: false,
    properties: { channel: { enum: ['PSTN', 'WHATSAPP'] } },
  })
  expect(body.paths['/organizations/{organizationId}/events'].get.parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  })
})
