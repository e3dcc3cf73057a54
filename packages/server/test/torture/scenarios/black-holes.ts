import { setTimeout } from 'node:timers/promises'
import { createTcpProxy } from '../../tcp-proxy.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { failuresOf, type Scenario } from '../scenario.ts'
import { unready } from '../unready.ts'
import { createWorld } from '../world.ts'

/** A statement of 10 s, 2 s of silence, 5 s for another connection: a request may meet one of each, and no more. */
const longestMs = 20_000

/**
 * The network between half of the processes and PostgreSQL swallows everything: their requests are answered 503 in
 * bounded time, the others notice nothing, and all goes on when it is back.
 */
export const blackHoles: Scenario<PostgresEngine> = async ({ engine, seed, isCalm, times, progress }) => {
  const proxy = await createTcpProxy(engine.cluster.port)
  const reroute = (address: string, place: number): string =>
    place < 2 ? address.replace(`:${engine.cluster.port}/`, `:${proxy.port}/`) : address
  await using world = await createWorld({ engine, seed, isCalm, reroute })
  const { random, fleet } = world
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    await setTimeout(random.between(100, 1_000))
    proxy.blackHole()
    // Also a short one, which connections outlive or not; every other one outlasts statements.
    await setTimeout(round % 2 === 0 ? random.between(20, 3_000) : 13_000)
    proxy.restore()
    failures.push(...(await unready(fleet)))
    progress(`${round} of ${times} black holes`)
  }
  const result = await world.finish()
  await proxy.close()
  const { unavailable, slowestMs } = result.load
  if (unavailable === 0) failures.push('no request was answered 503')
  if (slowestMs > longestMs) failures.push(`an answer took ${slowestMs} ms`)
  return { done: `${times} black holes`, failures: [...failures, ...failuresOf(result)], result }
}
