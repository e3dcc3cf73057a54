import { createMock, type Mock, MockTimeoutError, MockUsageError, UnexpectedEventError } from '@wabakit/mock'
import { type EventMatchers, matchers } from '@wabakit/mock/matchers'
import {
  anyOf,
  createReceiver,
  generateSecret,
  memoryDedupe,
  standardWebhooks,
  staticHeader,
  urlToken,
} from '@wabakit/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'

let mock: Mock
beforeEach(async () => {
  mock = await createMock({ seed: 42 })
})
afterEach(() => mock.close())

const quick = { timeoutMs: 20 }
const getMessage = async (failing: Promise<unknown>): Promise<string> => {
  const error = await failing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(MockTimeoutError)
  return String(error)
}

test('finds a past event, and waits for a future one', async () => {
  const future = mock.waitForEvent('CALL_ENDED', { callId: 'call-1' })
  await mock.simulateCall({ callId: 'call-1' })
  const past = await mock.waitForEvent('CALL_ENDED', { callId: 'call-1' }, { timeoutMs: 0 })
  expect(await future).toEqual(past)
})

test('rejects with the error of a match that throws, and does not hold up other waits', async () => {
  const thrown = new Error('no such field')
  const failing = mock.waitForEvent('CALL_ENDED', () => {
    throw thrown
  })
  const other = mock.waitForEvent('CALL_ENDED', undefined, quick)
  const failed = expect(failing).rejects.toBe(thrown)
  await mock.trigger('CALL_ENDED', { callId: 'call-1' })
  expect(await other).toMatchObject({ callId: 'call-1' })
  await failed
})

test('waits without a limit if timeoutMs is Infinity', async () => {
  const ended = mock.waitForEvent('CALL_ENDED', undefined, { timeoutMs: Number.POSITIVE_INFINITY })
  const waited = getMessage(mock.waitForEvent('CALL_ENDED', { callId: 'none' }, quick))
  expect(await Promise.race([ended, waited])).toContain('happened within 20 ms')
  await mock.simulateCall({ callId: 'call-1' })
  expect(await ended).toMatchObject({ callId: 'call-1' })
})

test('does not run a task of the far future at once on the clock of the machine', async () => {
  await using machine = await createMock({ clock: 'machine' })
  await machine.simulateCall({ callId: 'call-1', summary: { after: '30d' } })
  await getMessage(machine.waitForEvent('CALL_AI_SUMMARY', undefined, quick))
})

test('finds an event by some of its fields, or by a function', async () => {
  await mock.simulateCall({ callId: 'call-1', summary: { recap: 'Wants a refund.' } })
  await mock.simulateCall({ callId: 'call-2', summary: { recap: 'Wants to cancel.' } })
  const byPart = await mock.waitForEvent('CALL_AI_SUMMARY', { summary: { recap: /cancel/ } })
  const byFunction = await mock.waitForEvent('CALL_AI_SUMMARY', ({ summary }) =>
    summary.recap.includes('cancel'),
  )
  expect([byPart.callId, byFunction.callId]).toEqual(['call-2', 'call-2'])
})

test('the time-out message shows the events, how the most similar one differs, and what is due later', async () => {
  await mock.simulateCall({ callId: 'call-1', summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.simulateCall({ callId: 'call-2', summary: { recap: 'Wants to cancel.' } })
  const match = { callId: 'call-1', summary: { recap: /refund/ } }
  expect(await getMessage(mock.waitForEvent('CALL_AI_SUMMARY', match, quick))).toMatchInlineSnapshot(`
    "MockTimeoutError: No CALL_AI_SUMMARY {"callId":"call-1","summary":{"recap":"/refund/"}} happened within 20 ms (seed 42).
    Events so far:
      1. CALL_INCOMING_INITIATED  callId call-1
      2. CALL_ACCEPTED  callId call-1
      3. CALL_ENDED  callId call-1
      4. CALL_INCOMING_INITIATED  callId call-2
      5. CALL_ACCEPTED  callId call-2
      6. CALL_ENDED  callId call-2
      7. CALL_AI_SUMMARY  callId call-2
    The most similar is number 7. It differs in:
        callId: expected "call-1", got "call-2"
        summary.recap: expected /refund/, got "Wants to cancel."
    Due later: the summary of call-1, in 30000 ms on the mock's clock: await mock.clock.advance(30000)"
  `)
})

test('the time-out message shows the last 20 events, and counts the earlier ones', async () => {
  for (let call = 1; call <= 25; call++) await mock.trigger('CALL_MISSED', { callId: `call-${call}` })
  const message = await getMessage(mock.waitForEvent('CALL_ENDED', undefined, quick))
  expect(message).toContain('Events so far:\n  (5 earlier ones)\n  6. CALL_MISSED  callId call-6\n')
  expect(message).toContain('\n  25. CALL_MISSED  callId call-25')
})

test('the time-out message compares the event that differs least from the match, wherever it is', async () => {
  await mock.trigger('CALL_MISSED', { callId: 'call-1', channel: 'PSTN' })
  await mock.trigger('CALL_MISSED', { callId: 'call-2', channel: 'WHATSAPP' })
  await mock.trigger('CALL_MISSED', { callId: 'call-3', channel: 'PSTN' })
  const match = { callId: 'call-4', channel: 'WHATSAPP' } as const
  const message = await getMessage(mock.waitForEvent('CALL_MISSED', match, quick))
  expect(message).toContain(
    'The most similar is number 2. It differs in:\n    callId: expected "call-4", got "call-2"',
  )
  expect(message).not.toContain('channel: expected')
})

test('the time-out message shows a whole event if the match is a function', async () => {
  await mock.trigger('CALL_MISSED', { callId: 'call-1' })
  const message = await getMessage(mock.waitForEvent('CALL_MISSED', ({ callId }) => callId === 'no', quick))
  expect(message).toContain('No CALL_MISSED for which ')
  expect(message).toContain('The most similar is number 1: {"event":"CALL_MISSED",')
})

test('the time-out message shows what is due next, earliest first, and no more than five tasks', async () => {
  for (const seconds of [60, 20, 50, 10, 40, 30]) {
    await mock.simulateCall({ callId: `call-${seconds}`, summary: { after: `${seconds}s` } })
  }
  const message = await getMessage(mock.waitForEvent('CALL_MISSED', undefined, quick))
  const due = [...message.matchAll(/^Due later: the summary of (\S+), in (\d+) ms/gm)]
  expect(due.map(([, callId, ms]) => [callId, Number(ms)])).toEqual(
    [10, 20, 30, 40, 50].map((seconds) => [`call-${seconds}`, seconds * 1_000]),
  )
})

test('a wait that states no time ends after one second', async () => {
  await mock.trigger('CALL_MISSED')
  const messages = await Promise.all(
    [mock.waitForEvent('CALL_ENDED'), mock.waitForDelivery('CALL_ENDED')].map(getMessage),
  )
  for (const message of messages) expect(message).toContain('within 1000 ms')
})

test('the time-out message shows the requests to the API that failed', async () => {
  const { wabaNumber } = mock
  const create = (apiKey: string) =>
    mock.client({ apiKey }).groups.create({ wabaNumber, subject: 'Order 1042' })
  const { groupId } = await create(mock.apiKey)
  await expect(create('wrong')).rejects.toThrow()
  await mock.fetch(`${mock.url}/nowhere`)
  const failed =
    'Failed requests so far:\n  groups.create 401 invalid_api_key\n  GET /nowhere 404 route_not_found\n' +
    `Events so far:\n  1. GROUP_CREATED  groupId ${groupId}\n`
  const match = { groupId: 'order-1042' }
  expect(await getMessage(mock.waitForEvent('GROUP_CREATED', match, quick))).toContain(failed)
  expect(await getMessage(mock.waitForDelivery('GROUP_CREATED', match, quick))).toContain(failed)
})

test('the time-out message for a delivery shows the responses, and the next attempt before what is due later', async () => {
  mock.deliverTo(() => new Response('no', { status: 500 }))
  for (const call of [1, 2, 3, 4, 5])
    await mock.simulateCall({ callId: `call-${call}`, summary: { after: '30s' } })
  const message = await getMessage(
    mock.waitForDelivery('CALL_INCOMING_INITIATED', { callId: 'call-1' }, quick),
  )
  expect(message).toContain('CALL_INCOMING_INITIATED to receiver, attempt 1: status 500')
  expect(/^Due later: .* ms on/m.exec(message)?.[0]).toBe(
    'Due later: the next delivery attempt, in 5000 ms on',
  )
})

test('the time-out message shows the first line of the response to a delivery', async () => {
  mock.deliverTo(() => new Response('\ntimestamp 3600 s old\nsecond line', { status: 401 }))
  await mock.simulateCall({ summary: false })
  const message = await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  expect(message).toContain('to receiver, attempt 1: status 401: timestamp 3600 s old\n')
  expect(message).not.toContain('second line')
})

test('the time-out message shows at most 200 characters of a response', async () => {
  mock.deliverTo(() => new Response('x'.repeat(500), { status: 500 }))
  await mock.simulateCall({ summary: false })
  const message = await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  expect(message).toContain(`attempt 1: status 500: ${'x'.repeat(200)}…\n`)
})

test('the time-out message shows a request without a response', async () => {
  mock.faults.next('groups.create', { reset: true })
  const client = mock.client({ retry: { limit: 0 } })
  await expect(client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })).rejects.toThrow()
  expect(await getMessage(mock.waitForEvent('GROUP_CREATED', undefined, quick))).toContain(
    'Failed requests so far:\n  groups.create no response fault\n',
  )
})

test('the time-out message names the faults that hit a delivery, and what was taken for a duplicate', async () => {
  const verify = standardWebhooks({ secrets: [mock.secret] })
  mock.deliverTo(createReceiver({ verify, dedupe: memoryDedupe() }).onAny(() => {}))
  mock.faults.deliveries.duplicate('CALL_INCOMING_INITIATED')
  mock.faults.deliveries.drop('CALL_ACCEPTED')
  await mock.simulateCall({ summary: false })
  await mock.clock.advance(0)
  expect(await getMessage(mock.waitForDelivery('CALL_ACCEPTED', {}, quick))).toContain(
    [
      'Deliveries so far:',
      '  CALL_INCOMING_INITIATED to receiver, attempt 1: status 200',
      '  CALL_INCOMING_INITIATED to receiver, attempt 2: status 200, taken for a duplicate (fault: duplicate)',
      '  CALL_ACCEPTED to receiver, attempt 1: dropped by faults.deliveries.drop (fault: drop)\n',
    ].join('\n'),
  )
})

test('the time-out message does not blame the secret for a delivery that a fault changed', async () => {
  mock.deliverTo(createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) }).onError(() => {}))
  mock.faults.deliveries.tamper('CALL_INCOMING_INITIATED', { part: 'signature' })
  await mock.simulateCall({ summary: false })
  const message = await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  expect(message).toMatch(/attempt 1: status 401.* \(fault: tamper\)/)
  expect(message).not.toContain('mock.secret')
})

test.each<[string, () => Promise<unknown>]>([
  ['waitForEvent', () => mock.waitForEvent('CALL_MISSED', {}, quick)],
  ['waitForDelivery', () => mock.waitForDelivery('CALL_MISSED', {}, quick)],
  ['waitForDelivery of an unknown event', () => mock.waitForDelivery('CALL_OVER' as 'CALL_ENDED')],
  ['expectNoEvent', () => mock.expectNoEvent('CALL_ENDED')],
  ['simulateCall', () => mock.simulateCall({ durationInSeconds: -1 })],
  ['simulateSummary', () => mock.simulateSummary('call-1', { recap: 1 } as object)],
  ['simulateParticipant', () => mock.simulateParticipant('joined', { group: 'x' } as never)],
  ['trigger', () => mock.trigger('CALL_OVER' as 'CALL_ENDED')],
  ['subscribe', () => mock.subscribe({ nothing: 1 } as never)],
  ['clock.advance', () => mock.clock.advance('soon' as '1s')],
])("an error from %s points at the caller's line", async (_name, fail) => {
  await mock.simulateCall({ callId: 'call-1' })
  const failing = fail()
  const error = await failing.then(() => undefined).catch((thrown: Error) => thrown)
  const frames = String(error?.stack)
    .split('\n')
    .filter((line) => line.startsWith('    at '))
  expect(frames[0]).toContain(import.meta.filename)
})

test('the time-out message shows a delivery that has no response yet', async () => {
  let respond = (_response: Response): void => {}
  mock.deliverTo(() => new Promise((resolve) => (respond = resolve)))
  await mock.simulateCall({ summary: false })
  const isHanging = async () =>
    (await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))).includes(
      'Does its handler hang?',
    )
  expect(await isHanging()).toBe(true)
  respond(new Response(null, { status: 500 }))
  await expect.poll(() => mock.deliveries.length).toBe(1)
  expect(await isHanging()).toBe(false)
})

test('the time-out message explains that a receiver verifies with a different secret', async () => {
  const verify = standardWebhooks({ secrets: [generateSecret()] })
  mock.deliverTo(createReceiver({ verify }).onError(() => {}))
  await mock.simulateCall({ summary: false })
  expect(await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))).toContain(
    'mock.secret',
  )
})

test.each([
  [undefined, /expects the header x-webhook-token\. .*createMock\(\{ webhookAuth/],
  [{ header: 'x-webhook-token', value: 'other' }, /compares the header x-webhook-token .*same webhookAuth/],
])(
  'the time-out message explains a header that is missing or different, with %j',
  async (webhookAuth, hint) => {
    await using live = await createMock({ profile: 'live', webhookAuth })
    const verify = staticHeader({ header: 'x-webhook-token', value: 't0ken' })
    live.deliverTo(createReceiver({ verify }).onError(() => {}))
    await live.simulateCall({ summary: false })
    const message = await getMessage(live.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
    expect(message).toMatch(hint)
    expect(message).not.toContain('mock.secret')
  },
)

const t0ken = '0123456789abcdef'
const other = 'another token of 16 bytes'
const doubled = `https://receiver.example/hooks?token=${t0ken}&token=${other}`

test.each([
  ['missing', {}, /expects the parameter token in the URL\. .*urlToken: …/],
  ['wrong', { urlToken: other }, /compares the parameter token .*different token.*same webhookAuth/],
  ['doubled', { url: doubled }, /has the parameter token more than once/],
])(
  'the time-out message explains a token in the URL that is %s, and does not show it',
  async (_, { url, urlToken: sent }: { url?: string; urlToken?: string }, hint) => {
    const webhookAuth = sent === undefined ? undefined : { urlToken: sent }
    await using live = await createMock({ profile: 'live', webhookAuth })
    const verify = anyOf(urlToken({ token: t0ken }), staticHeader({ header: 'x-token', value: 't0ken' }))
    live.deliverTo(
      createReceiver({ verify }).onError(() => {}),
      url === undefined ? {} : { url },
    )
    await live.simulateCall({ summary: false })
    const message = await getMessage(live.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
    expect(message).toMatch(hint)
    expect(message).toMatch(/expects the header x-token/)
    for (const token of [t0ken, other]) expect(message).not.toContain(token)
  },
)

test('a response that prints the URL or the credentials is shown without them', async () => {
  for (const webhookAuth of [{ urlToken: other }, { token: t0ken }, { header: 'x-token', value: t0ken }]) {
    await using live = await createMock({ profile: 'live', webhookAuth })
    live.deliverTo(
      ({ method, url, headers }) =>
        new Response(`Route ${method}:${url} not found ${JSON.stringify([...headers])}`, { status: 404 }),
      { url: `https://receiver.example/hooks?key=${t0ken}` },
    )
    live.faults.deliveries.duplicate('CALL_INCOMING_INITIATED')
    await live.simulateCall({ summary: false })
    const message = await getMessage(live.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
    expect(message.match(/Route POST.*not found/g)?.length).toBeGreaterThan(1)
    const shown = message + live.deliveries.map(({ responseBody }) => responseBody).join()
    for (const token of [t0ken, other, encodeURIComponent(other)]) expect(shown).not.toContain(token)
  }
})

test('a response is shown with what it prints of the headers that each webhook has', async () => {
  await using mock = await createMock()
  mock.deliverTo(
    ({ headers }) => new Response(`Known: ${headers.get('webhook-id')}, ${headers.get('webhook-signature')}`),
  )
  await mock.simulateCall({ summary: false })
  await mock.waitForDelivery('CALL_ENDED', {}, quick)
  for (const { responseBody, headers } of mock.deliveries)
    expect(responseBody).toBe(`Known: ${headers.get('webhook-id')}, ${headers.get('webhook-signature')}`)
})

test('the time-out message explains that the profile live does not sign', async () => {
  await using live = await createMock({ profile: 'live' })
  const verify = standardWebhooks({ secrets: [live.secret] })
  live.deliverTo(createReceiver({ verify }).onError(() => {}))
  await live.simulateCall({ summary: false })
  expect(await getMessage(live.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))).toContain(
    'does not sign',
  )
})

test('the time-out message lists no collected delivery of an event that a subscription gets', async () => {
  await mock.subscribe({ channel: 'PSTN', receiver: () => new Response(null, { status: 500 }) })
  await mock.simulateCall({ channel: 'PSTN', summary: false })
  const message = await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  expect(message).toContain('attempt 1: status 500')
  expect(message).not.toContain('collector')
  await mock.simulateCall({ channel: 'WHATSAPP', summary: false })
  const unreceived = await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  expect(unreceived).toContain('no subscription gets this event')
  expect(unreceived).toContain('before the event happens: mock.subscribe or mock.deliverTo.')
})

test('the time-out message says that no subscription gets an event, however often the URL is registered', async () => {
  await using live = await createMock({ profile: 'live', live: { registrations: 2 } })
  await live.subscribe({ channel: 'PSTN', receiver: () => new Response() })
  await live.trigger('CALL_ENDED', { channel: 'WHATSAPP' })
  const message = await getMessage(live.waitForDelivery('CALL_ENDED', {}, quick))
  expect(message).toContain('CALL_ENDED: no subscription gets this event')
  expect(message).toContain('Subscribe the endpoint to its channel and number')
})

test('a delivery is acknowledged by a status of 200 to 299, not by being sent', async () => {
  let isUp = false
  mock.deliverTo(() => new Response(null, { status: isUp ? 200 : 503 }))
  await mock.simulateCall({ summary: false })
  await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', {}, quick))
  isUp = true
  await mock.clock.advance('5s')
  const { attempt, status } = await mock.waitForDelivery('CALL_INCOMING_INITIATED')
  expect([attempt, status]).toEqual([2, 200])
})

test('collected deliveries count as acknowledged until the first subscribe', async () => {
  await mock.simulateCall({ callId: 'call-1', summary: false })
  expect((await mock.waitForDelivery('CALL_ENDED', { callId: 'call-1' })).to).toBe('collector')
  await mock.subscribe({ receiver: () => new Response(null, { status: 500 }) })
  await mock.simulateCall({ callId: 'call-2', summary: false })
  await getMessage(mock.waitForDelivery('CALL_INCOMING_INITIATED', { callId: 'call-2' }, quick))
})

test('expectNoEvent checks the past, or watches for a while', async () => {
  await mock.expectNoEvent('CALL_ENDED')
  const watching = mock.expectNoEvent('CALL_ENDED', { callId: 'call-1' }, { forMs: 30 })
  await mock.simulateCall({ callId: 'call-1' })
  await expect(watching).rejects.toThrow(UnexpectedEventError)
  await expect(mock.expectNoEvent('CALL_ENDED')).rejects.toThrow(
    /CALL_ENDED should not have happened, but it did \(seed 42\)/,
  )
  await mock.expectNoEvent('CALL_ENDED', { callId: 'call-2' })
})

test.each([
  [{ callID: 'call-1' }, 'match: "callID" is unknown. Did you mean "callId"?'],
  [{ summary: { keyPoint: [] } }, 'match.summary: "keyPoint" is unknown. Did you mean "keyPoints"?'],
])('refuses a misspelled field in a match: %j', async (match, message) => {
  const misspelled = match as object
  await expect(mock.expectNoEvent('CALL_AI_SUMMARY', misspelled)).rejects.toThrow(`expectNoEvent: ${message}`)
  await expect(mock.waitForEvent('CALL_AI_SUMMARY', misspelled)).rejects.toThrow(MockUsageError)
  await expect(mock.waitForDelivery('CALL_AI_SUMMARY', misspelled)).rejects.toThrow(MockUsageError)
  expect(() => matchers.toHaveReceivedEvent(mock, 'CALL_AI_SUMMARY', misspelled)).toThrow(MockUsageError)
})

test('a match may have every field that a live service sends, and matchers of a test runner', async () => {
  await using live = await createMock({ profile: 'live' })
  await live.trigger('CALL_MISSED')
  await live.clock.advance(0)
  const [{ ...sent } = {}] = live.events
  await live.waitForDelivery('CALL_MISSED', sent)
  await live.waitForDelivery('CALL_MISSED', expect.objectContaining({ event: 'CALL_MISSED' }))
})

test('closing or resetting the mock rejects pending waits with the reason', async () => {
  const beforeReset = mock.waitForEvent('CALL_ENDED')
  mock.reset()
  await expect(beforeReset).rejects.toThrow('the mock was reset while waiting')
  const beforeClose = mock.waitForDelivery('CALL_ENDED')
  await mock.close()
  await expect(beforeClose).rejects.toThrow('the mock was closed while waiting')
  for (const late of [
    mock.waitForEvent('CALL_ENDED'),
    mock.simulateCall(),
    mock.clock.advance('1s'),
    mock.fetch(`${mock.url}/v1/call/ai-summary`),
  ]) {
    await expect(late).rejects.toThrow(MockUsageError)
    await expect(late).rejects.toThrow(/this mock is closed/)
  }
  expect(() => mock.tenant()).toThrow(/this mock is closed/)
})

test('rejects an invalid waiting time', async () => {
  await expect(mock.waitForEvent('CALL_ENDED', {}, { timeoutMs: -1 })).rejects.toThrow(/timeoutMs must be/)
  await expect(mock.expectNoEvent('CALL_ENDED', {}, { forMs: Number.NaN })).rejects.toThrow(/forMs must be/)
})

expect.extend(matchers)
declare global {
  namespace Chai {
    interface Assertion extends EventMatchers {}
  }
}

test('toHaveReceivedEvent checks acknowledged deliveries, and shows the attempts', async () => {
  mock.deliverTo(({ headers }) => new Response(null, { status: headers.has('webhook-id') ? 200 : 400 }))
  expect(mock).not.toHaveReceivedEvent('CALL_ENDED')
  await mock.simulateCall({ callId: 'call-1', summary: false })
  await mock.clock.advance(0)
  expect(mock).toHaveReceivedEvent('CALL_ENDED', { callId: 'call-1' })
  expect(() => expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY')).toThrow(
    /CALL_AI_SUMMARY to have been delivered and acknowledged\. Delivered: CALL_INCOMING_INITIATED \(200\)/,
  )
  mock.faults.deliveries.drop('CALL_MISSED')
  await mock.trigger('CALL_MISSED')
  await mock.clock.advance(0)
  expect(() => expect(mock).toHaveReceivedEvent('CALL_MISSED')).toThrow(
    'CALL_MISSED (dropped by faults.deliveries.drop)',
  )
  expect(() => expect(mock).not.toHaveReceivedEvent('CALL_ENDED')).toThrow(
    /not to have been delivered and acknowledged, but received/,
  )
})
