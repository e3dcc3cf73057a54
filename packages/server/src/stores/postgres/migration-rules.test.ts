import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listBreakingChanges } from '../../../test/breaking-changes.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { migrations } from './schema.ts'

let client: pg.Client
/** The breaking changes of steps that are not marked as contracting. */
const broken: string[] = []

beforeAll(async () => {
  client = new pg.Client({ connectionString: await createPostgresDatabase() })
  await client.connect()
  await client.query('CREATE SCHEMA wabakit')
  for (const [index, { sql, minimum }] of migrations.entries()) {
    const changes = await listBreakingChanges(client, sql)
    if (minimum === undefined) broken.push(...changes.map((change) => `step ${index + 1}: ${change}`))
  }
})
beforeEach(() => client.query('BEGIN'))
afterEach(() => client.query('ROLLBACK'))
afterAll(async () => {
  await client.end()
})

test('a schema step breaks nothing that the previous version needs, unless it is marked as contracting', async () => {
  expect(broken).toEqual([])
  for (const [index, { minimum = 0 }] of migrations.entries()) expect(minimum).toBeLessThanOrEqual(index)
})

test.each([
  ['ALTER TABLE wabakit.groups DROP COLUMN description', 'column groups.description was dropped or renamed'],
  ['ALTER TABLE wabakit.calls RENAME COLUMN spoken TO said', 'column calls.spoken was dropped or renamed'],
  ['ALTER TABLE wabakit.calls ALTER digits TYPE varchar(9)', 'column calls.digits was changed'],
  ['ALTER TABLE wabakit.groups ALTER description SET NOT NULL', 'column groups.description was changed'],
  ['ALTER TABLE wabakit.calls ALTER channel DROP NOT NULL', 'column calls.channel was changed'],
  ['ALTER TABLE wabakit.attempts ALTER deferred DROP DEFAULT', 'column attempts.deferred was changed'],
  [
    'ALTER TABLE wabakit.events ADD COLUMN region text NOT NULL',
    'column events.region can reject what the previous version writes',
  ],
  [
    'ALTER TABLE wabakit.calls ADD CONSTRAINT short CHECK (length(call_id) < 9)',
    'constraint short of calls can reject what the previous version writes',
  ],
  [
    'CREATE UNIQUE INDEX once ON wabakit.groups (subject)',
    'unique index once can reject what the previous version writes',
  ],
  [
    'ALTER TABLE wabakit.subscriptions DROP CONSTRAINT subscriptions_organization_id_id_key',
    'unique index subscriptions_organization_id_id_key was dropped or renamed',
  ],
  ['ALTER TABLE wabakit.workers RENAME TO processes', 'table workers was dropped or renamed'],
  [
    'DROP TRIGGER update_activity ON wabakit.participants',
    'trigger update_activity of participants was dropped or renamed',
  ],
  [
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN 0',
    'function clock_ms() was changed',
  ],
])('a step that contracts is noticed: %s', async (sql, change) => {
  expect(await listBreakingChanges(client, sql)).toContain(change)
})

test('a step may add tables, indexes, and columns that are nullable or have a default', async () => {
  const expansion = `CREATE TABLE wabakit.notes (id text PRIMARY KEY, text text NOT NULL);
    ALTER TABLE wabakit.events ADD COLUMN region text, ADD COLUMN size integer NOT NULL DEFAULT 0;
    CREATE INDEX events_by_size ON wabakit.events (size)`
  expect(await listBreakingChanges(client, expansion)).toEqual([])
})
