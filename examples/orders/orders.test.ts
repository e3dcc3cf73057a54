import { expect, onTestFinished, test } from 'vitest'
import { createMock, type Mock } from 'wabakit/mock'
import { generateSecret, standardWebhooks, urlToken } from 'wabakit/webhooks'
import { openDatabase } from './database.ts'
import { createOrders } from './orders.ts'

const token = 'example-token-of-16-bytes'

/** Starts the service behind a sender that signs or, with WABAKIT_PROFILE=live, has a token in its URL. */
const start = async (mock: Mock, secrets = (): readonly string[] => [mock.secret]) => {
  const database = await openDatabase(':memory:', { clock: mock.clock })
  const client = mock.client()
  const orders = createOrders({
    database,
    client,
    wabaNumber: mock.wabaNumber,
    verify: mock.profile === 'live' ? urlToken({ token }) : standardWebhooks({ secrets }),
  })
  mock.deliverTo(orders.receiver)
  onTestFinished(async () => {
    await mock.close()
    await orders.receiver.stop()
    await database.close()
  })
  return { ...orders, client }
}

const order = { id: '1042', title: 'Order 1042: two teapots' }

test('an order gets a group, whose link arrives by webhook', async () => {
  const mock = await createMock({ webhookAuth: { urlToken: token } })
  const orders = await start(mock)

  await orders.place(order)
  const { event } = await mock.waitForDelivery('GROUP_CREATED', { groupId: 'order-1042' })
  await orders.receiver.drain()

  expect(await orders.find('1042')).toMatchObject({ state: 'created', invite_link: event.inviteLink })
})

test('an order whose outcome is unknown is settled by the event of its group', async () => {
  const mock = await createMock({ webhookAuth: { urlToken: token } })
  const orders = await start(mock)
  mock.faults.next('groups.create', { reset: true, carriedOut: true })

  await orders.place(order)
  expect(await orders.find('1042')).toMatchObject({ state: 'creating' })
  await mock.waitForDelivery('GROUP_CREATED', { groupId: 'order-1042' })
  await orders.receiver.drain()

  expect(await orders.find('1042')).toMatchObject({ state: 'created' })
})

test('a summary is stored once, however often it arrives', async () => {
  const mock = await createMock({ webhookAuth: { urlToken: token } })
  const orders = await start(mock)
  mock.faults.deliveries.duplicate('CALL_AI_SUMMARY', { copies: 3 })

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.' } })
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await orders.receiver.drain()

  expect(await orders.listSummaries()).toMatchObject([{ call_id: callId, recap: 'Wants a refund.' }])
})

test('a summary that never arrives is fetched', async () => {
  const mock = await createMock({ webhookAuth: { urlToken: token } })
  const orders = await start(mock)
  mock.faults.deliveries.neverRetry()
  mock.faults.deliveries.drop('CALL_AI_SUMMARY')

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.' } })
  await mock.waitForDelivery('CALL_ENDED', { callId })
  await orders.receiver.drain()
  await mock.clock.advance('10m')
  expect(await orders.listSummaries()).toEqual([])

  await orders.receiver.reconcile(orders.client, { olderThanMs: 600_000 })
  await orders.receiver.drain()
  expect(await orders.listSummaries()).toMatchObject([{ call_id: callId, recap: 'Wants a refund.' }])
})

test('during a rotation, the old and the new secret are accepted', async () => {
  const mock = await createMock({ webhookAuth: { urlToken: token } })
  const orders = await start(mock, () => [generateSecret(), mock.secret])

  const { callId } = await mock.simulateCall()
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await orders.receiver.drain()

  expect(await orders.listSummaries()).toHaveLength(1)
})
