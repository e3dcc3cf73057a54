import type { Stage } from '../../../core/test/suite/index.ts'
import { openPostgres, type PostgresDatabase } from '../../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { createCluster } from '../postgres-cluster.ts'

/** Number of stores that a case may use at the same time. */
const maxStores = 3

const empty = async ({ query }: PostgresDatabase): Promise<void> => {
  await query(`DO $$ DECLARE each text; BEGIN
    FOR each IN SELECT tablename FROM pg_tables
      WHERE schemaname = 'wabakit' AND tablename NOT IN ('shards', 'migrations', 'function_schemas')
    LOOP EXECUTE format('DELETE FROM wabakit.%I', each); END LOOP;
  END $$`)
  await query('UPDATE wabakit.shards SET owner = NULL')
}

/** Starts PostgreSQL with some databases, which stores use in turn. */
export const openPostgresStores = async () => {
  const cluster = await createCluster()
  const databases: PostgresDatabase[] = []
  for (let index = 0; index < maxStores; index++)
    databases.push(await openPostgres({ url: await cluster.createDatabase(), onWarning: () => {} }))
  let count = 0
  const openStore: Stage['openStore'] = async () => {
    const database = databases[count++ % maxStores]
    if (database === undefined) throw new Error('There is no database.')
    await empty(database)
    return { ...postgresStore(database), close: async () => {} }
  }
  const close = async (): Promise<void> => {
    for (const database of databases) await database.close()
    await cluster.remove()
  }
  return { openStore, close }
}
