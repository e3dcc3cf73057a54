import { setTimeout } from 'node:timers/promises'
import { failuresOf, type Scenario } from '../scenario.ts'
import { createWorld } from '../world.ts'

/** SIGKILL at random moments, some of them before the server is ready again. */
export const kills: Scenario = async ({ seed, isCalm, times, progress }) => {
  await using world = await createWorld({ seed, isCalm })
  const { random } = world
  let killed = 0
  while (killed < times) {
    await setTimeout(random.between(20, 1_000))
    await world.server().end('SIGKILL')
    killed++
    if (random.happens(0.15) && killed < times) {
      const early = world.startAgain()
      await setTimeout(random.between(20, 400))
      await early.end('SIGKILL')
      killed++
    }
    await world.restart()
    progress(`${killed} of ${times} kills`)
  }
  const result = await world.finish()
  return { done: `${killed} kills`, failures: failuresOf(result), result }
}
