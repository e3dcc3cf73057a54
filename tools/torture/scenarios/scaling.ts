import { comesTrue } from '../comes-true.ts'
import type { Role } from '../engine.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { createScenario, type Ordeal, someMoment } from '../scenario.ts'

const roles: readonly Role[] = ['api', 'worker', 'worker', 'worker', 'worker']
const shards = 64

/**
 * Workers leave by SIGTERM or SIGKILL and rejoin under load. The service continues while their shards move, and each
 * worker has its share in the end.
 */
export const scale: Ordeal<PostgresEngine> = async (environment, options) => {
  const { random, fleet, database } = environment
  const { times, progress } = options
  const workers = fleet.members.filter(({ role }) => role !== 'api')
  for (let change = 1; change <= times; change++) {
    await someMoment(environment, options)
    const worker = fleet.pick('worker')
    const isLast = workers.every((each) => each === worker || !each.isRunning())
    if (!worker.isRunning()) await worker.start()
    else if (!isLast) await worker.end(random.happens(0.3) ? 'SIGKILL' : 'SIGTERM')
    progress(`${change} of ${times} workers joined or left`)
  }
  for (const worker of workers) if (!worker.isRunning()) await worker.start()
  const share = Math.ceil(shards / workers.length)
  const isShared = async (): Promise<boolean> => {
    const counts = await Promise.all(workers.map((worker) => database.countShards(worker.name())))
    return counts.every((count) => count <= share) && counts.reduce((sum, count) => sum + count) === shards
  }
  return (await comesTrue(isShared)) ? [] : ['the workers did not share the shards']
}

/** Workers that join and leave. */
export const scaling = createScenario(scale, {
  done: 'times that a worker joined or left',
  environment: { roles },
})
