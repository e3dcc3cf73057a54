import { createPair, type PostgresPair } from '../../../packages/server/test/postgres-pair.ts'
import { createEnvironment } from '../environment.ts'
import { createDatabaseOn, type PostgresEngine } from '../postgres-engine.ts'
import { listFailures, type Scenario, type ScenarioResult, someMoment } from '../scenario.ts'
import { unready } from '../unready.ts'

/** Processes on a primary and its standby. */
const createPairEngine = (pair: PostgresPair, { roles, dropCommits }: PostgresEngine): PostgresEngine => ({
  roles,
  dropCommits,
  cluster: pair.primary(),
  createDatabase: async () => {
    const name = await pair.createDatabase()
    const both = `${pair.bothAddressesOf(name)}?target_session_attrs=read-write`
    return createDatabaseOn({
      address: () => pair.addressOf(name),
      addressFor: (process) => `${both}&application_name=${process}`,
    })
  },
  [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose](),
})

type Loss = { readonly isSynchronous: boolean; readonly lagMs: number }

/** Repeatedly kills the primary under load, promotes the standby, and turns the killed server into a standby. */
const run = async (
  { engine, seed, times, isCalm, progress }: Parameters<Scenario<PostgresEngine>>[0],
  { isSynchronous, lagMs }: Loss,
): Promise<ScenarioResult> => {
  const settings = { max_connections: '300', fsync: 'on' }
  await using pair = await createPair({ isSynchronous, settings })
  await using environment = await createEnvironment({
    engine: createPairEngine(pair, engine),
    seed,
    isCalm,
  })
  const failures: string[] = []
  for (let round = 1; round <= times; round++) {
    await someMoment(environment, { isCalm: false })
    await pair.failOver(lagMs)
    failures.push(...(await unready(environment.fleet)))
    await someMoment(environment, { isCalm: false })
    if (round < times) await pair.repair()
    progress(`${round} of ${times} failovers`)
  }
  const result = await environment.finish()
  return {
    done: `${times} failovers of PostgreSQL`,
    failures: [...failures, ...listFailures(result)],
    result,
  }
}

/** With synchronous replication, a failover loses no acknowledged change. */
export const failovers: Scenario<PostgresEngine> = (options) =>
  run(options, { isSynchronous: true, lagMs: 0 })

/**
 * With asynchronous replication, a failover loses the changes that the standby had not received. The checker must
 * detect that.
 */
export const failoverLosses: Scenario<PostgresEngine> = async (options) => {
  const ended = await run(options, { isSynchronous: false, lagMs: 300 })
  const { acknowledged, problems } = ended.result
  const lost = Object.entries(problems).filter(([rule]) => rule.startsWith('lost '))
  return {
    ...ended,
    done: `${ended.done} with a standby 300 ms behind; of ${acknowledged} acknowledged: ${lost.map(([rule, count]) => `${count} × ${rule}`).join(', ')}`,
    failures: lost.length > 0 ? [] : ['the checker did not detect that the standby lacked changes'],
  }
}
