import { createMock } from '@wabakit/mock'
import { mockHandlers } from '@wabakit/mock/msw'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { setupServer } from 'msw/node'
import { expect, test } from 'vitest'

const count = () => {
  const resources = process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
  const listeners = process.eventNames().map((name) => process.listenerCount(name))
  return { resources: resources.toSorted(), listeners }
}

/** Uses everything of a mock that starts a timer, listens or opens a connection. */
const cycle = async (port: 0 | undefined, clock: 'virtual' | 'machine'): Promise<void> => {
  const mock = await createMock({ port, clock })
  mock.deliverTo(createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) }).onAny(() => {}))
  const tenant = mock.tenant()
  const target = await createMock({ port: 0 })
  await tenant.subscribe({ url: `${target.url}/webhooks` })
  await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
  await mock.simulateCall({ summary: { after: '1h' } })
  await tenant.simulateCall({ summary: { after: '1h' } })
  await mock.waitForDelivery('CALL_ENDED')
  if (port === 0) await (await fetch(`${mock.url}/_wabakit/tenants`)).text()
  const wait = mock.waitForEvent('CALL_MISSED', {}, { timeoutMs: 60_000 }).catch(() => {})
  await mock.close()
  await target.close()
  await wait
}

test.each([
  ['in process', undefined, 'virtual'],
  ['on a port', 0, 'virtual'],
  ['on the clock of the machine', 0, 'machine'],
] as const)('five mocks %s leave no timer, socket or listener behind', async (_, port, clock) => {
  // Loads everything, and opens the connections that `fetch` keeps.
  await cycle(port, clock)
  const before = count()
  for (let round = 0; round < 5; round++) await cycle(port, clock)
  // One timer belongs to expect.poll.
  await expect.poll(() => count().resources.length).toBeLessThanOrEqual(before.resources.length + 1)
  expect(count().listeners).toEqual(before.listeners)
})

test('five mocks behind msw handlers leave no timer or listener behind', async () => {
  const useHandlers = async (): Promise<void> => {
    const mock = await createMock()
    const baseUrl = 'https://api.example.com'
    const server = setupServer(...mockHandlers(mock, baseUrl))
    server.listen()
    const client = mock.client({ baseUrl, fetch })
    await client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    const { callId } = await mock.simulateCall({ summary: { after: '1h' } })
    await client.calls.getSummary(callId).catch(() => {})
    server.close()
    await mock.close()
  }
  // msw itself keeps a socket for each request, whatever its handlers do.
  const countResources = () => count().resources.filter((name) => name !== 'TCPSocketWrap').length
  await useHandlers()
  const [before, resources] = [count(), countResources()]
  for (let round = 0; round < 5; round++) await useHandlers()
  await expect.poll(countResources).toBeLessThanOrEqual(resources + 1)
  expect(count().listeners).toEqual(before.listeners)
})
