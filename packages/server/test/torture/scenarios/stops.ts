import { setTimeout } from 'node:timers/promises'
import { failuresOf, type Scenario } from '../scenario.ts'
import { createWorld } from '../world.ts'

/** Less than slow attempts take, so that some are given up. */
const graceMs = 40

/** SIGTERM at random moments: the process ends with 0, in time, leaves no claim behind, and loses nothing. */
export const stops: Scenario = async ({ engine, seed, isCalm, times, progress }) => {
  const environment = { WABAKIT_SHUTDOWN_GRACE_MS: String(graceMs) }
  await using world = await createWorld({ engine, seed, isCalm, environment })
  const { random, fleet, database } = world
  const failures: string[] = []
  for (let stopped = 1; stopped <= times; stopped++) {
    await setTimeout(random.between(20, 1_000))
    const member = fleet.pick()
    const name = member.name()
    const start = performance.now()
    const code = await member.end('SIGTERM')
    if (code !== 0) failures.push(`ended with ${code}`)
    if (performance.now() - start > 20_000) failures.push('took more than 20 s to end')
    const claims = await database.countClaims(name)
    if (claims > 0) failures.push(`left ${claims} claims behind`)
    await member.start()
    progress(`${stopped} of ${times} stops`)
  }
  const result = await world.finish()
  return { done: `${times} stops`, failures: [...failures, ...failuresOf(result)], result }
}
