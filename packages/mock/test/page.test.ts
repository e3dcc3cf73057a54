import { createMock } from '@wabakit/mock'
import { expect, onTestFinished, test } from 'vitest'
import { servePage } from '../src/control/serve-page.ts'

const start = async (options = {}) => {
  const mock = await createMock({ port: 0, ...options })
  onTestFinished(mock.close)
  return mock
}

test('a mock on a port serves the page at the address that a failed wait prints', async () => {
  const mock = await start()
  const failure = await mock.waitForEvent('CALL_ENDED', {}, { timeoutMs: 0 }).catch(String)
  const [, address = ''] = /Open (\S+) to see what happened/.exec(String(failure)) ?? []
  expect(address).toBe(`${mock.url}/_wabakit/inspector/?organization=${mock.organizationId}`)
  const page = await fetch(address)
  // Without a build, the page says how to build it.
  expect(await page.text()).toMatch(/^<!doctype html>|npm run build -w @wabakit\/inspector/)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('a mock in process has no page, and names none', async () => {
  const mock = await createMock()
  onTestFinished(mock.close)
  const failure = await mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 0 }).catch(String)
  expect(failure).not.toContain('_wabakit/inspector')
})

test('without its package, the address of the page says how to install it', async () => {
  const response = await servePage('/', '@wabakit/not-installed')
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('npm install --save-dev @wabakit/not-installed')
})

test('the page needs no token, and what it reads does; no page of another machine gets either', async () => {
  const { url } = await start({ controlToken: 'a-token-of-some-length' })
  const get = async (path: string, headers = {}) =>
    (await fetch(`${url}/_wabakit${path}`, { headers })).status
  expect(await get('/inspector/')).not.toBe(401)
  expect(await get('/info')).toBe(401)
  expect(await get('/inspector/', { origin: 'https://attacker.example' })).toBe(403)
  expect((await fetch(`${url}/_wabakit/inspector/`, { method: 'POST' })).status).toBe(401)
})

test('an endpoint that no test has added is not listed, nor what it would have got', async () => {
  const mock = await start()
  const list = async (path: string) =>
    (await fetch(`${mock.url}/_wabakit/organizations/${mock.organizationId}${path}`)).json()
  await mock.simulateCall({ channel: 'PSTN', summary: false })
  await mock.waitForDelivery('CALL_ENDED')
  expect((await list('/events')).items.length).toBeGreaterThan(0)
  expect((await list('/subscriptions')).items).toEqual([])
  expect((await list('/deliveries')).items).toEqual([])
  expect((await list('/overview/subscriptions')).items).toEqual([])
  expect((await list('/overview')).totals).toMatchObject({ delivered: 0 })

  mock.deliverTo(() => new Response())
  await mock.simulateCall({ channel: 'PSTN', summary: false })
  await mock.waitForDelivery('CALL_ENDED')
  expect((await list('/subscriptions')).items).toHaveLength(2)
  expect((await list('/deliveries')).items.length).toBeGreaterThan(0)
})

test('the control API lists pending waits with their reasons, and what is due on the clock', async () => {
  const mock = await start()
  const get = async (path: string) =>
    (await fetch(`${mock.url}/_wabakit/organizations/${mock.organizationId}${path}`)).json()
  await mock.simulateCall({ summary: { after: '30s' } })
  const waiting = mock.waitForEvent('CALL_AI_SUMMARY', {}, { timeoutMs: Number.POSITIVE_INFINITY })
  const { now, isVirtual, due } = await get('/clock')
  expect({ isVirtual, inMs: Date.parse(due[0].at) - Date.parse(now) }).toEqual({
    isVirtual: true,
    inMs: 30_000,
  })
  expect(due[0].description).toContain('summary')
  const [pending] = (await get('/waits')).items
  expect(pending.wait).toBe('waitForEvent CALL_AI_SUMMARY {}')
  expect(pending.reasons.join('\n')).toMatch(/Events so far:[\s\S]*Due later:/)
  await mock.clock.advance('30s')
  await waiting
  expect((await get('/waits')).items).toEqual([])
  expect((await get('/clock')).due).toEqual([])
})

test('a mock that follows the clock of the machine says so', async () => {
  const mock = await start({ clock: 'machine' })
  const clock = await fetch(`${mock.url}/_wabakit/organizations/${mock.organizationId}/clock`)
  expect(await clock.json()).toMatchObject({ isVirtual: false })
})
