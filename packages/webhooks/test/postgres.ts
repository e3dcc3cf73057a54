import pg from 'pg'
import { createCluster } from '../../server/test/postgres-cluster.ts'
import { createPostgresDatabase } from '../../server/test/shared-cluster.ts'

const open = (connectionString: string, close: () => Promise<void>) => {
  const pools: pg.Pool[] = []
  return {
    connectionString,
    /** A pool of connections, closed together with the server. */
    pool: (options: pg.PoolConfig = {}): pg.Pool => {
      const pool = new pg.Pool({ connectionString, max: 8, ...options })
      pool.on('error', () => {})
      // `end` resolves before the connections are closed, and the server cuts off the remaining ones.
      pool.on('connect', (client) => client.on('error', () => {}))
      pools.push(pool)
      return pool
    },
    /** Closes the pools, and then the server if it is not shared. */
    stop: async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()))
      await close()
    },
  }
}

/** Starts a real PostgreSQL in its own folder. */
export const startPostgres = async () => {
  const cluster = await createCluster()
  return open(await cluster.createDatabase(), cluster.remove)
}

/** Opens an empty database on the server that test files share. */
export const sharePostgres = async () => open(await createPostgresDatabase(), async () => {})
