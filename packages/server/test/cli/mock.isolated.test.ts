import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, startWabakit, wabakitHere as wabakit } from './wabakit.ts'

test('mock runs until SIGTERM, with the options of its flags and its file', async () => {
  writeFileSync(
    join(folder, 'mock.json'),
    JSON.stringify({ seed: 1, callSummaries: 'manual', profile: 'live' }),
  )
  const flags = ['--port', '0', '--seed', '42', '--config', 'mock.json', '--format', 'json']
  const started = startWabakit(['mock', ...flags])
  const mock = JSON.parse(await started.line(/"ready":true/))
  expect(mock).toMatchObject({ seed: 42, profile: 'live', organizationId: expect.any(String) })
  const { organizationId, url } = mock
  const organization = await fetch(`${url}/_wabakit/organizations/${organizationId}`)
  expect(await organization.json()).toMatchObject({ callSummaries: 'manual' })
  // The default is the organization of a server.
  const other = await wabakit(['trigger', 'call'], { env: { WABAKIT_SERVER: url } })
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('--organization or WABAKIT_') })
  started.kill('SIGTERM')
  expect(await started.ended).toBe(0)
})

test('mock imitates a service as it was measured', async () => {
  const values = [{ value: 'accepted', source: 'stated' }]
  const api = { 'fetch.key.bearer': { values } }
  const profile = { version: 1, api, deliveries: {}, events: {} }
  writeFileSync(join(folder, 'measured.profile.json'), JSON.stringify(profile))
  const flags = ['--port', '0', '--profile', 'measured.profile.json', '--format', 'json']
  const started = startWabakit(['mock', ...flags])
  const mock = JSON.parse(await started.line(/"ready":true/))
  expect(mock.profile).toBe('measured')
  const headers = { authorization: `Bearer ${mock.apiKey}` }
  // The profile `live` refuses this key with 403.
  expect((await fetch(`${mock.url}/v1/call/ai-summary?callId=c`, { headers })).status).toBe(404)
  started.kill('SIGTERM')
  expect(await started.ended).toBe(0)
})

test('mock refuses what createMock refuses, as a usage error', async () => {
  writeFileSync(join(folder, 'typo.json'), JSON.stringify({ callSummary: 'manual' }))
  const [typo, host, port] = await Promise.all([
    wabakit(['mock', '--config', 'typo.json']),
    wabakit(['mock', '--host', '0.0.0.0', '--port', '0']),
    wabakit(['mock', '--port', 'x']),
  ])
  expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "callSummaries"?') })
  expect(host).toMatchObject({ code: 2, stderr: expect.stringContaining('Set controlToken') })
  expect(port).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number from 0 to 65535') })
})
