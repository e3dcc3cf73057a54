import { DatabaseSync } from 'node:sqlite'
import { createMock } from '@wabakit/mock'
import { createReceiver, memoryDedupe, sqlInbox, standardWebhooks } from '@wabakit/webhooks'
import { expect, it } from 'vitest'

// Tests the receiver against the deliveries of the service itself: its signatures, retries and order.

const receiving = async () => {
  const mock = await createMock()
  const handled: string[] = []
  const verify = standardWebhooks({ secrets: [mock.secret] })
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() })
    .onAny(({ event }) => void handled.push(event))
    .onError(() => {})
  mock.deliverTo(receiver)
  return { mock, receiver, handled }
}

it('receives every event of a group and of a call, in order', async () => {
  const { mock, handled } = await receiving()
  await using _ = mock
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  await mock.simulateParticipant('joined', { groupId, phone: '+15550009999' })
  await mock.waitForDelivery('GROUP_PARTICIPANT_JOINED', { groupId })
  const { callId } = await mock.simulateCall({ direction: 'INCOMING' })
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(handled).toEqual([
    'GROUP_CREATED',
    'GROUP_PARTICIPANT_JOINED',
    'CALL_INCOMING_INITIATED',
    'CALL_ACCEPTED',
    'CALL_ENDED',
    'CALL_AI_SUMMARY',
  ])
})

it('handles a duplicate once, and acknowledges it', async () => {
  const { mock, handled } = await receiving()
  await using _ = mock
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY')
  const { callId } = await mock.simulateCall({})
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await mock.clock.advance('1h')
  const deliveries = mock.deliveries.filter(({ name }) => name === 'CALL_AI_SUMMARY')
  expect(deliveries.map(({ status }) => status)).toEqual([200, 200])
  expect(handled.filter((name) => name === 'CALL_AI_SUMMARY')).toHaveLength(1)
})

it('stores deliveries in an inbox, and handles them when it is drained', async () => {
  await using mock = await createMock()
  using database = new DatabaseSync(':memory:')
  const handled: string[] = []
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [mock.secret] }),
    inbox: sqlInbox(database, { clock: mock.clock }),
  }).onAny(({ event }) => void handled.push(event))
  mock.deliverTo(receiver)
  const { callId } = await mock.simulateCall({})
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(handled).toEqual([])
  expect(await receiver.drain()).toMatchObject({ remaining: 0 })
  expect(handled.at(-1)).toBe('CALL_AI_SUMMARY')
  expect(handled).toHaveLength(mock.deliveries.length)
})

it.each(['body', 'signature', 'timestamp', 'missing_header'] as const)(
  'rejects a delivery tampered with in its %s, and takes the retry',
  async (part) => {
    const { mock, handled } = await receiving()
    await using _ = mock
    mock.faults.deliveries.tamper('CALL_ENDED', { part })
    const { callId } = await mock.simulateCall({})
    await mock.clock.advance('5s')
    await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
    const deliveries = mock.deliveries.filter(({ name }) => name === 'CALL_ENDED')
    expect(deliveries.map(({ status }) => status)).toEqual([401, 200])
    expect(handled).toContain('CALL_ENDED')
  },
)

it('handles the retry of an event whose handler threw', async () => {
  const { mock, receiver, handled } = await receiving()
  await using _ = mock
  let failures = 1
  receiver.on('GROUP_CREATED', () => {
    if (failures-- > 0) throw new Error('not now')
  })
  await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 7' })
  await mock.clock.advance('5s')
  await mock.waitForDelivery('GROUP_CREATED', {})
  expect(mock.deliveries.map(({ status }) => status)).toEqual([500, 200])
  expect(handled).toEqual(['GROUP_CREATED', 'GROUP_CREATED'])
})
