import { expect, test } from 'vitest'
import { createReferenceServer, type ReferenceServer } from '../index.ts'
import { createCallData } from './call-data.ts'
import { createCallSimulator } from './call-simulator.ts'
import { createSeededRandom } from './seeded-random.ts'

type Options = {
  readonly now?: () => number
  readonly allowsObserved?: boolean
  /** Receives the error of a summary that cannot be saved. */
  readonly onError?: (error: unknown) => void
}

const createSimulator = (
  server: ReferenceServer,
  { now = () => 0, allowsObserved = false, onError = () => {} }: Options = {},
) =>
  createCallSimulator({
    server,
    now,
    allowsObserved,
    createCallData: (organizationId) => createCallData(createSeededRandom(organizationId)),
    schedule: ({ delayMs, run }) => {
      const timer = setTimeout(() => run().catch(onError), delayMs)
      return () => clearTimeout(timer)
    },
  })

test('a call that is simulated while the server stops gets no delayed summary', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  await service.ready()
  const simulation = createSimulator(service, { now: Date.now })
  const simulating = simulation.simulateCall('acme', { summary: { after: '1h' } })
  simulation.close()

  const { callId } = await simulating
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})

test('due summaries of calls with the same id in two organizations do not affect each other', async () => {
  const organizations = ['acme', 'other'].map((id) => ({ id, pstnNumbers: ['+15550100002'] }))
  const service = createReferenceServer({ organizations })
  await service.ready()
  const simulation = createSimulator(service)
  for (const [id, after] of [
    ['acme', '1h'],
    ['other', '2h'],
  ] as const)
    await simulation.simulateCall(id, { callId: 'same', summary: { after } })

  const hour = 3_600_000
  expect(['acme', 'other'].map((id) => simulation.findDueSummary(id, 'same'))).toEqual([hour, 2 * hour])
  simulation.close()
})

test('a delayed summary is due until it is saved', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  await service.ready()
  const simulation = createSimulator(service)
  const { callId } = await simulation.simulateCall('acme', { summary: { after: 1 } })
  expect(simulation.findDueSummary('acme', callId)).toBe(1)
  await expect.poll(async () => (await service.calls.find('acme', callId))?.summary).toBeDefined()
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})

test('a delayed summary that cannot be saved is reported, and no longer due', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  await service.ready()
  const errors: unknown[] = []
  const simulation = createSimulator(service, { onError: (error) => errors.push(error) })
  const { callId } = await simulation.simulateCall('acme', { summary: { after: 1 } })
  await service.organizations.update('acme', { callSummaries: 'manual' })
  await expect.poll(() => errors).toMatchObject([{ code: 'summary_refused' }])
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})

test('only a server with mock publishes the events that only live services send', async () => {
  const service = createReferenceServer({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }] }],
  })
  await service.ready()
  const call = { channel: 'WHATSAPP', outcome: 'missed' } as const
  const refusing = createSimulator(service, { now: Date.now })
  for (const [field, value] of [
    ['observedEvents', true],
    ['notPicked', 1],
  ] as const) {
    const rejected = refusing.simulateCall('acme', { ...call, [field]: value })
    await expect(rejected).rejects.toMatchObject({
      name: 'InputError',
      issues: [{ path: field, message: expect.stringContaining('--sandbox') }],
    })
  }
  await refusing.simulateCall('acme', { ...call, callId: 'plain', observedEvents: false, notPicked: 0 })
  const allowing = createSimulator(service, { now: Date.now, allowsObserved: true })
  await allowing.simulateCall('acme', { ...call, notPicked: 1 })
  const { items } = await service.events.list('acme')
  expect(items.map(({ name }) => name)).toEqual([
    'CALL_INCOMING_INITIATED',
    'CALL_INCOMING_INITIATED',
    'CALL_NOT_PICKED',
    'CALL_MISSED',
  ])
})
