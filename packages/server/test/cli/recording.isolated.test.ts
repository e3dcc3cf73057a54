import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { eventExamples } from '@wabakit/contract/documents'
import { verifySignature } from '@wabakit/webhooks'
import { expect, onTestFinished, test } from 'vitest'
import { getStatus, sendBytes } from '../../../webhooks/test/malformed-requests.ts'
import { folder, startWabakit, wabakitHere as wabakit } from './wabakit.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const ended = JSON.stringify(eventExamples.CALL_ENDED)

type Arrival = {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: Buffer
}

/** Opens an application that keeps what arrives, and answers with the status that its path names, or 200. */
const openApplication = async () => {
  const arrivals: Arrival[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    const headers = new Headers(
      Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, `${value}`]),
    )
    arrivals.push({ method, url, headers, body: await buffer(incoming) })
    outgoing.writeHead(Number(/\d{3}/.exec(url)?.[0] ?? 200), { 'x-answer': 'from the application' })
    outgoing.end('{"received":true}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { arrivals, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Sends a request with exact bytes and headers, as `fetch` cannot. */
const send = async (url: string, { method = 'POST', headers = {}, body = Buffer.alloc(0) } = {}) => {
  const sent = request(url, { method, headers, agent: false }).end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, body: (await buffer(response)).toString() }
}

const startCapture = async (file: string, args: readonly string[] = []) => {
  const started = startWabakit(['capture', '--port', '0', '--record', file, '--format', 'json', ...args])
  const { url }: { url: string } = JSON.parse(await started.line(/"ready":true/))
  return { ...started, url }
}

const readRecords = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** More brackets inside each other than JSON.stringify can write. */
const deep = `${'{"0":'.repeat(5_000)}1${'}'.repeat(5_000)}`

const bodies = {
  event: Buffer.from(ended),
  'text with line ends': Buffer.from('{"event":\r\n"NEW_EVENT",\n"text":"\u2028 ✓"}\n'),
  'a byte order mark': Buffer.from(`\ufeff${ended}`),
  'what is not JSON': Buffer.from('name=value&other=1'),
  'what is not UTF-8': Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a, 0x7d]),
  'thousands of brackets': Buffer.from(ended.replace('}', `,"x":${deep}}`)),
  nothing: Buffer.alloc(0),
  '3 MB of bytes': Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256)),
}

test('replay sends exactly the bytes that capture has recorded, in order, and no masked header', async () => {
  const capture = await startCapture('bytes.jsonl')
  for (const body of Object.values(bodies)) {
    const { status } = await send(`${capture.url}/hooks`, { headers: { 'x-token': 't0ken' }, body })
    expect(status).toBe(200)
    // It is on the disk once it has been answered.
    expect(readFileSync(join(folder, 'bytes.jsonl'), 'utf8').endsWith('}\n')).toBe(true)
  }
  capture.kill('SIGTERM')
  expect(await capture.ended).toBe(0)

  const application = await openApplication()
  const replay = await wabakit(['replay', 'bytes.jsonl', '--to', application.url])

  expect(replay).toMatchObject({ code: 0, stderr: '' })
  expect(application.arrivals.map(({ url }) => url)).toEqual(Object.values(bodies).map(() => '/hooks'))
  for (const [index, [name, body]] of Object.entries(bodies).entries())
    expect(application.arrivals[index]?.body.equals(body), name).toBe(true)
  expect(application.arrivals.map(({ headers }) => headers.get('x-token'))).toEqual(
    Object.values(bodies).map(() => null),
  )
})

test('capture masks all but harmless headers, and leaves out the query, in a file for its owner only', async () => {
  writeFileSync(join(folder, 'masked.jsonl'), '{"torn', { mode: 0o644 })
  const capture = await startCapture('masked.jsonl')
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer s3cret',
    'x-new': 's3cret',
    'webhook-id': 'msg_1',
  }
  await send(`${capture.url}/hooks?token=s3cret`, { headers, body: bodies.event })
  capture.kill('SIGINT')
  await capture.ended

  const text = readFileSync(join(folder, 'masked.jsonl'), 'utf8')
  expect(text).not.toContain('s3cret')
  expect(capture.lines.join()).not.toContain('s3cret')
  expect(statSync(join(folder, 'masked.jsonl')).mode & 0o777).toBe(0o600)
  // A line that a killed process left incomplete does not spoil the next one.
  const [torn, line = '', ...more] = text.split('\n')
  expect([torn, more]).toEqual(['{"torn', ['']])
  expect(JSON.parse(line)).toMatchObject({
    method: 'POST',
    path: '/hooks',
    body: ended,
    receivedAt: expect.stringMatching(/^20.+Z$/),
    headers: expect.arrayContaining([
      ['content-type', 'application/json'],
      ['webhook-id', 'msg_1'],
      ['x-new', '(masked)'],
      ['authorization', '(masked)'],
    ]),
  })
})

test('capture keeps secrets if asked, and answers what the application answers', async () => {
  const application = await openApplication()
  const capture = await startCapture('kept.jsonl', ['--keep-secrets', '--forward-to', application.url])
  const answer = await send(`${capture.url}/status/418?token=s3cret`, {
    headers: { authorization: 'Bearer s3cret', 'content-type': 'application/json' },
    body: bodies.event,
  })
  capture.kill('SIGTERM')
  await capture.ended

  expect(answer).toMatchObject({ status: 418, body: '{"received":true}' })
  expect(answer.headers['x-answer']).toBe('from the application')
  const [arrival] = application.arrivals
  expect(arrival).toMatchObject({ method: 'POST', url: '/status/418?token=s3cret' })
  expect(arrival?.headers.get('authorization')).toBe('Bearer s3cret')
  expect(arrival?.headers.get('host')).toBe(new URL(application.url).host)
  const [record] = readRecords('kept.jsonl')
  expect(record.path).toBe('/status/418?token=s3cret')
  expect(record.headers).toContainEqual(['authorization', 'Bearer s3cret'])
  const [, line = ''] = capture.lines
  expect(JSON.parse(line)).toEqual({
    method: 'POST',
    path: '/status/418',
    bytes: bodies.event.length,
    status: 418,
    kind: 'event',
    event: 'CALL_ENDED',
    reasons: [],
  })
})

test('capture records what an application cannot take, and answers 502', async () => {
  const capture = await startCapture('unreached.jsonl', ['--forward-to', 'http://127.0.0.1:9/hooks'])
  const { status } = await send(capture.url, { body: bodies.event })
  capture.kill('SIGTERM')
  await capture.ended
  expect(status).toBe(502)
  expect(readRecords('unreached.jsonl')).toMatchObject([{ body: ended }, { refusedWith: 502 }])
})

test('replay says how many requests the application had not accepted, and check takes their lines for no bodies', async () => {
  const application = await openApplication()
  const capture = await startCapture('refused.jsonl', ['--forward-to', application.url])
  for (const path of ['/', '/status/401', '/status/204', '/status/500'])
    await send(`${capture.url}${path}`, { body: bodies.event })
  capture.kill('SIGTERM')
  await capture.ended
  const replay = await wabakit(['replay', 'refused.jsonl', '--to', `${application.url}/again`])
  expect(replay).toMatchObject({ code: 0, stderr: '2 of 4 were not accepted when they were recorded.\n' })
  expect(application.arrivals.map(({ body }) => body.toString())).toEqual(Array(8).fill(ended))
  expect(await wabakit(['check', 'refused.jsonl'])).toMatchObject({ code: 0, stderr: 'Of 4: 4 event.\n' })
})

// Only Linux has /dev/full.
test.runIf(process.platform === 'linux')('capture answers 500 to what it cannot record', async () => {
  const application = await openApplication()
  const capture = await startCapture('/dev/full', ['--forward-to', application.url])
  const answers = [await send(capture.url, { body: bodies.event }), await send(capture.url)]
  capture.kill('SIGTERM')
  expect(await capture.ended).toBe(0)
  expect(answers.map(({ status }) => status)).toEqual([500, 500])
  expect(application.arrivals).toEqual([])
})

test('replay signs with the current time and the recorded id, or sets a header, or fails with the endpoint', async () => {
  const record = {
    receivedAt: '2020-01-01T00:00:00.000Z',
    method: 'POST',
    path: '/old?a=1',
    body: ended,
    headers: [
      ['Webhook-Id', 'msg_old'],
      ['webhook-timestamp', '1577836800'],
      ['webhook-signature', 'v1,old'],
      ['X-Token', '(masked)'],
    ],
  }
  // A body on a line is a request, too.
  writeFileSync(join(folder, 'old.jsonl'), `${JSON.stringify(record)}\n\n${ended}\n`)
  const application = await openApplication()
  const to = ['replay', 'old.jsonl', '--to']
  const signed = await wabakit([...to, `${application.url}/new`, '--secret', secret, '--format', 'json'])
  const token = await wabakit([...to, application.url, '--header', 'x-token: today'])
  const failing = await wabakit([...to, `${application.url}/500`])
  const unreachable = await wabakit([...to, 'http://127.0.0.1:9/'])

  const [first, second, third, fourth] = application.arrivals
  expect(signed.code).toBe(0)
  expect(
    signed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { line: 1, status: 200, url: `${application.url}/new` },
    { line: 3, status: 200 },
  ])
  for (const arrival of [first, second]) {
    const { body: payload = '', headers = new Headers() } = arrival ?? {}
    await expect(verifySignature({ payload, headers, secrets: [secret] })).resolves.toBeDefined()
  }
  expect(first?.headers.get('webhook-id')).toBe('msg_old')
  expect(token.code).toBe(0)
  expect(third?.url).toBe('/old?a=1')
  expect(third?.headers.get('x-token')).toBe('today')
  expect(third?.headers.get('webhook-signature')).toBe('v1,old')
  expect(fourth).toMatchObject({ method: 'POST', url: '/' })
  expect(failing).toMatchObject({ code: 1, stderr: '2 of 2 failed.\n' })
  expect(unreachable).toMatchObject({ code: 3, stdout: expect.stringContaining('ECONNREFUSED') })
})

test('check prints the kind of each body, and exits with 1 if one has drifted or is unreadable', async () => {
  const { callId: _, ...drifted } = eventExamples.CALL_ENDED
  const lines = [ended, '', JSON.stringify(drifted), '{"event":"NEW_EVENT"}', 'name=value', '[1]']
  const mixed = await wabakit(['check', '-', '--format', 'json'], { input: `\ufeff${lines.join('\r\n')}` })
  const good = await wabakit(['check', '-'], { input: `${ended}\n{"event":"NEW_EVENT"}\n` })
  const empty = await wabakit(['check', '-'], { input: '\n' })
  const missing = await wabakit(['check', 'missing.jsonl'])

  expect(mixed).toMatchObject({ code: 1, stderr: 'Of 5: 1 event, 1 unknown, 1 drifted, 2 unreadable.\n' })
  expect(
    mixed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { line: 1, kind: 'event', event: 'CALL_ENDED', reasons: [] },
    { line: 3, kind: 'drifted', event: 'CALL_ENDED', reasons: [expect.stringContaining('callId')] },
    { line: 4, kind: 'unknown', event: 'NEW_EVENT', reasons: [] },
    { line: 5, kind: 'unreadable', event: null, reasons: ['The body is not JSON.'] },
    { line: 6, kind: 'unreadable', event: null, reasons: ['The body is not a JSON object.'] },
  ])
  expect(good).toMatchObject({ code: 0, stderr: 'Of 2: 1 event, 1 unknown.\n' })
  expect(good.stdout).toBe('    1  event      CALL_ENDED\n    2  unknown    NEW_EVENT\n')
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no body in -.') })
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read: ENOENT') })
})

test('check reads bodies in arrays, over several lines, in texts and in the records of a log', async () => {
  const event = eventExamples.CALL_ENDED
  const pretty = JSON.stringify(event, null, 2)
  const torn = ended.slice(0, ended.indexOf(',') + 1)
  const inText = JSON.stringify({ log: `${JSON.stringify({ body: ended })}\n`, stream: 'stdout' })
  const files: readonly (readonly [text: string, lines: readonly string[], path?: string])[] = [
    [`[${ended},${ended}]`, ['1[1]', '1[2]']],
    [JSON.stringify([event, ended, { event: 'NEW_EVENT' }], null, 2), ['1[1]', '1[2]', '1[3]']],
    [`[\n${ended},\n${ended}\n]\n`, ['1[1]', '1[2]']],
    [pretty, ['1']],
    [
      `${pretty}\r\n\r\n${pretty.replaceAll('\n', '\r\n')}\n${ended}\n${JSON.stringify(ended)}`,
      [
        '1',
        `${pretty.split('\n').length + 2}`,
        `${2 * pretty.split('\n').length + 2}`,
        `${2 * pretty.split('\n').length + 3}`,
      ],
    ],
    [`{"level":30,"body":${ended}}\n{"level":30}\nstarted\n`, ['1'], 'body'],
    [`12:00:00 [info] {"req":{"body":${JSON.stringify(ended)}}}`, ['1'], 'req.body'],
    [`12:00:00 [app{main}] {"req":{"body":${ended}}} in 5 ms ctx={"a":{}}`, ['1'], 'req.body'],
    [JSON.stringify([ended, ended].map((body) => JSON.stringify({ body }))), ['1[1]', '1[2]'], 'body'],
    [`${inText}\n${inText}`, ['1', '2'], 'log.body'],
    [JSON.stringify({ Records: [{ body: ended }] }, null, 1), ['1'], 'Records.0.body'],
    [
      JSON.stringify({
        events: [
          { message: 'START' },
          ...[ended, ended].map((body) => ({ message: JSON.stringify({ body }) })),
        ],
      }),
      ['1[2]', '1[3]'],
      'events.message.body',
    ],
    [
      JSON.stringify([
        { id: 1, payload: event },
        { id: 2, payload: ended },
      ]),
      ['1[1]', '1[2]'],
      'payload',
    ],
    [`{"events":[${ended},${ended}]}`, ['1[1]', '1[2]'], 'events'],
    [`[${ended},{"event":"NEW_EVENT","x":${deep}}]`, ['1[1]', '1[2]']],
  ]
  for (const [input, lines, path] of files) {
    const { code, stdout } = await wabakit(['check', '-', ...(path ? ['--path', path] : [])], { input })
    expect(
      { code, lines: stdout.match(/^ *\S+(?= {2}(?:event|unknown) )/gm)?.map((each) => each.trim()) },
      input,
    ).toEqual({ code: 0, lines })
  }
  // A line that ends too early does not hide those after it.
  const { code, stdout } = await wabakit(['check', '-'], { input: `${torn}\n${ended}\n${ended}` })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^ {4}1 {2}unreadable\n.*\n {4}2 {2}event .*\n {4}3 {2}event /)
})

test('check says what it expects if it finds no event, and what it skips', async () => {
  const logged = await wabakit(['check', '-'], { input: `{"level":30,"body":${ended}}\n` })
  const empty = await wabakit(['check', '-', '--path', 'payload'], {
    input: `{"level":30,"body":${ended}}\n`,
  })
  expect(logged).toMatchObject({ code: 0, stderr: expect.stringContaining('--path names the field') })
  expect(empty).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Skipped 1 without payload.\nThere is no body in -. A file has'),
  })
})

test('replay sends the bodies of an array', async () => {
  const application = await openApplication()
  writeFileSync(join(folder, 'array.json'), JSON.stringify([eventExamples.CALL_ENDED, ended], null, 2))
  const { code } = await wabakit(['replay', 'array.json', '--to', application.url])
  expect(code).toBe(0)
  expect(application.arrivals.map(({ body }) => body.toString())).toEqual([ended, ended])
})

test('check reads what capture has recorded, whatever is no webhook aside', async () => {
  const capture = await startCapture('mixed.jsonl')
  await send(`${capture.url}/health`, { method: 'GET' })
  await send(`${capture.url}/hooks`, { body: bodies.event })
  await send(`${capture.url}/hooks`, { body: bodies['what is not UTF-8'] })
  capture.kill('SIGTERM')
  await capture.ended
  appendFileSync(join(folder, 'mixed.jsonl'), ended)

  const { code, stdout } = await wabakit(['check', 'mixed.jsonl'])
  expect(code).toBe(1)
  expect(stdout).toBe(
    '    2  event      CALL_ENDED\n    3  unreadable\n       The body is not UTF-8.\n    4  event      CALL_ENDED\n',
  )
})

test('capture holds at most 64 MiB of bodies, and 1 GiB in its file', async () => {
  const file = join(folder, 'full.jsonl')
  const capture = await startCapture('full.jsonl')
  const { hostname, port } = new URL(capture.url)
  const half = Buffer.alloc(33 * 1024 * 1024, 'a')
  // A stranger sends all of a body but its last byte.
  const stranger = connect(Number(port), hostname)
  stranger.write(`POST /stranger HTTP/1.1\r\nHost: a\r\nContent-Length: ${half.length + 1}\r\n\r\n`)
  await new Promise<void>((sent) => stranger.write(half, () => sent()))
  await expect.poll(async () => (await send(capture.url, { body: half })).status).toBe(503)
  expect((await send(capture.url, { body: bodies.event })).status).toBe(200)
  expect((await send(capture.url, { body: Buffer.alloc(65 * 1024 * 1024) })).status).toBe(413)
  stranger.write('a')
  expect(String(await once(stranger, 'data'))).toMatch(/^HTTP\/1.1 200 /)
  stranger.destroy()
  expect(await send(capture.url, { body: half })).toMatchObject({ status: 200 })
  capture.kill('SIGTERM')
  await capture.ended

  truncateSync(file, 1024 ** 3 - 100)
  const full = await startCapture('full.jsonl')
  expect((await send(full.url, { body: bodies.event })).status).toBe(500)
  full.kill('SIGTERM')
  await full.ended
  expect(statSync(file).size).toBe(1024 ** 3 - 100)
})

test('capture follows no symbolic link', async () => {
  writeFileSync(join(folder, 'other.txt'), 'text')
  chmodSync(join(folder, 'other.txt'), 0o644)
  symlinkSync('other.txt', join(folder, 'link.jsonl'))
  const link = await wabakit(['capture', '--port', '0', '--record', 'link.jsonl'])
  expect(link).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('it is a symbolic link. Name the file itself.'),
  })
  expect(statSync(join(folder, 'other.txt')).mode & 0o777).toBe(0o644)
})

test('capture refuses a request with two hosts', async () => {
  const capture = await startCapture('hosts.jsonl')
  const { port } = new URL(capture.url)
  const bytes = `POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`
  expect(getStatus(await sendBytes(Number(port), bytes))).toBe(400)
  capture.kill('SIGTERM')
  await capture.ended
  expect(readFileSync(join(folder, 'hosts.jsonl'), 'utf8')).toBe('')
})

test('capture, check and replay say what a delivery by GET is, and how to register instead', async () => {
  const application = await openApplication()
  const capture = await startCapture('get.jsonl')
  await send(`${capture.url}/hooks?event=CALL_ENDED`, { method: 'GET' })
  await send(`${capture.url}/hooks`, { body: bodies.event })
  capture.kill('SIGTERM')
  await capture.ended
  const advice = /by GET\. .*method POST and the body format JSON\./
  expect(capture.complaints()).toMatch(advice)
  expect(await wabakit(['check', 'get.jsonl'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(advice),
  })
  const replay = await wabakit(['replay', 'get.jsonl', '--to', application.url])
  expect(replay).toMatchObject({ code: 0, stderr: expect.stringMatching(advice) })
})
