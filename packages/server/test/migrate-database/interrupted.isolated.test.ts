import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migrate as migrateByCommand } from '../../src/cli/migrate-database.ts'
import { createOutput } from '../../src/cli/output.ts'
import { migrateDatabase } from '../../src/migrate-database/migrate-database.ts'
import { openPostgres } from '../../src/stores/postgres/open-postgres.ts'
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { startWabakit, wabakit } from '../cli/wabakit.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { fillDatabase } from './fill-database.ts'
import { readStore } from './read-store.ts'

const groups = 8_000
const lastGroup = `many-${String(groups).padStart(5, '0')}`

/** Creates a filled SQLite file with many more groups, so that they need several batches. */
const fill = async (): Promise<string> => {
  const file = join(temporaryFolder(), 'wabakit.db')
  await fillDatabase(file, 'http://127.0.0.1:9/later')
  const database = new DatabaseSync(file)
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${groups})
    insert into groups select organizationId, 'many-' || printf('%05d', i), requestHash, wabaNumber, digits, subject, description,
      joinApprovalMode, inviteLink, createdAt, activeAt from groups, n where clientCustomGroupId = 'g-passed'
  `)
  database.close()
  return file
}

const connect = async (url: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return {
    query: async (sql: string) => (await client.query(sql)).rows,
    value: async (sql: string) => Object.values((await client.query(sql)).rows[0] ?? {})[0],
  }
}

/**
 * Makes a migration into an empty database wait in the last batch of groups until `letGo` is called. `held` waits until it
 * does.
 */
const holdMigration = async (to: string) => {
  const [target, observer] = [await connect(to), await connect(to)]
  await target.query('SELECT pg_advisory_lock(1)')
  // The migration itself adds the trigger with the table of its progress, so it cannot be faster than this process.
  await target.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(1);
      RETURN NEW;
    END $$;
    CREATE FUNCTION add_wait() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF to_regclass('wabakit.unfinished_copy') IS NOT NULL THEN
        CREATE TRIGGER wait BEFORE INSERT ON wabakit.groups FOR EACH ROW
        WHEN (NEW.client_custom_group_id = '${lastGroup}') EXECUTE FUNCTION public.wait();
      END IF;
    END $$;
    CREATE EVENT TRIGGER add_wait ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION add_wait()
  `)
  const waiting = `FROM pg_stat_activity
    WHERE application_name = 'wabakit migrate-database' AND wait_event_type = 'Lock' AND datname = current_database()`
  const isWaiting = () => observer.value(`SELECT count(*)::integer ${waiting}`)
  return {
    target,
    held: () => expect.poll(isWaiting, { interval: 5 }).toBe(1),
    terminate: () => observer.query(`SELECT pg_terminate_backend(pid) ${waiting}`),
    letGo: () => target.query('SELECT pg_advisory_unlock(1)'),
  }
}

test('a killed migration resumes where it stopped, without duplicates', async () => {
  const from = await fill()
  const to = await createPostgresDatabase()
  const { target, held, letGo } = await holdMigration(to)
  const migration = startWabakit(['migrate-database', '--from', from, '--to', to])
  await held()
  migration.kill('SIGKILL')
  expect(await migration.ended).toBe('SIGKILL')
  await letGo()
  // The transaction that wrote a row reveals whether it was written again.
  const written = `SELECT xmin::text, count(*) FROM wabakit.groups
    WHERE client_custom_group_id < 'many-06' GROUP BY 1 ORDER BY 2, 1`
  const before = await target.query(written)
  expect(before.length).toBeGreaterThan(5)

  await expect(openPostgres({ url: to })).rejects.toThrow(/is not finished\. Run wabakit migrate-database/)
  const again = await wabakit(['migrate-database', '--from', from, '--to', to, '--format', 'json'])

  const address = to.replace(':wabakit@', '@')
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`wabakit serve --database ${address}`),
  })
  const { tables, ...result } = JSON.parse(again.stdout)
  expect(result).toEqual({ migrated: true, from, to: address })
  const contents = { rows: groups + 2, digest: expect.stringMatching(/^[0-9a-f]{32}$/) }
  expect(tables).toContainEqual({ table: 'groups', same: true, source: contents, target: contents })
  expect(tables.filter(({ same }: { same: boolean }) => !same)).toEqual([])
  expect(await target.query(written)).toEqual(before)
  expect(await target.value(`SELECT to_regclass('wabakit.unfinished_copy')`)).toBeNull()
})

test('a migration that loses its connection explains what to do, and a half-filled target accepts only the rest', async () => {
  const [from, other] = [await fill(), await fill()]
  const to = await createPostgresDatabase()
  const { target, held, terminate, letGo } = await holdMigration(to)
  const lost = migrateByCommand({ from, to }, createOutput({ format: 'json' })).catch(
    (error: unknown) => error,
  )
  await held()
  await terminate()
  expect(String(await lost)).toMatch(
    /^CliError: PostgreSQL did not execute the statement: .* Run the same command again/,
  )
  await letGo()
  const migrate = (source: string) => migrateDatabase({ from: source, to, onProgress: () => {} })
  const setSubject = async (subject: string) => {
    const source = new DatabaseSync(from)
    source.prepare(`update groups set subject = ? where clientCustomGroupId = 'many-00007'`).run(subject)
    source.close()
  }

  const refusal = /contains an unfinished migration of another database, or of this one before it was changed/
  await expect(migrate(other)).rejects.toThrow(refusal)
  await setSubject('Other')
  await expect(migrate(from)).rejects.toThrow(refusal)
  await setSubject('Ä')
  await target.query('INSERT INTO wabakit.migrations (version, minimum) VALUES (99, 98)')
  await expect(migrate(from)).rejects.toThrow(/written by a newer version of wabakit \(schema 99/)
  await target.query('DELETE FROM wabakit.migrations WHERE version = 99')
  await target.query(`DELETE FROM wabakit.groups WHERE client_custom_group_id = 'many-00007'`)
  const missing = await migrate(from)
  expect(missing.isEqual).toBe(false)
  await target.query(`
    INSERT INTO wabakit.groups SELECT organization_id, 'many-00007', request_hash, waba_number, digits, 'Other',
      description, join_approval_mode, invite_link, created_at, active_at
    FROM wabakit.groups WHERE client_custom_group_id = 'many-00008'
  `)
  const changed = await wabakit(['migrate-database', '--from', from, '--to', to])

  expect(changed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^ {2}groups +8,002 +8,002 {2}different\n {2}participants +4 +4 {2}same$/m),
    stderr: expect.stringContaining('These tables differ: groups.'),
  })
  await expect(openPostgres({ url: to })).rejects.toThrow('not finished')
})

/** What a migration does, apart from the statements that create the schema in one transaction. */
const breaking =
  /^(?:BEGIN|COMMIT|INSERT INTO wabakit\.unf|WITH|SELECT setval|DECLARE|FETCH|ANALYZE|DROP TABLE)/

/**
 * Makes the connection of a migration break once at each kind of statement: first before the statement is sent, and in a later
 * migration before its response arrives. Returns the statements at which connections have broken.
 */
const breakConnections = (): readonly string[] => {
  const broken: string[] = []
  const { query } = pg.Client.prototype
  const dead = new WeakSet<object>()
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
    this: pg.Client,
    ...values: unknown[]
  ) {
    const lost = new Error('Connection terminated unexpectedly')
    if (dead.has(this)) throw lost
    const kind = String(values[0]).replaceAll(/\s+/g, ' ').trim().slice(0, 30)
    const isBreaking = breaking.test(kind)
    const place = isBreaking
      ? [`before ${kind}`, `after ${kind}`].find((each) => !broken.includes(each))
      : undefined
    if (place?.startsWith('after')) await Reflect.apply(query, this, values)
    if (place === undefined) return Reflect.apply(query, this, values)
    broken.push(place)
    dead.add(this)
    await this.end()
    throw lost
  } as never)
  return broken
}

test('a migration whose connection breaks before and after each kind of statement is complete when it is repeated', async () => {
  const from = join(temporaryFolder(), 'wabakit.db')
  await fillDatabase(from, 'http://127.0.0.1:9/later')
  const to = await createPostgresDatabase()
  const migrate = () =>
    migrateDatabase({ from, to, onProgress: () => {} }).then(
      ({ isEqual }) => isEqual,
      (error: unknown) => error,
    )
  const broken = breakConnections()
  onTestFinished(() => void vi.restoreAllMocks())
  let result: unknown
  for (let before = -1; before < broken.length; ) {
    before = broken.length
    result = await migrate()
    if (before < broken.length) expect(result, broken.at(-1)).toBeInstanceOf(Error)
  }
  vi.restoreAllMocks()

  expect(broken).toContain('after WITH written AS ( INSERT INTO ')
  // The last response that was lost is that of the migration's end.
  expect(broken.at(-1)).toBe('after DROP TABLE wabakit.unfinished_')
  expect(String(result)).toContain('a migration into it is finished')
  const sqlite = sqliteStore({ path: from })
  onTestFinished(sqlite.close)
  const target = postgresStore(await openPostgres({ url: to }))
  onTestFinished(target.close)
  expect(await readStore(target)).toEqual(await readStore(sqlite))
})
