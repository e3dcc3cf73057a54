import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { createScenario, type Ordeal, someMoment } from '../scenario.ts'
import { unready } from '../unready.ts'

/** Kills a process that serves a connection. PostgreSQL then ends all connections and recovers automatically. */
const killBackend = async (address: string): Promise<void> => {
  const sql = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() LIMIT 1`
  const [backend] = await runSql(address, sql)
  if (backend !== undefined) process.kill(Number(backend.pid), 'SIGKILL')
}

/**
 * PostgreSQL is stopped or killed, or crashes, under load. Requests get only 503, and the service continues without
 * restarting its processes.
 */
export const restart: Ordeal<PostgresEngine> = async (environment, options) => {
  const { engine, times, progress } = options
  const { fleet, database, load } = environment
  const { cluster } = engine
  const ways = [cluster.stop, cluster.crash, () => killBackend(database.address)]
  const before = load.report().unavailable
  const failures: string[] = []
  for (let round = 0; round < times; round++) {
    await someMoment(environment, options)
    const way = round % ways.length
    await ways[way]?.()
    if (way < 2) {
      await someMoment(environment, options)
      const health = await fetch(`${fleet.url()}/healthz`)
      if (!health.ok) failures.push(`/healthz responded with ${health.status}`)
      await cluster.start()
    }
    failures.push(...(await unready(fleet)))
    progress(`${round + 1} of ${times} restarts of PostgreSQL`)
  }
  if (load.report().unavailable === before) failures.push('no request was refused with 503')
  return failures
}

/** Restarts of PostgreSQL. */
export const restarts = createScenario(restart, { done: 'restarts of PostgreSQL' })
