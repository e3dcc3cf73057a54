import { setTimeout } from 'node:timers/promises'
import { createScenario, type Ordeal, someMoment } from '../scenario.ts'

/**
 * SIGKILL of any process at random moments, some of them before it is ready again, and others while it is away. Its
 * shards are taken over long before its lease is over.
 */
export const kill: Ordeal = async (environment, options) => {
  const { random, fleet } = environment
  const { times, progress } = options
  let killed = 0
  while (killed < times) {
    await someMoment(environment, options)
    const member = fleet.pick()
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
    progress(`${killed} of ${times} kills`)
  }
  return []
}

/** Kills. */
export const kills = createScenario(kill, { done: 'kills' })
