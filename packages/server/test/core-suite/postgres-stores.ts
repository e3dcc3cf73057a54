import type { Stage } from '../../../core/test/suite/index.ts'
import { openPostgres, type PostgresDatabase } from '../../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'

/** Number of stores that a case may use at the same time. */
const maxStores = 3

/** Returns a statement that empties the tables of a database. */
const writeEmptying = async ({ query }: PostgresDatabase): Promise<string> => {
  const [row] = await query<{ sql: string }>(`
    SELECT format('WITH %s UPDATE wabakit.shards SET owner = NULL',
      string_agg(format('%I AS (DELETE FROM wabakit.%1$I)', tablename), ', ')) AS sql
    FROM pg_tables
    WHERE schemaname = 'wabakit' AND tablename NOT IN ('shards', 'migrations', 'function_schemas')`)
  return row?.sql ?? ''
}

/** Opens some databases, which stores use in turn. */
export const openPostgresStores = async () => {
  const databases: (PostgresDatabase & { readonly emptying: string })[] = []
  for (let index = 0; index < maxStores; index++) {
    const database = await openPostgres({ url: await createPostgresDatabase(), onWarning: () => {} })
    // Keeps the listening connection, which each case would open again.
    database.queueChanges.listen(() => {})
    databases.push({ ...database, emptying: await writeEmptying(database) })
  }
  let count = 0
  const openStore: Stage['openStore'] = async () => {
    const database = databases[count++ % maxStores]
    if (database === undefined) throw new Error('There is no database.')
    await database.query(database.emptying)
    return { ...postgresStore(database), close: async () => {} }
  }
  const close = async (): Promise<void> => {
    for (const database of databases) await database.close()
  }
  return { openStore, close }
}
