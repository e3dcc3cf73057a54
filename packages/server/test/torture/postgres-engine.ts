import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createCluster, type PostgresCluster } from '../postgres-cluster.ts'
import { claimLog } from './claim-log.ts'
import type { Engine, EnvironmentDatabase } from './engine.ts'
import { runSql } from './postgres-sql.ts'

/** Processes on a PostgreSQL of their own. */
export type PostgresEngine = Engine & {
  readonly cluster: PostgresCluster
  [Symbol.asyncDispose](): Promise<void>
}

/** Options for {@link createPostgresEngine}. */
export type PostgresEngineOptions = {
  /** Whether PostgreSQL syncs its files, as it does where it matters; without, it is faster. */
  readonly isSynced: boolean
}

const countBusy = `SELECT count(*)::integer AS backends FROM pg_stat_activity
  WHERE application_name = ANY ($1) AND state <> 'idle'`
const ownClaims = `status = 'claimed' AND claim_id IN (SELECT claim_id FROM torture.claims WHERE process = ANY ($1))`

type DatabaseAddresses = Pick<EnvironmentDatabase, 'addressFor'> & {
  /** Where the database is now. */
  readonly address: () => string
}

/** Returns the database of an environment, given its addresses. */
export const createDatabaseOn = ({ address, addressFor }: DatabaseAddresses): EnvironmentDatabase => ({
  get address() {
    return address()
  },
  addressFor,
  prepare: async () => void (await runSql(address(), claimLog)),
  countClaims: async (process) => {
    const sql = `SELECT count(*)::integer AS claims FROM wabakit.deliveries WHERE ${ownClaims}`
    const [row] = await runSql(address(), sql, [[process]])
    return Number(row?.claims)
  },
  // Under the lock of those who make something due: else a claim that looks at the same moment notes too late a time.
  // The leases of these processes alone: were the clock moved instead, those of the living would be over, too,
  // while they attempt what they claimed.
  endLeases: async (...processes) => {
    // What a process asked for last may still be done after its death.
    for (let quiet = 0; quiet < 2; await setTimeout(20)) {
      const [row] = await runSql(address(), countBusy, [processes])
      quiet = row?.backends === 0 ? quiet + 1 : 0
    }
    await runSql(
      address(),
      `WITH locked AS MATERIALIZED (
           SELECT count(pg_advisory_xact_lock_shared(wabakit.lock_key('subscription', position::text)))
           FROM wabakit.subscriptions
         )
         UPDATE wabakit.deliveries SET due_at = wabakit.clock_ms()
         WHERE (SELECT count FROM locked) >= 0 AND ${ownClaims} AND due_at > wabakit.clock_ms()`,
      [processes],
    )
  },
})

/** Starts PostgreSQL for environments of two processes that answer and two that deliver. */
export const createPostgresEngine = async ({ isSynced }: PostgresEngineOptions): Promise<PostgresEngine> => {
  const settings = { max_connections: '300', fsync: isSynced ? 'on' : 'off' }
  const cluster = await createCluster({ settings })
  return {
    cluster,
    roles: ['api', 'worker', 'api', 'worker'],
    dropCommits: join(import.meta.dirname, 'preload/drop-postgres-commits.ts'),
    createDatabase: async () => {
      const address = await cluster.createDatabase()
      return createDatabaseOn({
        address: () => address,
        addressFor: (process) => `${address}?application_name=${process}`,
      })
    },
    [Symbol.asyncDispose]: cluster.remove,
  }
}
