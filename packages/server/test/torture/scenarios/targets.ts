import { setTimeout } from 'node:timers/promises'
import { friendly, gone, hostile } from '../behaviors.ts'
import { listFailures, type Scenario } from '../scenario.ts'
import { startTestService, type TestService } from '../test-service.ts'

/** Enables what was disabled, and sends everything again that is not delivered. */
const sendAgain = async (service: TestService): Promise<void> => {
  for (const id of service.subscriptionIds) {
    await service.control('PATCH', `/organizations/torture/subscriptions/${id}`, { enabled: true })
  }
  const statuses = ['pending', 'skipped', 'exhausted']
  await service.control('POST', '/organizations/torture/deliveries/resend', { statuses })
}

/**
 * Endpoints that hang, drip, answer without end, send a bomb, redirect, break off, ask to wait for ever, and at last
 * are gone. Nothing of that stops the server, and all can be sent again when they are well.
 */
export const targets: Scenario = async ({ engine, seed, times, progress }) => {
  await using service = await startTestService({ engine, seed, width: 4 })
  service.recorder.behave(hostile(service.random))
  for (let second = 1; second <= times; second++) {
    await setTimeout(1_000)
    progress(`${second} of ${times} seconds among hostile endpoints`)
  }
  service.recorder.behave(gone)
  await setTimeout(1_000)
  await service.load.stop()
  // Attempts that hang are given up after 15 s.
  await setTimeout(16_000)
  service.recorder.behave(friendly)
  await sendAgain(service)
  const result = await service.finish()
  const failures = service.recorder.paths.has('/redirected') ? ['a redirect was followed'] : []
  return { done: `${times} s of hostile endpoints`, failures: [...failures, ...listFailures(result)], result }
}
