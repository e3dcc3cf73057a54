import { createMock, type Mock } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { afterEach, expect, test, vi } from 'vitest'

const restore = (): void => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
}
afterEach(restore)

const now = new Date('2040-01-01')

const install: Record<string, () => void> = {
  'of vitest, with its defaults': () => vi.useFakeTimers({ now }),
  'of vitest, for Date alone': () => vi.useFakeTimers({ now, toFake: ['Date'] }),
  // jest fakes the functions of the test's realm. Node's own code keeps the real ones, and reads bodies with them.
  'of jest, with its defaults': () => {
    const { queueMicrotask } = globalThis
    vi.useFakeTimers({
      now,
      toFake: [
        ...(['Date', 'performance', 'hrtime', 'setImmediate', 'clearImmediate'] as const),
        ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const),
      ],
    })
    vi.stubGlobal('queueMicrotask', (task: () => void) => {
      const caller = new Error().stack?.split('\n')[2] ?? ''
      if (caller.includes('node:internal')) queueMicrotask(task)
    })
  },
}

const use = async (mock: Mock): Promise<void> => {
  mock.faults.next('*', { status: 429, retryAfterSeconds: 5 })
  mock.faults.next('*', { latencyMs: 1 })
  const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'x' })
  await mock.waitForDelivery('GROUP_CREATED', { groupId })
  const { callId } = await mock.simulateCall({ summary: { after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  await expect(mock.waitForEvent('CALL_MISSED', {}, { timeoutMs: 10 })).rejects.toThrow(/within 10 ms/)
  await mock.expectNoEvent('CALL_MISSED', {}, { forMs: 5 })
}

test.each(Object.entries(install))(
  'works when fake timers are installed after it: %s',
  async (_, installTimers) => {
    await using mock = await createMock()
    mock.deliverTo(createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) }))
    installTimers()
    await use(mock)
    expect(mock.deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  },
)

test.each(Object.entries(install))(
  'works when fake timers are removed after it: %s',
  async (_, installTimers) => {
    installTimers()
    await using mock = await createMock()
    mock.deliverTo(createReceiver({ verify: standardWebhooks({ secrets: [mock.secret] }) }))
    restore()
    await use(mock)
    expect(mock.deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  },
)

test("the machine's clock follows fake timers that are installed after it", async () => {
  await using mock = await createMock({ clock: 'machine' })
  vi.useFakeTimers({ now })
  expect(mock.clock.now()).toBe(now.getTime())
  const { callId } = await mock.simulateCall({ summary: { after: '30s' } })
  await mock.expectNoEvent('CALL_AI_SUMMARY')
  await vi.advanceTimersByTimeAsync(30_000)
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  const sleep = mock.clock.sleep(60_000)
  await vi.advanceTimersByTimeAsync(60_000)
  await sleep
})
