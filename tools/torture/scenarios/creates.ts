import { setTimeout } from 'node:timers/promises'
import { createTcpProxy, type TcpProxy } from '../../../packages/server/test/tcp-proxy.ts'
import { startClientCreates } from '../client-creates.ts'
import { createEnvironment, type Environment } from '../environment.ts'
import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { listFailures, type Scenario } from '../scenario.ts'

const caller = { apiKey: 'wk_creates_0123456789', wabaNumber: '+15550100003' }

/** An organization without subscriptions: other scenarios test deliveries. */
const addCaller = async ({ control }: Environment): Promise<void> => {
  await control('POST', '/organizations', {
    id: 'creates',
    integrations: [{ wabaNumber: caller.wabaNumber }],
    apiKeys: [{ key: caller.apiKey }],
  })
}

const terminateBackends = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> 'torture'`

/** Creates ways to lose the response to a commit, each with its frequency in tenths. */
const createWays = ({ cluster }: PostgresEngine, proxy: TcpProxy, address: string) => {
  const cut = async (): Promise<void> => proxy.cut()
  const terminate = async (): Promise<void> => void (await runSql(address, terminateBackends))
  const restart = (end: () => Promise<void>) => async (): Promise<void> => {
    await end()
    await cluster.start()
  }
  return [
    cut,
    cut,
    terminate,
    cut,
    restart(cluster.stop),
    cut,
    terminate,
    cut,
    restart(cluster.crash),
    terminate,
  ]
}

/**
 * The real client creates groups without a `groupId`, half of them with generated ids and half without any, while
 * responses to commits are lost: connections are cut, backends are terminated, and PostgreSQL is restarted and killed.
 * No create results in two groups, and the client reports each outcome truthfully.
 */
export const creates: Scenario<PostgresEngine> = async ({ engine, seed, times, isCalm, progress }) => {
  const { port } = engine.cluster
  const proxy = await createTcpProxy(port)
  try {
    const reroute = (address: string): string => address.replace(`:${port}/`, `:${proxy.port}/`)
    await using environment = await createEnvironment({
      engine,
      seed,
      reroute,
      roles: isCalm ? ['all'] : ['api', 'api', 'worker'],
      width: 2,
      isCalm: true,
    })
    await addCaller(environment)
    const { address } = environment.database
    const clients = [true, false].map((generateGroupIds) =>
      startClientCreates({ url: environment.fleet.url, ...caller, generateGroupIds }),
    )
    let left = times
    const work = async (index: number): Promise<void> => {
      while (left-- > 0) await clients[index % clients.length]?.create()
    }
    const working = Promise.all(Array.from({ length: isCalm ? 64 : 256 }, (_, index) => work(index)))
    const ways = createWays(engine, proxy, address)
    for (let round = 0; left > 0; round++) {
      await setTimeout(isCalm ? environment.random.between(50, 200) : environment.random.between(300, 1_500))
      await ways[round % ways.length]?.()
      progress(`${times - left} of ${times} creates`)
    }
    await working
    const checks = await Promise.all(clients.map((client) => client.check(address)))
    await environment.control('DELETE', '/organizations/creates')
    const result = await environment.finish()
    const failures = [...checks.flatMap((check) => check.failures), ...listFailures(result)]
    return { done: checks.map(({ done }) => done).join('; '), failures, result }
  } finally {
    await proxy.close()
  }
}
