import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import { eventNames } from '@wabakit/contract'
import { beforeAll, expect, test } from 'vitest'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import { openEndpoint } from './endpoint.ts'
import { startServer, startWabakit, wabakitHere } from './wabakit.ts'

// Each test starts processes, which takes longer on a busy machine.

const wholeCall = ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']
const token = 'a-control-token-of-these-tests'

// One server for all tests. It sends webhooks to `endpoint`, and commands find it by environment variables.
const endpoint = await openEndpoint()
let env: Record<string, string>
beforeAll(async () => {
  const { ready } = await startServer([
    ...[
      '--webhook-url',
      endpoint.url,
      '--webhook-header',
      'authorization: Bearer t0ken',
      '--control-token',
      token,
    ],
  ])
  endpoint.trust(ready.demo.webhookSecret ?? '')
  env = { WABAKIT_SERVER: ready.url, WABAKIT_CONTROL_TOKEN: token }
})
const on = (...args: string[]) => wabakitHere(args, { env })

test("trigger plays a whole call, which listen forwards with the printed secret's signature and tail prints", async () => {
  const forwarded = await openEndpoint()
  const listening = startWabakit(['listen', '--forward-to', forwarded.url, '--header', 'x-token: t0ken'], {
    env,
  })
  const tail = startWabakit(['events', 'tail'], { env })
  const json = startWabakit(['events', 'tail', '--format', 'json'], { env })
  const ready = await listening.line(/webhook secret/)
  forwarded.trust(/whsec_\S+/.exec(ready)?.[0] ?? '')
  await Promise.all([tail, json].map(({ following }) => following))
  const before = endpoint.arrivals.length

  const call = await on('trigger', 'call', '--set', 'durationInSeconds=42', '--set', 'summary.recap=Hello')

  expect(call).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^call call_\S+ INCOMING PSTN ended\n$/),
  })
  await Promise.all([endpoint.arrived(before + 4), forwarded.arrived(4)])
  expect(endpoint.arrivals.slice(before).map(({ event }) => event)).toEqual(wholeCall)
  expect(forwarded.arrivals.map(({ event }) => event)).toEqual(wholeCall)
  expect(forwarded.arrivals.every(({ id }) => id?.startsWith('evt_'))).toBe(true)
  expect(forwarded.arrivals.every(({ token }) => token === 't0ken')).toBe(true)
  expect(endpoint.arrivals.at(-1)?.authorization).toBe('Bearer t0ken')

  const clock = '\\d\\d:\\d\\d:\\d\\d'
  for (const name of wholeCall) await tail.line(new RegExp(`^${clock} --> ${name} evt_\\w+ call:call_\\w+$`))
  await tail.line(new RegExp(`^${clock} <-- \\[200\\] CALL_ENDED call:call_\\w+ ${endpoint.url} \\d+ ms$`))
  await listening.line(new RegExp(`^${clock} <-- \\[200\\] POST ${forwarded.url} \\d+ ms$`))

  const summary = JSON.parse(await json.line(/"name":"CALL_AI_SUMMARY"/))
  expect(summary).toMatchObject({ type: 'event', id: expect.stringMatching(/^evt_/) })
  expect(JSON.parse(summary.payload)).toMatchObject({
    durationInSeconds: 42,
    summary: { recap: 'Hello', keyPoints: expect.any(Array) },
  })
  const attempt = JSON.parse(await json.line(/"type":"attempt".*"eventName":"CALL_AI_SUMMARY"/))
  expect(attempt).toMatchObject({ eventId: summary.id, status: 200, url: endpoint.url })

  const started = endpoint.arrivals.length
  expect(await on('resend', attempt.deliveryId)).toEqual({
    code: 0,
    stdout: '1 delivery is resent\n',
    stderr: '',
  })
  await endpoint.arrived(started + 1)
  expect(await on('resend', '--event', summary.id, '--new-webhook-id', '--format', 'json')).toMatchObject({
    code: 0,
    stdout: '{"resent":1}\n',
  })
  await endpoint.arrived(started + 2)
  const [original, again, renewed] = [endpoint.arrivals[started - 1], ...endpoint.arrivals.slice(started)]
  expect(again).toEqual(original)
  expect(renewed?.event).toBe('CALL_AI_SUMMARY')
  expect(renewed?.id).not.toBe(original?.id)

  for (const command of [listening, tail, json]) command.kill('SIGINT')
  expect(await Promise.all([listening, tail, json].map(({ ended }) => ended))).toEqual([0, 0, 0])
})

test('trigger sends each event by name, with the fields that --set overrides', async () => {
  const before = endpoint.arrivals.length
  const sent = await Promise.all(eventNames.map((name) => on('trigger', name)))

  expect(sent.map(({ code, stdout }) => [code, stdout.split(' ')[0]])).toEqual(
    eventNames.map((name) => [0, name]),
  )
  await endpoint.arrived(before + eventNames.length)
  expect(
    endpoint.arrivals
      .slice(before)
      .map(({ event }) => event)
      .toSorted(),
  ).toEqual(eventNames.toSorted())

  const { stdout } = await on(
    ...['trigger', 'GROUP_PARTICIPANT_LEFT', '--format', 'json'],
    ...['--set', 'groupId=order-1042', '--set', 'customerPhone="+15550199001"'],
  )
  const { name, payload } = JSON.parse(stdout)
  expect(name).toBe('GROUP_PARTICIPANT_LEFT')
  expect(JSON.parse(payload)).toMatchObject({ groupId: 'order-1042', customerPhone: '+15550199001' })
})

test("a rejected delivery shows the endpoint's response, and listen neither follows a redirect nor prints a secret that was passed in", async () => {
  const rejecting = createServer((request, response) => {
    request.resume()
    response
      .writeHead(request.url === '/moved' ? 307 : 401, { location: '/' })
      .end('timestamp 3600 s old\nsecond line')
  })
  const to = `localhost:${new URL(await listenOnFreePort(rejecting)).port}`
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const server = await startServer(['--webhook-url', `http://${to}/`])
  const at = { env: { WABAKIT_SERVER: new URL(server.ready.url).host } }
  const tail = startWabakit(['events', 'tail'], at)
  const listening = startWabakit(['listen', '--forward-to', `${to}/moved`, '--secret', secret], at)
  await Promise.all([tail.following, listening.line(/^ready/)])
  await wabakitHere(['trigger', 'GROUP_CREATED'], at)

  await tail.line(/\[401\] GROUP_CREATED group:\S+ http\S+ \d+ ms timestamp 3600 s old$/)
  await listening.line(/\[307\] POST .+ \d+ ms timestamp 3600 s old$/)
  expect(listening.lines.join('\n')).not.toContain('whsec_')
  for (const command of [tail, listening, server]) command.kill('SIGTERM')
  await Promise.all([tail, listening, server].map(({ ended }) => ended))
})

test('a server error exits with 1 and its message, and a value that it refuses with 2 and the name of its option', async () => {
  const [channel, delivery, organization, resend, stranger] = await Promise.all([
    on('trigger', 'call', '--set', 'channel=PIGEON'),
    on('resend', 'dlv_none'),
    on('trigger', 'call', '--organization', 'nobody'),
    on('resend', '--status', 'exhausted', '--organization', 'nobody'),
    on('trigger', 'call', '--control-token', 'not-the-token-of-it'),
  ])

  expect(channel).toEqual({
    code: 2,
    stdout: '',
    stderr: '--set channel must be PSTN or WHATSAPP\n(see wabakit trigger --help)\n',
  })
  expect(delivery).toMatchObject({ code: 1, stderr: expect.stringContaining('no delivery "dlv_none"') })
  for (const refused of [organization, resend]) {
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no organization "nobody"') })
  }
  expect(stranger).toMatchObject({ code: 2, stderr: expect.stringContaining('has another control token') })
})

test('erase counts with --dry-run, and erases a customer, a call and an organization', async () => {
  const at = { env }
  const customerNumber = '+15550199002'
  for (const callId of ['c1', 'c2']) {
    const set = ['--set', `callId=${callId}`, '--set', `customerNumber="${customerNumber}"`]
    await wabakitHere(['trigger', 'call', ...set, '--set', 'summary=false'], at)
  }
  const erase = async (...args: string[]) => (await wabakitHere(['erase', ...args, '--yes'], at)).stdout

  expect(await wabakitHere(['erase', 'call', 'c2'], at)).toMatchObject({
    code: 2,
    stderr: 'Nothing was changed. Add --yes to do it without being asked.\n',
  })

  expect(await erase('call', 'c2')).toBe('erased 1 call, 0 participants, 3 events with their deliveries\n')
  const counts = '1 call, 0 participants, 3 events with their deliveries\n'
  expect(await erase('customer', customerNumber, '--dry-run')).toBe(`would erase ${counts}`)
  expect(await erase('customer', customerNumber)).toBe(`erased ${counts}`)
  expect(JSON.parse(await erase('customer', customerNumber, '--format', 'json'))).toEqual({
    calls: 0,
    participants: 0,
    events: 0,
    dryRun: false,
  })
  expect(await wabakitHere(['erase', 'call', 'nope', '--yes'], at)).toMatchObject({
    code: 1,
    stderr: 'Nothing was found about the call nope.\n',
  })
  await wabakitHere(['org', 'create', '--id', 'former'], at)
  expect(await erase('organization', 'former', '--dry-run')).toMatch(/^would erase organization former/)
  expect(await erase('organization', 'former')).toMatch(/^erased organization former/)
  const gone = await wabakitHere(['erase', 'organization', 'former', '--yes'], at)
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('no organization "former"') })
})

test('tail starts with new events, and continues after the last one when the server comes back', async () => {
  const args = ['--database', 'tail.db']
  const first = await startServer([...args, '--webhook-url', endpoint.url])
  const port = new URL(first.ready.url).port
  const at = { env: { WABAKIT_SERVER: first.ready.url } }
  await wabakitHere(['trigger', 'GROUP_CREATED'], at)
  const tail = startWabakit(['events', 'tail', '--format', 'json'], at)
  await tail.following
  await wabakitHere(['trigger', 'GROUP_CREATED'], at)
  await tail.line(/"name":"GROUP_CREATED"/)
  // The last message has no id to resume after.
  await tail.line(/"type":"attempt"/)
  first.kill('SIGKILL')
  await first.ended
  const second = await startServer([...args, '--port', port])
  await wabakitHere(['trigger', 'call'], at)

  for (const name of wholeCall) await tail.line(new RegExp(`"name":"${name}"`))
  expect(tail.lines.filter((each) => each.includes('"type":"event"'))).toHaveLength(1 + wholeCall.length)
  for (const command of [tail, second]) command.kill('SIGTERM')
  expect(await Promise.all([tail.ended, second.ended])).toEqual([0, 0])
})

test('a server cannot write control characters to the terminal, in any format', async () => {
  const injected = '\u001b[2J\u001b]0;title\u0007\u009b1A\u202e\u2028\n12:00:00 --> FORGED'
  // Of the form of a server: another one is refused.
  const call = {
    ...{ callId: injected, direction: injected, channelNumber: injected, customerNumber: injected },
    ...{ channel: 'PSTN', state: 'ended', callType: 'AGENT', triggeredVia: 'INBOUND', publishesEvents: true },
    ...{ agentNumber: null, startedAt: null, endedAt: null, durationInSeconds: null, recorded: null },
    ...{ spoken: null, summary: null, initiatedAt: '2026-01-05T10:00:00.000Z' },
  }
  const hostile = createServer((request, response) => {
    const isRefused = request.url?.includes('/refused/')
    response.writeHead(isRefused ? 422 : 201, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isRefused ? { message: injected } : call))
  })
  const url = await listenOnFreePort(hostile)
  const at = { env: { WABAKIT_SERVER: url, FORCE_COLOR: '1' } }

  const outputs = await Promise.all([
    wabakitHere(['trigger', 'call'], at),
    wabakitHere(['trigger', 'call', '--format', 'json'], at),
    wabakitHere(['trigger', 'call', '--organization', 'refused'], at),
  ])

  for (const { stdout, stderr } of outputs) {
    const text = stdout + stderr
    expect(text).toContain('FORGED')
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u)
    expect(text.split('\n').filter((line) => line.startsWith('12:00:00'))).toEqual([])
  }
  expect(JSON.parse(outputs[1]?.stdout ?? '')).toEqual(call)
})

test('listen accepts a response after a 100 Continue that it did not ask for', async () => {
  const endpoint = createNetServer((socket) => {
    socket.once('data', () =>
      socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'),
    )
  })
  const url = `${await listenOnFreePort(endpoint)}/`
  const listening = startWabakit(['listen', '--forward-to', url], { env })
  await listening.line(/webhook secret/)
  await on('trigger', 'GROUP_CREATED')
  expect(await listening.line(/<-- /)).toContain('[202]')
  listening.kill('SIGTERM')
  await listening.ended
})
