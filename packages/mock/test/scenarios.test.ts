import { emittedEventSchemas, isEmittedEventName } from '@wabakit/contract'
import { createMock, type Mock, MockUsageError } from '@wabakit/mock'
import { parseEvent } from '@wabakit/webhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'

let mock: Mock
beforeEach(async () => {
  mock = await createMock({ seed: 7 })
})
afterEach(() => mock.close())

const names = () => mock.events.map(({ event }) => event)

test.each([
  ['answered', 'INCOMING', ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']],
  ['answered', 'OUTGOING', ['CALL_OUTGOING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']],
  ['missed', 'INCOMING', ['CALL_INCOMING_INITIATED']],
  ['rejected', 'INCOMING', ['CALL_INCOMING_INITIATED']],
  ['not_picked', 'OUTGOING', ['CALL_OUTGOING_INITIATED']],
  ['no_recording', 'INCOMING', ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED']],
  ['nothing_said', 'OUTGOING', ['CALL_OUTGOING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED']],
] as const)(
  'a call that is %s and %s tells what the service tells, on both channels',
  async (outcome, direction, told) => {
    for (const channel of ['PSTN', 'WHATSAPP'] as const) {
      const before = mock.events.length
      const call = await mock.simulateCall({ outcome, direction, channel })
      expect(names().slice(before)).toEqual(told)
      const number = channel === 'PSTN' ? mock.pstnNumber : mock.wabaNumber
      for (const event of mock.events.slice(before)) {
        expect(event).toMatchObject({ callId: call.callId, channel, from: number, to: call.customerNumber })
      }
    }
    for (const event of mock.events) {
      expect(
        isEmittedEventName(event.event) && emittedEventSchemas[event.event].safeParse(event).error,
      ).toBeUndefined()
    }
  },
)

test('a call of an AI bot by campaign has no team member', async () => {
  await mock.simulateCall({
    callType: 'AI_BOT',
    triggeredVia: 'CAMPAIGN',
    direction: 'OUTGOING',
    channel: 'WHATSAPP',
  })
  for (const event of mock.events) expect(event).not.toHaveProperty('agentNumber')
  expect(mock.events.at(-1)).toMatchObject({ callType: 'AI_BOT', triggeredVia: 'CAMPAIGN' })
})

test('a bot test call is silent, unless webhooks are on for it', async () => {
  await mock.simulateCall({ botTest: { webhooks: false } })
  expect(names()).toEqual([])
  await mock.simulateCall({ botTest: { webhooks: true } })
  expect(names()).toHaveLength(4)
})

test('a regenerated summary replaces the first and sends nothing', async () => {
  const { callId } = await mock.simulateCall({ summary: { recap: 'First.' } })
  await mock.simulateSummary(callId, { recap: 'Second.' })
  expect(names().filter((name) => name === 'CALL_AI_SUMMARY')).toHaveLength(1)
  const { summary } = await mock.client().calls.getSummary(callId)
  expect(summary.recap).toBe('Second.')
})

test('where summaries are manual there is none until a team member asks', async () => {
  const tenant = mock.tenant({ callSummaries: 'manual' })
  const { callId, summary } = await tenant.simulateCall()
  expect(summary).toBeUndefined()
  await tenant.expectNoEvent('CALL_AI_SUMMARY', { callId })
  await tenant.simulateSummary(callId)
  await tenant.waitForEvent('CALL_AI_SUMMARY', { callId })
  await expect(tenant.simulateCall({ summary: { generatedBy: 'automatic' } })).rejects.toMatchObject({
    code: 'summary_refused',
  })
})

test('sends what a live service sends for calls that nobody answered, when asked to', async () => {
  await mock.simulateCall({ outcome: 'missed', observedEvents: true })
  await mock.simulateCall({ outcome: 'rejected', channel: 'WHATSAPP', observedEvents: true })
  await mock.simulateCall({
    outcome: 'not_picked',
    direction: 'OUTGOING',
    channel: 'WHATSAPP',
    observedEvents: true,
  })
  await mock.simulateCall({ outcome: 'not_picked', direction: 'OUTGOING', observedEvents: true })
  expect(names()).toEqual([
    'CALL_INCOMING_INITIATED',
    'CALL_MISSED',
    'CALL_ENDED',
    'CALL_INCOMING_INITIATED',
    'CALL_REJECTED',
    'CALL_ENDED',
    'CALL_OUTGOING_INITIATED',
    'CALL_NOT_PICKED',
    'CALL_ENDED',
    'CALL_OUTGOING_INITIATED',
    'CALL_ENDED',
  ])
  expect(mock.events[2]).toMatchObject({ callStartedAt: '', durationInSeconds: 0 })
  await mock.clock.advance(0)
  expect(mock.deliveries.map(({ event }) => event)).toEqual(expect.arrayContaining([...mock.events]))
  expect(mock.deliveries.every(({ acknowledged }) => acknowledged)).toBe(true)
})

test('sends group events as older services do, when asked to', async () => {
  const tenant = mock.tenant({ olderGroupPayloads: true })
  const { groupId } = await tenant
    .client()
    .groups.create({ wabaNumber: tenant.wabaNumber, subject: 'Order 1042' })
  await tenant.simulateParticipant('joined', { groupId })
  await tenant.waitForDelivery('GROUP_PARTICIPANT_JOINED', { groupId })
  const [created, joined] = tenant.deliveries
  for (const delivery of [created, joined])
    expect(JSON.parse(delivery?.body ?? '')).not.toHaveProperty('event')
  expect(parseEvent(created?.body ?? '')).toMatchObject({ kind: 'event', recognisedBy: 'shape' })
  expect(created?.event?.event).toBe('GROUP_CREATED')
})

test('triggers any event by name, with the numbers of the tenant', async () => {
  const { callId } = await mock.simulateCall({ outcome: 'missed' })
  await mock.trigger('CALL_MISSED', { callId })
  await mock.trigger('GROUP_PARTICIPANT_LEFT', { groupId: 'group-1' })
  await mock.trigger('CALL_ENDED')
  await mock.waitForDelivery('CALL_MISSED', { callId, wabaNumber: mock.wabaNumber })
  await mock.waitForDelivery('GROUP_PARTICIPANT_LEFT', { groupId: 'group-1' })
  await mock.waitForDelivery('CALL_ENDED', { from: mock.pstnNumber })
  await expect(mock.trigger('CALL_MISED' as 'CALL_MISSED')).rejects.toThrow('Did you mean "CALL_MISSED"?')
})

test('triggers payloads that are no known event; only their deliveries tell of them', async () => {
  const payload = { type: 'wa_group', from: '+15550100001', message: 'Hello' }
  await mock.trigger(payload)
  await mock.clock.advance(0)
  expect(mock.events).toEqual([])
  expect(mock.deliveries).toMatchObject([
    { name: '', event: undefined, status: 204, body: JSON.stringify(payload) },
  ])
})

test('triggers events whose ids are longer than the service itself accepts', async () => {
  const callId = 'x'.repeat(3_000)
  await mock.trigger('CALL_MISSED', { callId })
  await mock.clock.advance(0)
  expect(mock.deliveries).toMatchObject([{ event: { event: 'CALL_MISSED', callId }, status: 204 }])
})

test('makes up the same people and summaries from the same seed', async () => {
  const calls = async (seed: number) => {
    await using seeded = await createMock({ seed })
    await seeded.simulateCall()
    await seeded.simulateCall({ channel: 'WHATSAPP' })
    return { key: seeded.apiKey, secret: seeded.secret, events: seeded.events }
  }
  expect(await calls(42)).toEqual(await calls(42))
  expect(await calls(43)).not.toEqual(await calls(42))
})

test.each([
  [
    'a summary of a call that can have none',
    () => mock.simulateCall({ outcome: 'missed', summary: {} }),
    /has no summary/,
  ],
  [
    'an unknown field',
    () => mock.simulateCall({ durationSeconds: 4 } as never),
    /Did you mean "durationInSeconds"\?/,
  ],
  [
    'an unknown field of the summary',
    () => mock.simulateCall({ summary: { recaps: '' } } as never),
    /Did you mean "recap"\?/,
  ],
  ['an unknown outcome', () => mock.simulateCall({ outcome: 'busy' as never }), /answered, missed/],
  [
    'an unknown action',
    () => mock.simulateParticipant('join' as never, { groupId: 'x' }),
    /Did you mean "joined"\?/,
  ],
  ['nobody who left', () => mock.simulateParticipant('left', { groupId: 'x' }), /Give the phone/],
])('refuses %s, and says what there is', async (_what, run, message) => {
  await expect(run()).rejects.toThrow(MockUsageError)
  await expect(run()).rejects.toThrow(message)
})
