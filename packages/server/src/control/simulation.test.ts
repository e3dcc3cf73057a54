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
