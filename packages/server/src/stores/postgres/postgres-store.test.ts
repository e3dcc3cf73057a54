import type { Store } from '@wabakit/core'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { storeCases } from '../../../../core/test/store-cases/index.ts'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { expectSameAsMemory } from '../../../test/same-as-memory.ts'
import { expectSameLists } from '../../../test/same-lists.ts'
import { expectSameRecords } from '../../../test/same-records.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

/**
 * The changes that a newer version may make to any table while this one runs. Every case must pass after these changes.
 */
const expandAll = `DO $$ DECLARE each text; BEGIN
  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'wabakit' LOOP
    EXECUTE format('ALTER TABLE wabakit.%I ADD COLUMN of_next_version integer NOT NULL DEFAULT 1', each);
  END LOOP;
END $$`

let cluster: PostgresCluster
let database: PostgresDatabase

beforeAll(async () => {
  cluster = await createCluster()
  database = await openPostgres({ url: await cluster.createDatabase() })
  await database.query(expandAll)
})

afterAll(async () => {
  await database.close()
  await cluster.remove()
})

const tables = [
  ...[
    'organizations',
    'api_keys',
    'groups',
    'participants',
    'calls',
    'summaries',
    'summary_marks',
    'figures',
  ],
  ...['subscriptions', 'events', 'unfinished_deliveries', 'deliveries', 'attempts', 'workers'],
]

const openStore = async (): Promise<Store> => {
  for (const table of tables) await database.query(`DELETE FROM wabakit.${table}`)
  await database.query('UPDATE wabakit.shards SET owner = NULL')
  return { ...postgresStore(database), close: async () => {} }
}

describe('postgresStore', () => {
  for (const { name, run } of storeCases) test(name, () => run(openStore))
})

test('behaves like the memory store, whatever the steps and the conditions of lists', async () => {
  const own = await openPostgres({ url: await cluster.createDatabase() })
  onTestFinished(own.close)
  const store = postgresStore(own)
  await expectSameAsMemory(store, 3)
  await expectSameLists(store, 15)
  await expectSameRecords(store, 3)
})
