import { createReferenceServer } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createSimulation } from './simulation.ts'

test('a call that is simulated while the server stops gets no delayed summary', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  await service.ready()
  const simulation = createSimulation(service, { now: Date.now, onError: () => {} })
  const simulating = simulation.simulateCall('acme', { summary: { after: '1h' } })
  simulation.close()

  const { callId } = await simulating
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})

test('due summaries of calls with the same id in two organizations do not affect each other', async () => {
  const organizations = ['acme', 'other'].map((id) => ({ id, pstnNumbers: ['+15550100002'] }))
  const service = createReferenceServer({ organizations })
  await service.ready()
  const simulation = createSimulation(service, { now: () => 0, onError: () => {} })
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
  const simulation = createSimulation(service, { now: () => 0, onError: () => {} })
  const { callId } = await simulation.simulateCall('acme', { summary: { after: 1 } })
  expect(simulation.findDueSummary('acme', callId)).toBe(1)
  await expect.poll(async () => (await service.calls.find('acme', callId))?.summary).toBeDefined()
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})

test('a delayed summary that cannot be saved is reported, and no longer due', async () => {
  const service = createReferenceServer({ organizations: [{ id: 'acme', pstnNumbers: ['+15550100002'] }] })
  await service.ready()
  const errors: unknown[] = []
  const simulation = createSimulation(service, { now: () => 0, onError: (error) => errors.push(error) })
  const { callId } = await simulation.simulateCall('acme', { summary: { after: 1 } })
  await service.organizations.update('acme', { callSummaries: 'manual' })
  await expect.poll(() => errors).toMatchObject([{ code: 'summary_refused' }])
  expect(simulation.findDueSummary('acme', callId)).toBeUndefined()
})
