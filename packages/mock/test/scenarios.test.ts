import { eventNames, isPublishedEventName, publishedEventSchemas } from '@wabakit/contract'
import { createMock, type Mock, MockUsageError } from '@wabakit/mock'
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
  ['missed', 'OUTGOING', ['CALL_OUTGOING_INITIATED']],
  ['no_recording', 'INCOMING', ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED']],
  ['nothing_said', 'OUTGOING', ['CALL_OUTGOING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED']],
] as const)(
  'a call that is %s and %s publishes the events of the service, on both channels',
  async (outcome, direction, expected) => {
    for (const channel of ['PSTN', 'WHATSAPP'] as const) {
      const before = mock.events.length
      const call = await mock.simulateCall({ outcome, direction, channel })
      expect(names().slice(before)).toEqual(expected)
      const number = channel === 'PSTN' ? mock.pstnNumber : mock.wabaNumber
      for (const event of mock.events.slice(before)) {
        expect(event).toMatchObject({ callId: call.callId, channel, from: number, to: call.customerNumber })
      }
    }
    for (const event of mock.events) {
      expect(
        isPublishedEventName(event.event) && publishedEventSchemas[event.event].safeParse(event).error,
      ).toBeUndefined()
    }
  },
)

test('a call whose direction contradicts its trigger is rejected, however it is created', async () => {
  const contradiction = { direction: 'OUTGOING', triggeredVia: 'INBOUND' } as const
  await expect(mock.simulateCall(contradiction)).rejects.toThrow(MockUsageError)
  for (const overrides of [
    { callDirection: 'OUTGOING', triggeredVia: 'INBOUND' },
    { callDirection: 'INCOMING', triggeredVia: 'UI' },
  ] as const) {
    await expect(mock.trigger('CALL_ENDED', overrides)).rejects.toThrow(/call is not triggered via/)
  }
  expect(names()).toEqual([])
})

test.each([
  ['missed', 'PSTN', 'INCOMING', 'CALL_MISSED'],
  ['missed', 'PSTN', 'OUTGOING', 'CALL_MISSED'],
  ['rejected', 'PSTN', 'INCOMING', 'CALL_MISSED'],
  ['missed', 'WHATSAPP', 'INCOMING', 'CALL_MISSED'],
  ['missed', 'WHATSAPP', 'OUTGOING', 'CALL_ENDED'],
  ['rejected', 'WHATSAPP', 'INCOMING', 'CALL_REJECTED'],
  ['rejected', 'WHATSAPP', 'OUTGOING', 'CALL_REJECTED'],
] as const)(
  'with observedEvents, a call that is %s on %s and %s ends with one event, as at a live service: %s',
  async (outcome, channel, direction, last) => {
    await mock.simulateCall({ outcome, channel, direction, observedEvents: true })

    expect(names()).toEqual([`CALL_${direction}_INITIATED`, last])
    const callEndedAt = new Date(mock.clock.now()).toISOString()
    expect(mock.events[1]).toMatchObject({ callStartedAt: '', callEndedAt, durationInSeconds: 0 })
    const { event } = await mock.waitForDelivery(last)
    expect(event).toEqual(mock.events[1])
  },
)

test('an answered call ends once, even with observedEvents', async () => {
  await mock.simulateCall({ observedEvents: true, summary: false })
  expect(names()).toEqual(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'])
})

test('notPicked sends that many equal CALL_NOT_PICKED while the call rings, whatever its outcome', async () => {
  for (const [outcome, last] of [
    ['answered', 'CALL_ACCEPTED'],
    ['missed', 'CALL_MISSED'],
  ] as const) {
    const before = mock.events.length
    await mock.simulateCall({ channel: 'WHATSAPP', outcome, notPicked: 2 })

    const events = mock.events.slice(before)
    const expected = ['CALL_INCOMING_INITIATED', 'CALL_NOT_PICKED', 'CALL_NOT_PICKED', last]
    expect(events.slice(0, 4).map(({ event }) => event)).toEqual(expected)
    expect(events[1]).toMatchObject({ callStatus: 'INITIATED', callDirection: 'INCOMING', callEndedAt: '' })
    expect(events[2]).toEqual(events[1])
  }
  await mock.clock.advance(0)
  expect(mock.deliveries.map(({ event }) => event)).toEqual(expect.arrayContaining([...mock.events]))
})

test.each([{}, { channel: 'PSTN' }, { channel: 'WHATSAPP', direction: 'OUTGOING' }] as const)(
  'notPicked is refused for a call that does not ring for one agent after another: %j',
  async (call) => {
    await expect(mock.simulateCall({ ...call, notPicked: 1 })).rejects.toThrow(MockUsageError)
    expect(names()).toEqual([])
  },
)

test('trigger sends any known event, with the numbers of the tenant', async () => {
  const { callId } = await mock.simulateCall({ outcome: 'missed' })
  await mock.trigger('CALL_MISSED', { callId })
  await mock.trigger('GROUP_PARTICIPANT_LEFT', { groupId: 'group-1' })
  await mock.trigger('CALL_ENDED')
  await mock.waitForDelivery('CALL_MISSED', { callId, wabaNumber: mock.wabaNumber })
  await mock.waitForDelivery('GROUP_PARTICIPANT_LEFT', { groupId: 'group-1' })
  await mock.waitForDelivery('CALL_ENDED', { from: mock.pstnNumber })
  await expect(mock.trigger('CALL_MISED' as 'CALL_MISSED')).rejects.toThrow('Did you mean "CALL_MISSED"?')
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
    'a summary for a call that cannot have one',
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
  [
    'a departure without a phone number',
    () => mock.simulateParticipant('left', { groupId: 'x' }),
    /Pass the phone/,
  ],
])('rejects %s, and explains what is valid', async (_what, run, message) => {
  await expect(run()).rejects.toThrow(MockUsageError)
  await expect(run()).rejects.toThrow(message)
})

test.each(eventNames)(
  'a triggered %s contains no future time, nor one of more than two hours ago',
  async (name) => {
    const now = mock.clock.now()
    await mock.trigger(name)
    const [event = {}] = mock.events
    const times = Object.entries(event).flatMap(([field, value]) =>
      /At$/.test(field) && value !== '' ? [Date.parse(String(value))] : [],
    )
    for (const time of times) {
      expect(time).toBeLessThanOrEqual(now)
      expect(time).toBeGreaterThan(now - 7_200_000)
    }
  },
)
