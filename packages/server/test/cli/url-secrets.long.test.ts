import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { eventExamples } from '@wabakit/contract/documents'
import { createMock, type MockOptions } from '@wabakit/mock'
import { matchers } from '@wabakit/mock/matchers'
import { anyOf, bearerAuth, createReceiver, sqlInbox, urlToken } from '@wabakit/webhooks'
import { createSecretFinder } from '@wabakit/wire'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { start } from '../fixture.ts'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import { folder, startServer, startWabakit, wabakitHere as wabakit } from './wabakit.ts'

/** Is changed by a form, by percent-encoding, by JSON and by HTML. */
const token = 'S3cr+t/T0ken=of "16" bytes&ä'
const encoded = encodeURIComponent(token)
const query = `?tenant=acme&token=${encoded}`
const body = JSON.stringify(eventExamples.CALL_ENDED)

/** Opens an endpoint that responds with the URL of each request, in several notations. */
const openEcho = async (status: number): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { location: `/login${query}` })
    response.end(`Route ${request.url} not found. ${JSON.stringify({ token })} ${btoa(encoded)}`)
  })
  return `${await listenOnFreePort(server)}/hooks${query}`
}

const print = ({ stdout, stderr }: { stdout: string; stderr: string }): string => `${stdout}\n${stderr}`

const run = async (args: readonly string[]): Promise<string> => print(await wabakit(args))

const runBoth = async (args: readonly string[]): Promise<string> => {
  const runs = ['pretty', 'json'].map((format) => run([...args, '--format', format]))
  return (await Promise.all(runs)).join('\n')
}

const catchMessage = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    return inspect(error, { depth: 9 })
  }
  throw new Error('nothing was thrown')
}

const recording = 'with-query.jsonl'
beforeAll(() => {
  const headers = [['content-type', 'application/json']]
  const record = { receivedAt: new Date(), method: 'POST', path: `/hooks${query}`, headers, body }
  writeFileSync(join(folder, recording), `${JSON.stringify(record)}\n`)
})

/** Starts a server whose endpoint refuses what it is sent, and returns what its commands print about it. */
const playServer = async (): Promise<string> => {
  const endpoint = await openEcho(500)
  const args = ['--webhook-url', endpoint, '--log-level', 'debug', '--metrics-token', 'a-token-for-metrics']
  const started = await startServer(args)
  const { url, demo } = started.ready
  const env = { WABAKIT_SERVER: url }
  const tail = startWabakit(['events', 'tail'], { env })
  await tail.following
  const sent = await wabakit(['trigger', 'call', '--set', 'callId=call-1'], { env })
  await tail.line(/<-- \[500\]/)
  const listed = await wabakit(['deliveries', 'list', '--format', 'json'], { env })
  const id = /"id":"(dlv_\w+)"/.exec(listed.stdout)?.[1] ?? ''
  const subscription = /"subscriptionId":"(sub_\w+)"/.exec(listed.stdout)?.[1] ?? ''
  const printed = await Promise.all(
    [
      ['subscription', 'list', '--format', 'pretty'],
      ['subscription', 'show', subscription, '--format', 'json'],
      ['subscription', 'test', subscription, '--format', 'pretty'],
      ['subscription', 'update', subscription, '--url', `ftp://a.example/${query}`],
      ['subscription', 'create', '--channel', 'PSTN', '--number', demo.pstnNumber, '--url', `nope${query}`],
      ['deliveries', 'show', id, '--format', 'pretty'],
      ['deliveries', 'show', id, '--format', 'json'],
      ['calls', 'show', 'call-1', '--format', 'pretty'],
      ['overview', '--format', 'pretty'],
      ['search', 'S3cr', '--format', 'pretty'],
    ].map(async (command) => print(await wabakit(command, { env }))),
  )
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer a-token-for-metrics' } })
  started.kill('SIGTERM')
  await started.ended
  tail.kill('SIGTERM')
  await tail.ended
  const streams = [started, tail].flatMap(({ lines, complaints }) => [...lines, complaints()])
  const text = [print(sent), print(listed), ...printed, await metrics.text(), ...streams].join('\n')
  expect(text).toContain('/hooks?tenant=***&token=***')
  expect(text).toContain('not found')
  return text
}

/** Forwards events to an endpoint that refuses them. */
const playListen = async (format: string): Promise<string> => {
  const { ready } = await startServer()
  const env = { WABAKIT_SERVER: ready.url }
  const listening = startWabakit(['listen', '--forward-to', await openEcho(404), '--format', format], { env })
  await listening.line(/forwarding|"ready":true/)
  await wabakit(['trigger', 'call'], { env })
  await listening.line(/404/)
  listening.kill('SIGTERM')
  await listening.ended
  return [...listening.lines, listening.complaints()].join('\n')
}

/** Records a request that has a token, and passes it on. */
const playCapture = async (forwardTo: string, format: string): Promise<string> => {
  const file = `captured-${format}.jsonl`
  const args = ['--port', '0', '--record', file, '--forward-to', forwardTo, '--format', format]
  const capture = startWabakit(['capture', ...args])
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await capture.line(/ready/))?.[0]
  const headers = { 'content-type': 'application/json', referer: `https://a.example/${query}` }
  await fetch(`${url}/hooks${query}`, { method: 'POST', body, headers }).then((each) => each.text())
  capture.kill('SIGTERM')
  await capture.ended
  return [...capture.lines, capture.complaints(), readFileSync(join(folder, file), 'utf8')].join('\n')
}

/** Delivers an event with a mock to a target that prints the URL, and returns what the mock shows about it. */
const playMock = async (options: Partial<MockOptions>, url?: string): Promise<string> => {
  await using mock = await createMock({ profile: 'live', ...options })
  const echo = (request: Request) => new Response(`Route ${request.url} not found`, { status: 404 })
  if (url === undefined) mock.deliverTo(echo, { url: `https://a.example/hooks${query}` })
  else await mock.subscribe({ url })
  mock.faults.deliveries.duplicate('CALL_ENDED')
  await mock.trigger('CALL_ENDED')
  const waited = await catchMessage(() => mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 100 }))
  const { message } = matchers.toHaveReceivedEvent(mock, 'CALL_ENDED')
  return [waited, message(), ...mock.deliveries.map((delivery) => inspect(delivery))].join('\n')
}

/** Delivers an event to a target that fails as fetch of Deno does, with the credentials that the mock has added. */
const playFailingTarget = async (webhookAuth: MockOptions['webhookAuth']): Promise<string> => {
  await using mock = await createMock({ webhookAuth })
  mock.deliverTo(
    ({ url, headers }) => {
      const cause = new Error(`error sending request for url (${url}) with ${headers.get('authorization')}`)
      throw new TypeError('failed', { cause })
    },
    { url: 'https://a.example/hooks?tenant=acme' },
  )
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  const text = mock.deliveries.map(({ error }) => error).join('\n')
  expect(text).toContain('failed: error sending request')
  return text
}

/** Saves a trace of deliveries to a target that prints the URL. */
const playTrace = async (options: Partial<MockOptions>, url?: string): Promise<string> => {
  await using mock = await createMock({ ...options, seed: 1 })
  const echo = (request: Request) => new Response(`Route ${request.url} not found`, { status: 404 })
  if (url === undefined) mock.deliverTo(echo, { url: `https://a.example/hooks${query}` })
  else await mock.subscribe({ url })
  mock.faults.deliveries.tamper('CALL_ENDED', { part: 'signature' })
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance('1h')
  await catchMessage(() => mock.waitForDelivery('CALL_ENDED', {}, { timeoutMs: 100 }))
  const path = join(folder, `trace-${url === undefined ? 'process' : 'http'}.html`)
  await mock.saveTrace(path)
  const [, trace = ''] = /id="trace">([^<]+)</.exec(readFileSync(path, 'utf8')) ?? []
  const text = gunzipSync(Buffer.from(trace, 'base64')).toString()
  expect(text).toContain('not found')
  return text
}

/** Sends requests to a receiver, and returns all that it prints, reports, stores and responds. */
const playReceiver = async (): Promise<string> => {
  const texts: unknown[] = []
  const spies = (['error', 'warn', 'log'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...words: unknown[]) => void texts.push(...words)),
  )
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const verify = anyOf(urlToken({ token: [token, 'another-token-of-it'] }), bearerAuth({ token }))
  const stored = createReceiver({ verify, inbox: sqlInbox(database, { dialect: 'sqlite' }) })
  const failing = createReceiver({ verify }).onAny(() => {
    throw new Error('failed')
  })
  const reporting = createReceiver({ verify }).onError((error, report) => texts.push(error, report))
  for (const receiver of [stored.onAny(() => {}), failing, reporting]) {
    for (const value of [encoded, `${encoded}&token=${encoded}`, `${encoded}x`, `${encoded}%`]) {
      const headers = { 'content-type': 'application/json' }
      const request = new Request(`https://a.example/?token=${value}`, { method: 'POST', body, headers })
      const response = await receiver.handle(request)
      texts.push(response.status, ...response.headers, await response.text())
    }
  }
  texts.push(...database.prepare('SELECT *, CAST(body AS TEXT) FROM wabakit_inbox').all())
  return texts.map((each) => inspect(each, { depth: 9 })).join('\n')
}

/** Disables a subscription, and returns the health events about it. */
const playHealth = async (): Promise<string> => {
  const endpoint = await openEcho(410)
  const { service } = await start({ allowPrivateTargets: true })
  const health: unknown[] = []
  service.dispatcher.onHealth((event) => health.push(event))
  await service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint,
  })
  await service.events.publish('acme', {
    name: 'CALL_ENDED',
    subject: 'call:1',
    channel: 'WHATSAPP',
    number: '+15550100001',
    payload: body,
  })
  await expect.poll(() => health.length).toBeGreaterThan(0)
  return JSON.stringify(health)
}

const doctorChecks = 'refuses-wrong-token,keeps-secrets-out-of-answers'
const examine = async (format: string, ...more: readonly string[]): Promise<string> =>
  print(await wabakit(['doctor', await openEcho(200), '--format', format, ...more]))

const closed = `http://127.0.0.1:9/hooks${query}`
const surfaces: Record<string, () => Promise<string>> = {
  'a server, its commands, log and metrics': playServer,
  'health events': playHealth,
  'listen, pretty': () => playListen('pretty'),
  'listen, JSON': () => playListen('json'),
  'capture in front of an application': async () => playCapture(await openEcho(500), 'pretty'),
  'capture in front of nothing': () => playCapture(closed, 'json'),
  'replay to a URL with a token': async () => runBoth(['replay', recording, '--to', await openEcho(500)]),
  'replay of a path with a token': async () =>
    run(['replay', recording, '--to', new URL(await openEcho(500)).origin, '--format', 'json']),
  'replay to nothing': () => run(['replay', recording, '--to', closed, '--format', 'json']),
  check: () => run(['check', recording]),
  ...Object.fromEntries(
    ['pretty', 'json', 'junit', 'sarif', 'markdown'].map((format) => [
      `doctor, ${format}`,
      () => examine(format, '--only', doctorChecks),
    ]),
  ),
  'doctor, one exchange': () => examine('pretty', '--repeat', 'refuses-wrong-token'),
  'doctor without an endpoint': () => run(['doctor', closed]),
  'doctor with effects at nothing': async () =>
    print(await wabakit(['doctor', await openEcho(200), '--only', doctorChecks, '--effects', closed])),
  'URLs that are not accepted': async () => {
    const wrong = `ftp://a.example/${query}`
    const commands = [
      ['listen', '--forward-to', wrong],
      ['doctor', wrong],
      ['doctor', `nope${query}`],
      ['serve', '--webhook-url', wrong],
      ['serve', '--operations-url', `nope${query}`],
      ['exec', '--mock', '--webhook-url', wrong, '--', 'true'],
    ]
    const results = await Promise.all(commands.map((command) => wabakit(command)))
    for (const [index, { code }] of results.entries()) expect([commands[index], code]).not.toContain(0)
    return results.map(print).join('\n')
  },
  'a mock with a target in process': () => playMock({ webhookAuth: { urlToken: token } }),
  'a mock with a target that throws': () => playFailingTarget({ urlToken: token }),
  'a mock with a target that throws its credentials': () => playFailingTarget({ token }),
  'a mock with an endpoint': async () => playMock({}, await openEcho(500)),
  'a mock with an endpoint that is not there': () => playMock({ webhookUrl: closed }, closed),
  'a saved trace, with a target in process': () => playTrace({ webhookAuth: { urlToken: token } }),
  'a saved trace, with an endpoint': async () => playTrace({}, await openEcho(500)),
  probe: async () => {
    const flags = ['--api-key', 'a-key-of-the-service', '--interval', '0', '--profile', 'of-a-token.json']
    const base = await openEcho(404)
    const results = [base, closed, `ftp://a.example/${query}`].map((url) => run(['probe', url, ...flags]))
    return (await Promise.all(results)).join('\n')
  },
  'errors of a mock': async () => {
    await using mock = await createMock()
    const [wrong, masked] = [`ftp://a.example/${query}`, `https://a.example/${query}***`]
    const works = [
      () => createMock({ webhookUrl: wrong }),
      () => createMock({ webhookAuth: { urlToken: token, parameters: 'x' } as never }),
      () => mock.subscribe({ url: wrong }),
      () => mock.subscribe({ url: masked }),
      () => mock.deliverTo(() => new Response(), { url: `/hooks${query}` }),
      () => mock.deliverTo(() => new Response(), { url: `https://a:${encoded}@a.example/` }),
    ]
    return (await Promise.all(works.map(catchMessage))).join('\n')
  },
  'a receiver and its inbox': playReceiver,
}

test.each(Object.entries(surfaces))('a token in the URL is shown in no notation by %s', async (_, play) => {
  const text = await play()
  expect(text.length).toBeGreaterThan(20)
  const isShown = createSecretFinder(text)
  // A part of it that no notation changes finds what is cut, too.
  const found = [token, encoded].some(isShown) || /S3cr|T0ken/i.test(text)
  expect(found ? text : '').toBe('')
})
