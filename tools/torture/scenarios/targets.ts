import { setTimeout } from 'node:timers/promises'
import { friendly, gone, hostile } from '../behaviors.ts'
import type { Environment } from '../environment.ts'
import { createScenario, type Ordeal } from '../scenario.ts'

/** Enables disabled subscriptions, and resends all undelivered deliveries. */
const sendAgain = async (environment: Environment): Promise<void> => {
  for (const id of environment.subscriptionIds) {
    await environment.control('PATCH', `/organizations/torture/subscriptions/${id}`, { enabled: true })
  }
  const status = 'pending,skipped,exhausted'
  await environment.control('POST', '/organizations/torture/deliveries/resend', { status })
}

/**
 * Endpoints hang, drip, respond endlessly, send a decompression bomb, redirect, close connections, request endless
 * waits, and finally respond 410. None of this stops the server, and all events can be resent when the endpoints work
 * again.
 */
const misbehave: Ordeal = async (environment, { times, progress }) => {
  environment.recorder.behave(hostile(environment.random))
  for (let second = 1; second <= times; second++) {
    await setTimeout(1_000)
    progress(`${second} of ${times} seconds among hostile endpoints`)
  }
  environment.recorder.behave(gone)
  await setTimeout(1_000)
  await environment.load.stop()
  // Attempts that hang time out after 15 s.
  await setTimeout(16_000)
  environment.recorder.behave(friendly)
  await sendAgain(environment)
  return environment.recorder.paths.has('/redirected') ? ['a redirect was followed'] : []
}

/** Hostile endpoints. */
export const targets = createScenario(misbehave, {
  done: 's of hostile endpoints',
  environment: { width: 4 },
})
