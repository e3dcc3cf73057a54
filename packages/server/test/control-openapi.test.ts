import { Validator } from '@seriousme/openapi-schema-validator'
import { type Operation, operations } from '@wabakit/core/control'
import { createMock } from '@wabakit/mock'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { control, start } from './fixture.ts'

test('builds its document once, however often it is requested', async () => {
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  const server = await start()
  const first = await control(server, 'GET /openapi.json')
  const second = await control(server, 'GET /openapi.json')

  expect(second.body).toEqual(first.body)
  expect(stringify.mock.calls.filter(([value]) => value?.openapi !== undefined)).toHaveLength(1)
})

/** The hosts of the control API, with what they can do beyond what all can. */
const hosts = {
  'a server': { abilities: [], start: () => start() },
  'a server for tests': { abilities: ['faults'], start: () => start({ sandbox: true }) },
  'a mock on a port': {
    abilities: ['faults', 'mock'],
    start: async () => {
      const mock = await createMock({ port: 0 })
      onTestFinished(mock.close)
      return mock
    },
  },
} as const

describe.each(Object.entries(hosts))('%s', (_name, { abilities, start }) => {
  const isOffered = ({ needs }: Operation): boolean =>
    needs === undefined || abilities.some((each) => each === needs)

  test('has a valid document that describes every operation of this host once, and no other', async () => {
    const { body } = await control(await start(), 'GET /openapi.json')
    expect(await new Validator().validate(body)).toMatchObject({ valid: true })
    const described = Object.values<Record<string, { operationId: string; tags: string[] }>>(
      body.paths,
    ).flatMap((methods) => Object.values(methods))
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(
      [...operations.filter(isOffered).map(({ id }) => id), 'streamEvents'].sort(),
    )
    const tags = body.tags.map(({ name }: { name: string }) => name)
    expect(new Set(described.flatMap((each) => each.tags))).toEqual(new Set(tags))
    const text = JSON.stringify(body)
    const unused = Object.keys(body.components.schemas).filter(
      (name) => name !== 'Error' && !text.includes(`"#/components/schemas/${name}"`),
    )
    expect(unused).toEqual([])
  })

  test('answers 404 to each operation of another host, and names the host that has it', async () => {
    const host = await start()
    for (const { method, path } of operations.filter((operation) => !isOffered(operation))) {
      const { status, body } = await control(host, `${method} ${path.replaceAll(/:\w+/g, 'acme')}`)
      expect([status, body.code, path]).toEqual([404, 'not_found', path])
      expect(body.message).toMatch(/wabakit exec --mock|Start it with --sandbox/)
    }
    expect((await control(host, 'GET /nothing')).body.message).toContain('/_wabakit/openapi.json')
  })

  test('answers HEAD like GET without a body, and 400 to a path that is no percent-encoding', async () => {
    const { url } = await start()
    const head = (path: string) => fetch(`${url}/_wabakit${path}`, { method: 'HEAD' })
    for (const path of ['/info', '/organizations', '/openapi.json']) {
      const response = await head(path)
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect(response.headers.get('content-type')).toBe('application/json')
    }
    expect((await head('/nothing')).status).toBe(404)
    const malformed = await control({ url }, 'GET /organizations/%E0%A4%A')
    expect(malformed).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(malformed.body.message).toContain('%E0%A4%A')
  })

  test('finds records whose ids need encoding in a path', async () => {
    const host = await start()
    const callId = 'call/ä %2F ?#'
    const { body: organizations } = await control(host, 'GET /organizations')
    const path = `/organizations/${organizations.items[0].id}`
    expect((await control(host, `POST ${path}/simulated-calls`, { callId })).status).toBe(201)
    const { body } = await control(host, `GET ${path}/calls/${encodeURIComponent(callId)}`)
    expect(body).toMatchObject({ callId })
  })
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
