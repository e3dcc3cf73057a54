import { createMock, MockUsageError } from '@wabakit/mock'
import { createReceiver, memoryDedupe, staticHeader } from '@wabakit/webhooks'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

/** Returns everything of a mock by which a database could take the events of one run for those of another. */
const play = async (options: Parameters<typeof createMock>[0] = {}) => {
  await using mock = await createMock(options)
  const { wabaNumber, apiKey, secret, seed } = mock
  const { groupId } = await mock.client().groups.create({ wabaNumber, subject: 'Order 1042' })
  const { callId } = await mock.simulateCall()
  await mock.clock.advance(0)
  return { seed, ids: [callId, apiKey, secret, groupId, ...mock.deliveries.map(({ id }) => id)] }
}

test('each run draws a seed, and its ids and keys differ from those of all other runs', async () => {
  vi.stubEnv('WABAKIT_SEED', undefined)
  const runs = await Promise.all([play(), play(), play()])
  expect(new Set(runs.map(({ seed }) => seed)).size).toBe(3)
  const ids = runs.map((run) => new Set(run.ids))
  expect(ids.map(({ size }) => size)).toEqual([9, 9, 9])
  expect(new Set(runs.flatMap((run) => run.ids)).size).toBe(27)
})

test('a seed repeats the ids and keys of a run', async () => {
  expect(await play({ seed: 1 })).toEqual(await play({ seed: 1 }))
})

test.each(['one', '1.5', '12345678901234567890'])('refuses WABAKIT_SEED=%s', async (text) => {
  vi.stubEnv('WABAKIT_SEED', text)
  await expect(createMock()).rejects.toThrow(MockUsageError)
  await expect(createMock()).rejects.toThrow(`WABAKIT_SEED must be a whole number, not "${text}"`)
})

test('the message of a failed wait shows the drawn seed', async () => {
  await using mock = await createMock()
  await expect(mock.waitForEvent('CALL_ENDED', {}, { timeoutMs: 1 })).rejects.toThrow(`(seed ${mock.seed})`)
})

test('deliveries show what a receiver in this process did', async () => {
  await using mock = await createMock()
  const headers = { 'x-token': 'sesame' }
  let fails = true
  const receiver = createReceiver({
    verify: staticHeader({ header: 'x-token', value: 'sesame' }),
    dedupe: memoryDedupe(),
  })
    .on('CALL_ENDED', () => {})
    .on('CALL_MISSED', () => {
      const failed = fails
      fails = false
      if (failed) throw new Error('not yet')
    })
  await mock.subscribe({ receiver: (request) => receiver.handle(request), headers })
  const stranger = await mock.subscribe({ receiver, headers: { 'x-token': 'guess' }, channel: 'PSTN' })
  mock.faults.deliveries.duplicate('CALL_ENDED', { where: { channel: 'WHATSAPP' } })
  await mock.simulateCall({ channel: 'WHATSAPP', summary: false })
  await mock.trigger('CALL_MISSED')
  await mock.clock.advance('5s')
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)

  const outcomes = mock.deliveries.map(({ name, to, outcome }) => [name, to, outcome])
  expect(
    outcomes.filter(([, to]) => to === 'collector').every(([, , outcome]) => outcome === undefined),
  ).toBe(true)
  expect(
    outcomes
      .filter(([, to]) => to === 'receiver')
      .map(([name, , outcome]) => `${name} ${outcome}`)
      .toSorted(),
  ).toEqual([
    'CALL_ACCEPTED ignored',
    'CALL_ENDED duplicate',
    'CALL_ENDED handled',
    'CALL_ENDED handled',
    'CALL_ENDED rejected',
    'CALL_INCOMING_INITIATED ignored',
    'CALL_MISSED failed',
    'CALL_MISSED handled',
  ])
  await stranger.stop()
})
