import { Client } from 'pg'
import type { PostgresCluster } from '../../../server/test/postgres-cluster.ts'
import { findParent } from '../cpu-time.ts'

/** Finds the main process of PostgreSQL, the parent of all others. */
export const findPostmaster = async (cluster: PostgresCluster): Promise<number> => {
  const client = new Client({ connectionString: await cluster.createDatabase() })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await client.end()
  return findParent(rows[0]?.pid ?? 0)
}
