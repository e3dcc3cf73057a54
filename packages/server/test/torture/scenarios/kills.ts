import { setTimeout } from 'node:timers/promises'
import { failuresOf, type Scenario } from '../scenario.ts'
import { createWorld } from '../world.ts'

/**
 * SIGKILL of any process at random moments, some of them before it is ready again, and others while it is away. What it
 * had claimed is taken over: its lease is over some time after it has come back.
 */
export const kills: Scenario = async ({ engine, seed, isCalm, times, progress }) => {
  await using world = await createWorld({ engine, seed, isCalm })
  const { random, fleet, database } = world
  let killed = 0
  while (killed < times) {
    await setTimeout(random.between(20, 1_000))
    const member = fleet.pick()
    const name = member.name()
    await member.end('SIGKILL')
    killed++
    if (random.happens(0.15) && killed < times) {
      const early = member.start()
      early.catch(() => {})
      await setTimeout(random.between(20, 400))
      await member.end('SIGKILL')
      killed++
    }
    const other = fleet.pick()
    if (other !== member && random.happens(0.2) && killed < times) {
      await other.end('SIGKILL')
      killed++
      await other.start()
    }
    await member.start()
    await database.endLeases(name)
    progress(`${killed} of ${times} kills`)
  }
  const result = await world.finish()
  return { done: `${killed} kills`, failures: failuresOf(result), result }
}
