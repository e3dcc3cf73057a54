import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createScenario, type Ordeal } from '../scenario.ts'

const preload = join(import.meta.dirname, '../preload/step-clock.ts')
const steps = ['ahead', 'right', 'behind', 'farAhead', 'right']

/**
 * The wall clocks of the processes step by days, forward and back, independently of each other, while secrets are
 * rotated and URLs changed between attempts. No event is lost, delayed or removed, no subscription is disabled, and no
 * delivery is repeated endlessly.
 */
const stepClocks: Ordeal = async (environment, { times, progress }) => {
  const { random, fleet } = environment
  for (let step = 0; step < times; step++) {
    await setTimeout(random.between(100, 600))
    await fleet.pick().ask(steps[step % steps.length] ?? 'right')
    for (const id of environment.subscriptionIds) {
      const path = `/organizations/torture/subscriptions/${id}`
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      environment.allowSecret(secret)
      await environment.control('POST', `${path}/rotate-secret`, {
        secret,
        overlapMs: random.between(0, 1_000),
      })
      await environment.control('PATCH', path, { url: `${environment.recorder.url}/${step}` })
    }
    progress(`${step + 1} of ${times} steps of the clock`)
  }
  return []
}

/** Steps of the clocks. */
export const clock = createScenario(stepClocks, {
  done: 'steps of the clock',
  environment: { preload },
  check: ({ arrivals, events }) =>
    arrivals > 1.5 * events ? [`each event was sent ${(arrivals / events).toFixed(1)} times`] : [],
})
