import { join } from 'node:path'
import { openPostgres } from '../../packages/server/src/stores/postgres/open-postgres.ts'
import { createCluster, type PostgresCluster } from '../../packages/server/test/postgres-cluster.ts'
import type { Engine, EnvironmentDatabase } from './engine.ts'
import { ownerLog } from './owner-log.ts'
import { runSql } from './postgres-sql.ts'

/** Processes on a private PostgreSQL server. */
export type PostgresEngine = Engine & {
  readonly cluster: PostgresCluster
  [Symbol.asyncDispose](): Promise<void>
}

/** Options for {@link createPostgresEngine}. */
export type PostgresEngineOptions = {
  /** Set if PostgreSQL syncs its files, as in production. It is faster without syncing. */
  readonly isSynced: boolean
}

const countShards = `SELECT count(*)::integer AS shards FROM wabakit.shards
  WHERE owner IN (SELECT owner FROM torture.log WHERE process = $1)`

type DatabaseAddresses = Pick<EnvironmentDatabase, 'addressFor'> & {
  /** Returns the current address of the database. */
  readonly address: () => string
}

/** Creates the tables and the log of owners in a database, and returns the database for an environment. */
export const createDatabaseOn = async ({
  address,
  addressFor,
}: DatabaseAddresses): Promise<EnvironmentDatabase> => {
  const database = await openPostgres({ url: address() })
  await database.close()
  await runSql(address(), ownerLog)
  return {
    get address() {
      return address()
    },
    addressFor,
    countShards: async (process) => {
      const [row] = await runSql(address(), countShards, [process])
      return Number(row?.shards)
    },
  }
}

/** Starts PostgreSQL for environments of two processes that respond to requests and two that deliver. */
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
