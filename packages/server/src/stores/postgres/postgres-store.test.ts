import type { Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { storeCases } from '../../../../core/test/store-cases/index.ts'
import { organization } from '../../../test/records.ts'
import { expectSameAsMemory } from '../../../test/same-as-memory.ts'
import { expectSameLists } from '../../../test/same-lists.ts'
import { expectSameRecords } from '../../../test/same-records.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
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

let url: string
let database: PostgresDatabase

beforeAll(async () => {
  url = await createPostgresDatabase()
  database = await openPostgres({ url })
  await database.query(expandAll)
})

afterAll(async () => {
  await database.close()
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

const emptyAll = `DO $$ BEGIN ${tables.map((table) => `DELETE FROM wabakit.${table};`).join(' ')}
  UPDATE wabakit.shards SET owner = NULL; END $$`

const openStore = async (): Promise<Store> => {
  await database.query(emptyAll)
  return { ...postgresStore(database), close: async () => {} }
}

describe('postgresStore', () => {
  for (const { name, run } of storeCases) test(name, () => run(openStore))
})

const neededByCreates = [
  ...['groups', 'events', 'unfinished_deliveries', 'subscriptions'],
  ...['organizations', 'api_keys', 'token_buckets'],
]
test.each(neededByCreates)('is not writable while the table %s is locked', async (table) => {
  const store = await openStore()
  await store.saveOrganization(organization())
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query(`BEGIN; LOCK TABLE wabakit.${table}`)
  const checked = store.checkWritable()
  const waiting = `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await expect
    .poll(async () => {
      // Within a transaction, PostgreSQL shows what was at its first query.
      await holder.query('SELECT pg_stat_clear_snapshot()')
      return (await holder.query(waiting)).rows
    })
    .toEqual([{ query: expect.stringContaining('check_creates') }])
  await holder.query('ROLLBACK')
  await checked
})

test('behaves like the memory store, whatever the steps and the conditions of lists', async () => {
  const own = await openPostgres({ url: await createPostgresDatabase() })
  onTestFinished(own.close)
  const store = postgresStore(own)
  await expectSameAsMemory(store, 3)
  await expectSameLists(store, 15)
  await expectSameRecords(store, 3)
})
