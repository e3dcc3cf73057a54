import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServerConfig } from '../src/index.ts'
import { bundles } from './bundle-processes.ts'
import { acme, control, createGroup, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'
import { openStream } from './open-stream.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Starts a server in a separate process. */
const serve = async (
  config: Partial<ServerConfig> = {},
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; url: string }> => {
  const settings = { port: 0, database: ':memory:', logLevel: 'silent', organizations: [acme], ...config }
  const child = spawn(process.execPath, [...flags, bundles.serve, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  if (child.stdout === null) throw new Error('no output')
  const [url] = await once(createInterface(child.stdout), 'line')
  return { child, url: String(url) }
}

const waitForExit = async (child: ChildProcess): Promise<number | null> => {
  const [code] = await once(child, 'exit')
  return code
}

const body = JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team', groupId: 'slow' })

/** Sends the head of a request and half of its body. Resolves when the server has started to handle it. */
const beginRequest = async (url: string) => {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => {})
  socket.write(
    [
      'POST /whatsapp/wa-group/create HTTP/1.1',
      'host: localhost',
      'authorization: wk_test_key_0123456789',
      'content-type: application/json',
      'expect: 100-continue',
      `content-length: ${body.length}`,
      '',
      '',
    ].join('\r\n'),
  )
  await once(socket, 'data')
  expect(answer).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  answer = ''
  socket.write(body.slice(0, 20))
  return { finish: () => socket.write(body.slice(20)), closed: once(socket, 'close').then(() => answer) }
}

const refusesConnections = async (url: string): Promise<void> => {
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const refused = await Promise.race([
      once(socket, 'connect').then(() => false),
      once(socket, 'error').then(() => true),
    ]).catch(() => true)
    socket.destroy()
    if (refused) return
  }
}

test('a request under way when the server starts to stop gets its response, and no other is accepted', async () => {
  const { child, url } = await serve()
  const request = await beginRequest(url)
  const exit = waitForExit(child)

  child.kill('SIGTERM')
  await refusesConnections(url)
  request.finish()

  const answer = await request.closed
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  expect(answer).toContain('"groupId":"slow"')
  expect(await exit).toBe(0)
})

test('after SIGTERM, a server is not ready but serves requests for drainMs, and closes each connection', async () => {
  const { child, url } = await serve({ drainMs: 600_000 })
  const exit = waitForExit(child)
  const readReadiness = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  await expect.poll(readReadiness).toBe(200)
  const kept = await createGroup(url)
  expect(kept.headers.get('connection')).toBe('keep-alive')

  child.kill('SIGTERM')
  await expect.poll(readReadiness, { interval: 5 }).toBe(503)
  const created = await createGroup(url)
  expect([created.status, created.headers.get('connection')]).toEqual([200, 'close'])
  // A second signal ends the process at once.
  child.kill('SIGTERM')
  await exit
})

test('SIGINT skips drainMs', async () => {
  const { child } = await serve({ drainMs: 600_000 })
  child.kill('SIGINT')
  expect(await waitForExit(child)).toBe(0)
})

test('a server stops beside the fake timers of a test, also with kept connections', async () => {
  const server = await start()
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  await once(socket, 'data')
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  await server.close()
})

test('a request with incomplete headers does not delay a stop for the whole grace period', async () => {
  const { url, close } = await start({ shutdownGraceMs: 18_000 })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const closed = once(socket, 'close')
  socket.on('error', () => {})
  socket.write('POST /whatsapp/wa-group/create HTTP/1.1\r\nhost: local')
  await (await createGroup(url)).text()

  const stoppedAt = performance.now()
  await close()

  expect(performance.now() - stoppedAt).toBeLessThan(15_000)
  await closed
})

test('a stop ends a stream, a request and an attempt after the grace period, and logs no error', async () => {
  const log = new PassThrough()
  const lines = text(log)
  const settings = {
    database: join(temporaryFolder(), 'wabakit.db'),
    logLevel: 'debug',
    logFormat: 'json',
    shutdownGraceMs: 200,
  } as const
  const server = await start(settings, { logStream: log })
  const hanging = createServer()
  const origin = await listenOnFreePort(hanging)
  await control(server, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${origin}/`,
  })
  await openStream(server)
  const connected = once(hanging, 'connection')
  await createGroup(server.url)
  await connected
  const request = await beginRequest(server.url)

  await server.close()
  expect(await request.closed).toBe('')

  log.end()
  const levels = (await lines)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).level)
  expect(levels).toContain('info')
  expect(levels).not.toContain('error')
  expect(levels).not.toContain('fatal')
})

test.each([
  ['a stream', '/_wabakit/organizations/acme/stream', 'ends, and does not delay the stop', 200],
  ['the readiness', '/readyz', 'is that it is not ready', 503],
])('%s that is requested at %s while the server stops %s', async (_, path, _outcome, status) => {
  const { url, close } = await start({ shutdownGraceMs: 18_000 })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const response = text(socket)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n`)
  // The answer shows that the server has read from another connection since.
  await (await createGroup(url)).text()

  const stoppedAt = performance.now()
  const closed = close()
  socket.write('\r\n')
  await closed

  expect(await response).toMatch(`HTTP/1.1 ${status} `)
  expect(performance.now() - stoppedAt).toBeLessThan(12_000)
})

test('stops that overlap are one stop, also after it has ended', async () => {
  const log = new PassThrough()
  const lines = text(log)
  const server = await start({ logLevel: 'info', logFormat: 'json' }, { logStream: log })
  const stops = [server.close(), server.close(), server[Symbol.asyncDispose]()]
  expect(new Set(stops).size).toBe(1)
  await Promise.all(stops)
  await server.close()

  log.end()
  const messages = (await lines)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  expect(messages.filter((message) => message === 'stopped')).toEqual(['stopped'])
})

test('a signal during the start ends the process, and the next start finds the database free', async () => {
  const database = join(temporaryFolder(), 'wabakit.db')
  const settings = JSON.stringify({ port: 0, database, logLevel: 'silent', organizations: [acme] })
  const child = spawn(process.execPath, [bundles.serve, settings], { stdio: 'ignore' })
  const exit = once(child, 'exit')
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  // The database is opened before the server listens.
  await expect.poll(() => existsSync(database)).toBe(true)
  child.kill('SIGTERM')
  await exit

  const { url } = await start({ database })
  expect((await createGroup(url)).status).toBe(200)
})

test('a stop does not wait for an endpoint whose last attempt failed', async () => {
  const server = await start({ shutdownGraceMs: 18_000 })
  let requests = 0
  const failing = createHttpServer((request, response) => {
    request.resume()
    requests += 1
    if (requests === 1) response.writeHead(500).end()
  })
  const origin = await listenOnFreePort(failing)
  await control(server, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${origin}/`,
  })
  await createGroup(server.url, { groupId: 'first' })
  await expect.poll(() => requests).toBe(1)
  await createGroup(server.url, { groupId: 'second' })
  await expect.poll(() => requests).toBe(2)

  const startedAt = performance.now()
  await server.close()
  // The attempt would end after 15 s.
  expect(performance.now() - startedAt).toBeLessThan(12_000)
})

test('a part that cannot be loaded during an update is loaded by a later request', async () => {
  // Imitates an update that is replacing the file of the control API when the first request needs it.
  const hook = `import { registerHooks } from 'node:module'
    let isMissing = true
    registerHooks({
      resolve: (name, context, next) => {
        if (!isMissing || !name.includes('/control-api-')) return next(name, context)
        isMissing = false
        throw new Error('ENOENT')
      },
    })`
  const { url } = await serve({}, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`])
  const request = () => fetch(`${url}/_wabakit/info`)

  expect((await request()).status).toBe(500)
  expect((await request()).status).toBe(200)
})

const asFirstProcess = encodeURIComponent("Object.defineProperty(process, 'pid', { value: 1 })")

test.each([
  ['the process', [], [null, 'SIGTERM']],
  ['the first process of a container', ['--import', `data:text/javascript,${asFirstProcess}`], [143, null]],
])('a second signal ends %s immediately', async (_, flags, ended) => {
  const { child, url } = await serve({}, flags)
  await beginRequest(url)
  const exit = once(child, 'exit')

  child.kill('SIGTERM')
  await refusesConnections(url)
  child.kill('SIGTERM')

  expect(await exit).toEqual(ended)
})
