import { setTimeout } from 'node:timers/promises'
import { after } from '../behaviors.ts'
import { comesTrue } from '../comes-true.ts'
import { isDrained } from '../drain.ts'
import { createEnvironment } from '../environment.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { listFailures, type Scenario } from '../scenario.ts'

/** Maximum time from the last kill until all events are delivered, in milliseconds. */
const longestMs = 40_000

/** The default number of slots, which is low enough for a backlog. */
const fewSlots = { WABAKIT_DELIVERY_CONCURRENCY_PER_SUBSCRIPTION: '8' }

/** Kills the only process with SIGKILL. It is restarted immediately, and takes over from its previous run. */
export const loneKills: Scenario<PostgresEngine> = async (options) => {
  const { engine, seed, times, progress } = options
  await using environment = await createEnvironment({ engine, seed, roles: ['all'], environment: fewSlots })
  const { random, recorder } = environment
  recorder.behave(after(20))
  for (let killed = 1; killed <= times; killed++) {
    await setTimeout(random.between(2_500, 3_500))
    const [member] = environment.fleet.members
    await member?.end('SIGKILL')
    await member?.start()
    progress(`${killed} of ${times} kills`)
  }
  const start = Date.now()
  await environment.load.stop()
  const areDelivered = await comesTrue(() => isDrained(environment.control), longestMs)
  const seconds = (Date.now() - start) / 1_000
  const result = await environment.finish({ drain: false })
  const failures = areDelivered
    ? []
    : [`deliveries were still unfinished ${seconds} s after the last restart`]
  return {
    done: `${times} kills, then all delivered within ${seconds.toFixed(1)} s`,
    failures: [...failures, ...listFailures(result)],
    result,
  }
}
