import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getStatus, malformedRequests, sendBytes } from '../../webhooks/test/malformed-requests.ts'
import { type RunningServer, startServer } from '../src/index.ts'
import { acme } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'

type Target = { readonly server: RunningServer; readonly port: number; readonly log: string[] }

const targets = new Map<string, Target>()

const open = async (role: 'all' | 'worker'): Promise<Target> => {
  const log: string[] = []
  const logStream = new Writable({
    write: (chunk, _encoding, done) => {
      log.push(...String(chunk).split('\n').filter(Boolean))
      done()
    },
  })
  const server = await startServer(
    {
      port: 0,
      role,
      database: role === 'all' ? ':memory:' : await createPostgresDatabase(),
      organizations: role === 'all' ? [acme] : [],
      rateLimitPerAddress: 0,
      logLevel: 'debug',
      logFormat: 'json',
    },
    { logStream },
  )
  return { server, port: Number(new URL(server.url).port), log }
}

beforeAll(async () => {
  for (const role of ['all', 'worker'] as const) targets.set(role, await open(role))
  // A server logs only the first refused requests in each second, so the requests above would hide those below.
  targets.set('logged', await open('all'))
})

afterAll(async () => {
  for (const { server } of targets.values()) await server.close()
})

const getTarget = (role: string): Target => {
  const target = targets.get(role)
  if (target === undefined) throw new Error(`no server of role ${role}`)
  return target
}

/** Checks that `received` is exactly one error response in the documented format. */
const expectError = (received: string, isHead = false): { status: number; code: string } => {
  const [head = '', body = ''] = received.split(/\r\n\r\n(.*)/s)
  const status = getStatus(received) ?? 0
  expect(head, received).toMatch(/\r\nx-request-id: req_\w{26}(?:\r\n|$)/i)
  if (isHead) return { status, code: '' }
  expect(JSON.parse(body)).toMatchObject({ statusCode: status, code: expect.stringMatching(/^[a-z_]+$/) })
  return { status, code: JSON.parse(body).code }
}

const paths = ['/', '/_wabakit/', '/whatsapp/wa-group/create', '/healthz']

/** Returns the same fault with another path, if its request line contains the root path. */
const at = (path: string, bytes: string): string =>
  bytes.replace(/^(\S+ (?:https?:\/\/[^/ ]*)?)\/ /, `$1${path} `)

const cases = ['all', 'worker'].flatMap((role) =>
  malformedRequests.flatMap(({ name, fault, bytes }) => {
    // A worker has no API.
    const served = role === 'worker' ? ['/', '/healthz'] : paths
    const variants = [...new Set(served.map((path) => at(path, bytes)))]
    return variants.map((variant) => ({
      role,
      name,
      fault,
      bytes: variant,
      line: variant.slice(0, 60).split('\r')[0],
    }))
  }),
)

test.each(cases)(
  'role $role responds to $line ($name) with the usual error body',
  async ({ role, fault, bytes }) => {
    const { port } = getTarget(role)

    const received = await sendBytes(port, bytes)

    if (/^HTTP\/1\.1 2/.test(received)) {
      expect(bytes).toMatch(/^(?:GET|HEAD) \S*\/healthz/)
      expect(received).toMatch(/\r\nx-request-id: req_/i)
      return
    }
    const { status } = expectError(received, bytes.startsWith('HEAD'))
    if (fault === 'target') expect(status).toBe(400)
    expect([400, 401, 403, 404, 405, 431]).toContain(status)
  },
)

test.each([
  ['CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n', 405, 'method_not_allowed'],
  [
    'TRACE /whatsapp/wa-group/create HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    405,
    'method_not_allowed',
  ],
  ['TRACE / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', 404, 'route_not_found'],
  ['DELETE /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', 405, 'method_not_allowed'],
  ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  ['GET / HTTP/1.1\r\nHost: u:p@h\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  ['GET /healthz HTTP/1.1\r\nHost: h\r\nhost: h\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
  [
    'GET /_wabakit/info HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\nConnection: close\r\n\r\n',
    400,
    'malformed_request',
  ],
  ['nonsense\r\n\r\n', 400, 'malformed_request'],
  [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, 431, 'headers_too_large'],
])('answers and logs %j', async (bytes, status, code) => {
  const { port, log } = getTarget('logged')
  const before = log.length

  const received = await sendBytes(port, bytes)

  expect(expectError(received)).toEqual({ status, code })
  if (status === 405) expect(received).toMatch(/\r\nallow: \S/i)
  const [, requestId] = /x-request-id: (\S+)/i.exec(received) ?? []
  expect(log.slice(before).map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ requestId, status, msg: 'request' }),
  )
})

test('accepts a target in absolute form if it names the host of the request, and drops its credentials', async () => {
  const { port, log } = getTarget('all')
  const ask = (target: string, host: string) =>
    sendBytes(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

  const received = [
    await ask('http://user:pass@127.0.0.1/_wabakit/organizations?limit=1', '127.0.0.1'),
    await ask('http://user:pass@127.0.0.1/healthz', '127.0.0.1'),
    await ask('http://user:pass@attacker.example/_wabakit/organizations', 'attacker.example'),
    await ask('http://127.0.0.1/_wabakit/organizations', 'attacker.example'),
    await ask('http://127.0.0.1/metrics', 'attacker.example'),
  ]

  expect(received.map(getStatus)).toEqual([200, 200, 403, 400, 400])
  expect(log.join('\n')).not.toContain('user:pass')
})

test.each([
  '/x/../_wabakit/organizations',
  '/./metrics',
  '/%2e/metrics',
  '/x/%2E%2e/metrics',
  '/metrics/..',
  'http://127.0.0.1/./metrics',
])('refuses the path %s, which a proxy may take for another one', async (target) => {
  const { port } = getTarget('all')
  const received = await sendBytes(
    port,
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
  )
  expect(getStatus(received)).toBe(400)
})

test.each(['/healthz?path=/../x', '/healthz?a=..'])('leaves dots elsewhere alone: %s', async (target) => {
  const { port } = getTarget('all')
  const received = await sendBytes(
    port,
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
  )
  expect(getStatus(received)).toBe(200)
})

test('responds once to a request whose body becomes unparsable', async () => {
  const { port } = getTarget('all')
  const bytes = [
    'POST /whatsapp/wa-group/create HTTP/1.1',
    'Host: h',
    'Authorization: wk_test_key_0123456789',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '',
    'ZZ\r\n',
  ].join('\r\n')

  const received = await sendBytes(port, bytes)

  expect(expectError(received)).toMatchObject({ status: 400 })
})

test('responds to a request that is followed by invalid data on the connection', async () => {
  const { port } = getTarget('all')
  const json = JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team', groupId: 'before-nonsense' })
  const bytes = [
    'POST /whatsapp/wa-group/create HTTP/1.1',
    'Host: h',
    'Authorization: wk_test_key_0123456789',
    'Content-Type: application/json',
    `Content-Length: ${json.length}`,
    '',
    `${json}nonsense\r\n\r\n`,
  ].join('\r\n')

  const received = await sendBytes(port, bytes)

  expect(received).toMatch(/^HTTP\/1\.1 200 /)
  expect(received).toContain('{"success":true,"groupId":"before-nonsense"}')
})

test('logs no error and continues after all of these requests', async () => {
  for (const { log, server } of targets.values()) {
    expect(log.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  }
})
