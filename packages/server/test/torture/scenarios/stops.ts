import { setTimeout } from 'node:timers/promises'
import { failuresOf, type Scenario } from '../scenario.ts'
import { createWorld } from '../world.ts'

/** SIGTERM at random moments: the process ends with 0, in time, and loses nothing. */
export const stops: Scenario = async ({ seed, isCalm, times, progress }) => {
  await using world = await createWorld({ seed, isCalm })
  const failures: string[] = []
  for (let stopped = 1; stopped <= times; stopped++) {
    await setTimeout(world.random.between(20, 1_000))
    const start = performance.now()
    const code = await world.server().end('SIGTERM')
    if (code !== 0) failures.push(`ended with ${code}`)
    if (performance.now() - start > 20_000) failures.push('took more than 20 s to end')
    await world.restart()
    progress(`${stopped} of ${times} stops`)
  }
  const result = await world.finish()
  return { done: `${times} stops`, failures: [...failures, ...failuresOf(result)], result }
}
