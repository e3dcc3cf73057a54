import { createServer } from 'node:http'
import { startServer } from '@wabakit/server'
import { expect, onTestFinished, test } from 'vitest'
import { wabakit } from './wabakit.ts'

const key = 'wk_test_key_0123456789'

const startConstant = async (status: number): Promise<string> => {
  const server = createServer((_request, response) => response.writeHead(status).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

test('acceptance examines a wabakit server through its control API, and exits with 0', async () => {
  const server = await startServer({
    port: 0,
    database: ':memory:',
    logLevel: 'silent',
    controlToken: 'token-0123456789',
  })
  onTestFinished(server.close)
  const { code, stdout, stderr } = await wabakit(
    [
      'acceptance',
      server.url,
      '--wabakit-control',
      server.url,
      '--seed',
      '5',
      '--minutes',
      '0',
      '--format',
      'json',
    ],
    { env: { WABAKIT_CONTROL_TOKEN: 'token-0123456789' } },
  )

  expect(stderr).toBe('')
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ tool: 'acceptance', target: server.url, verdict: 'pass', seed: 5 })
  expect(report.counts).toMatchObject({ fail: 0, advice: 0, inconclusive: 0 })
  expect(report.checks[0]).toEqual({
    id: 'create.valid.is-200',
    group: 'create',
    title: expect.any(String),
    severity: 'critical',
    clause: expect.any(String),
    verdict: 'pass',
    expected: 'status 200',
    observed: expect.any(String),
    risk: expect.any(String),
    fix: expect.any(String),
    durationMs: expect.any(Number),
    reproduce: expect.stringContaining('curl -i -X POST'),
  })
  expect(code).toBe(0)
})

test('acceptance exits with 1, 2, 3 or 4 on a failure, a usage error, an unreachable server, or no result', async () => {
  const url = await startConstant(400)
  const options = ['--waba-number', '+15550100001', '--minutes', '0']
  const [failed, wrong, unreachable, inconclusive] = await Promise.all([
    wabakit(['acceptance', url, '--api-key', key, ...options, '--format', 'junit']),
    wabakit(['acceptance', url, '--listen', 'nowhere']),
    wabakit(['acceptance', 'http://127.0.0.1:1', '--api-key', key, ...options]),
    wabakit(['acceptance', url, '--minutes', '0']),
  ])
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('<failure') })
  expect(failed.stdout).not.toContain(key)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('host:port') })
  expect(unreachable).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('No response from http://127.0.0.1:1'),
  })
  expect(inconclusive).toMatchObject({
    code: 4,
    stdout: expect.stringContaining('needs --api-key and --waba-number'),
  })
})

test('acceptance --profile live passes a server that imitates a live service', async () => {
  const server = await startServer({ port: 0, sandbox: true, profile: 'live', logLevel: 'silent' })
  onTestFinished(server.close)
  const run = (...options: readonly string[]) =>
    wabakit([
      ...['acceptance', server.url, '--wabakit-control', server.url],
      ...['--minutes', '0', '--only', 'create,errors', '--format', 'json', ...options],
    ])
  const [live, reference, wrong] = await Promise.all([
    run('--profile', 'live'),
    run(),
    run('--profile', 'staging'),
  ])
  expect(live.code).toBe(0)
  expect(JSON.parse(live.stdout)).toMatchObject({ verdict: 'pass', counts: { fail: 0, advice: 0 } })
  expect(reference.code).toBe(1)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('reference or live') })
})
