import { createScenario, listUncounted, type Ordeal, someMoment } from '../scenario.ts'

/** Stops a process with SIGTERM at random times. It exits with 0 in time and gives up its shards. */
export const stop: Ordeal = async (environment, options) => {
  const { fleet, database } = environment
  const { times, progress } = options
  const failures: string[] = []
  for (let stopped = 1; stopped <= times; stopped++) {
    await someMoment(environment, options)
    const member = fleet.pick()
    const name = member.name()
    const start = performance.now()
    const code = await member.end('SIGTERM')
    if (code !== 0) failures.push(`ended with ${code}`)
    if (performance.now() - start > 20_000) failures.push('took more than 20 s to end')
    const shards = await database.countShards(name)
    if (shards > 0) failures.push(`left ${shards} shards behind`)
    await member.start()
    progress(`${stopped} of ${times} stops`)
  }
  return failures
}

/** A grace period that is shorter than slow attempts, so that some are released. */
export const shortGrace = { WABAKIT_SHUTDOWN_GRACE_MS: '40' }

export const stops = createScenario(stop, {
  done: 'stops',
  environment: { environment: shortGrace },
  check: listUncounted,
})
