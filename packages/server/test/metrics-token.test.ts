import { expect, test } from 'vitest'
import { startServer } from '../src/index.ts'
import { start } from './fixture.ts'

const metricsToken = 'a-metrics-token-of-these-tests'

const ask = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } })

test('shows the metrics only to clients with the token, and leaves the other paths open', async () => {
  const { url } = await start({ metricsToken })

  expect((await ask(url, `Bearer ${metricsToken}`)).status).toBe(200)
  for (const wrong of [
    undefined,
    '',
    metricsToken,
    `Bearer ${metricsToken.slice(0, -1)}`,
    `Bearer ${metricsToken}x`,
  ]) {
    const response = await ask(url, wrong)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toMatchObject({ statusCode: 401, code: 'token_required' })
  }
  for (const path of ['/healthz', '/readyz'])
    await expect.poll(async () => (await fetch(url + path)).status).toBe(200)
})

test('does not accept the control token for metrics, nor the metrics token for the control API', async () => {
  const controlToken = 'a-control-token-of-these-tests'
  const { url } = await start({ metricsToken, controlToken })

  expect((await ask(url, `Bearer ${controlToken}`)).status).toBe(401)
  const headers = { authorization: `Bearer ${metricsToken}` }
  expect((await fetch(`${url}/_wabakit/organizations`, { headers })).status).toBe(401)
})

test('limits wrong tokens by address', async () => {
  const { url } = await start({ metricsToken, rateLimitPerAddress: 1 })
  expect((await ask(url, 'Bearer wrong')).status).toBe(401)

  const response = await ask(url, 'Bearer wrong')

  expect(response.status).toBe(429)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(response.headers.get('ratelimit-policy')).toBe('"ip";q=1;w=60')
})

test.each([
  ['controlToken', { controlToken: 'short-token-15c' }, 'must be at least 16 visible ASCII characters.'],
  ['metricsToken', { metricsToken: 'short-token-15c' }, 'must be at least 16 visible ASCII characters.'],
  [
    'organizations.0.apiKeys.0.key',
    { organizations: [{ id: 'acme', apiKeys: [{ key: 'x' }] }] },
    `must have at least 16 visible ASCII characters. Generate one: node -p "'wk_' + crypto.randomBytes(24).toString('hex')"`,
  ],
])('does not start with a %s that can be guessed', async (key, config, message) => {
  await expect(startServer({ port: 0, database: ':memory:', ...config })).rejects.toThrow(
    `${key} (startServer) ${message}`,
  )
})
