import { createMock } from '@wabakit/mock'
import { expect, onTestFinished, test } from 'vitest'
import { servePage } from '../src/control/serve-page.ts'
import { writeTrace } from '../src/trace/write-trace.ts'

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

test('without its package, a trace says how to install the viewer', async () => {
  const written = writeTrace('no-folder/trace.html', '[]', '@wabakit/not-installed')
  await expect(written).rejects.toThrow('npm install --save-dev @wabakit/not-installed')
})

test('the log of a test lists its steps, what followed, and how its waits ended', async () => {
  const mock = await start()
  mock.deliverTo(() => new Response(null, { status: 204 }))
  await mock.simulateCall({ channel: 'PSTN', outcome: 'missed' })
  await mock.waitForDelivery('CALL_INCOMING_INITIATED')
  await mock.waitForEvent('CALL_AI_SUMMARY', {}, { timeoutMs: 0 }).catch(() => {})
  const url = `${mock.url}/_wabakit/organizations/${mock.organizationId}`
  await fetch(`${url}/participants`, { method: 'POST' })
  const { items } = await (await fetch(`${url}/test-log`)).json()
  type Entry = { kind: string; text: string; failed: boolean; details: string }
  expect(
    items.map(({ kind, text, failed }: Entry) => [kind, text.replace(/ +callId .*/, ''), failed]),
  ).toEqual([
    ['step', 'simulateCall({"channel":"PSTN","outcome":"missed"})', false],
    ['event', 'CALL_INCOMING_INITIATED', false],
    ['delivery', 'CALL_INCOMING_INITIATED to receiver, attempt 1: status 204', false],
    ['wait', 'waitForDelivery CALL_INCOMING_INITIATED', false],
    ['wait', 'waitForEvent CALL_AI_SUMMARY {}', true],
    ['step', `POST /_wabakit/organizations/${mock.organizationId}/participants`, false],
  ])
  expect(items[4].details).toContain('No summary: the call was missed.')
})

test('an assertion that fails names the page, too', async () => {
  const mock = await start()
  await mock.trigger('CALL_MISSED')
  const failure = mock.expectNoEvent('CALL_MISSED')
  await expect(failure).rejects.toThrow(`Open ${mock.url}/_wabakit/inspector/`)
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
