import { expect, test } from 'vitest'
import { start } from './fixture.ts'

const get = async (url: string, path: string, method = 'GET') => {
  const response = await fetch(`${url}${path}`, { method })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

test('serves the documents of its public API without a key, with the header that it reads', async () => {
  const usual = await start()
  const other = await start({
    authHeader: 'X-Public-API-Key',
    publicUrl: 'https://api.example.com',
    controlToken: 'x'.repeat(16),
  })

  const { status, headers, body } = await get(usual.url, '/openapi.json')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(body.security).toEqual([{ authorization: [] }, { bearer: [] }, { publicApiKey: [] }])
  expect(body.servers).toEqual([{ url: '/' }])
  const changed = (await get(other.url, '/openapi.json')).body
  expect(changed.security).toEqual([{ publicApiKey: [] }])
  expect(changed.components.securitySchemes).toMatchObject({ publicApiKey: { name: 'X-Public-API-Key' } })
  expect(changed.servers).toEqual([{ url: 'https://api.example.com' }])
  expect((await get(usual.url, '/asyncapi.json')).body).toMatchObject({ asyncapi: '3.0.0' })
  expect(await get(usual.url, '/openapi.json', 'POST')).toMatchObject({
    status: 405,
    body: { code: 'method_not_allowed' },
  })
})

test.each([true, false])(
  'the documents name the events that it may simulate, with sandbox: %s',
  async (sandbox) => {
    const { url } = await start({ sandbox })
    const { webhooks } = (await get(url, '/openapi.json')).body
    const { components } = (await get(url, '/asyncapi.json')).body
    for (const name of ['CALL_MISSED', 'CALL_REJECTED', 'CALL_NOT_PICKED'])
      expect([name in webhooks, name in components.messages]).toEqual([sandbox, sandbox])
  },
)
