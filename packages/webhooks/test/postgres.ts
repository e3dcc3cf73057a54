import pg from 'pg'
import { createCluster } from '../../server/test/postgres-cluster.ts'

/** Starts a real PostgreSQL in its own folder. */
export const startPostgres = async () => {
  const cluster = await createCluster()
  const connectionString = await cluster.createDatabase()
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
    /** Stops it and removes its folder. */
    stop: async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()))
      await cluster.remove()
    },
  }
}
