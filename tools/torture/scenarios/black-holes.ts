import { setTimeout } from 'node:timers/promises'
import { createTcpProxy, type TcpProxy } from '../../../packages/server/test/tcp-proxy.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { createScenario, type Ordeal, type Scenario } from '../scenario.ts'
import { unready } from '../unready.ts'

/**
 * Maximum duration of a request, in milliseconds: one statement (10 s), one silence (2 s) and one new connection (5 s),
 * plus a margin.
 */
const longestMs = 20_000

const fallIntoHoles =
  (proxy: TcpProxy): Ordeal =>
  async ({ random, fleet, load }, { times, progress }) => {
    const failures: string[] = []
    for (let round = 1; round <= times; round++) {
      await setTimeout(random.between(100, 1_000))
      proxy.blackHole()
      // Every other interruption lasts longer than a statement may take.
      await setTimeout(round % 2 === 0 ? random.between(20, 3_000) : 13_000)
      proxy.restore()
      failures.push(...(await unready(fleet)))
      progress(`${round} of ${times} black holes`)
    }
    const { unavailable, slowestMs } = load.report()
    if (unavailable === 0) failures.push('no request was refused with 503')
    if (slowestMs > longestMs) failures.push(`a response took ${slowestMs} ms`)
    return failures
  }

/**
 * The network between half of the processes and PostgreSQL drops all packets. Their requests are refused with 503 in
 * bounded time, and the service continues when the network is back.
 */
export const blackHoles: Scenario<PostgresEngine> = async (options) => {
  const { port } = options.engine.cluster
  const proxy = await createTcpProxy(port)
  const reroute = (address: string, place: number): string =>
    place < 2 ? address.replace(`:${port}/`, `:${proxy.port}/`) : address
  try {
    return await createScenario(fallIntoHoles(proxy), { done: 'black holes', environment: { reroute } })(
      options,
    )
  } finally {
    await proxy.close()
  }
}
