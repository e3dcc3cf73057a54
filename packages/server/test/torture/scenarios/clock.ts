import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { listFailures, type Scenario } from '../scenario.ts'
import { startTestService } from '../test-service.ts'

const preload = join(import.meta.dirname, '../preload/step-clock.ts')
const steps = ['ahead', 'right', 'behind', 'right']

/**
 * The clocks of the processes step by an hour, both ways and each for itself, while secrets are rotated and URLs changed
 * between attempts. What fell due while the clock of a store was ahead waits until it is that late; nothing is lost,
 * and nothing is sent without end.
 */
export const clock: Scenario = async ({ engine, seed, times, progress }) => {
  await using service = await startTestService({ engine, seed, preload })
  const { random, fleet } = service
  for (let step = 0; step < times; step++) {
    await setTimeout(random.between(100, 600))
    await fleet.pick().ask(steps[step % steps.length] ?? 'right')
    for (const id of service.subscriptionIds) {
      const path = `/organizations/torture/subscriptions/${id}`
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      service.allowSecret(secret)
      await service.control('POST', `${path}/rotate-secret`, { secret, overlapMs: random.between(0, 1_000) })
      await service.control('PATCH', path, { url: `${service.recorder.url}/${step}` })
    }
    progress(`${step + 1} of ${times} steps of the clock`)
  }
  await service.load.stop()
  for (const member of fleet.members) await member.ask('ahead')
  const result = await service.finish()
  const perEvent = result.arrivals / result.events
  const failures = perEvent > 1.5 ? [`each event was sent ${perEvent.toFixed(1)} times`] : []
  return { done: `${times} steps of an hour`, failures: [...failures, ...listFailures(result)], result }
}
