import pg from 'pg'
import { DatabaseOpenError, DatabaseVersionError } from '../errors.ts'
import { explainDifferentStep, findDifferentStep, hashStep } from '../schema-steps.ts'
import { functionSchema, functions } from './functions/index.ts'
import { migrations } from './schema.ts'

/** A table that exists while a SQLite database is copied into this one, until the two have been compared. */
export const unfinishedCopy = 'wabakit.unfinished_copy'

export const hasUnfinishedCopy = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    unfinishedCopy,
  ])
  return rows[0]?.found ?? false
}

/** The advisory lock of the migrating process: `wabakit` in ASCII. */
const migrationLock = 0x776162616b6974n

const oldestServer = { version: 140_000, name: 'PostgreSQL 14' }

const readNumber = async (client: pg.Client, sql: string): Promise<number> => {
  const { rows } = await client.query<{ value: number }>(`SELECT (${sql})::integer AS value`)
  return rows[0]?.value ?? 0
}

const checkServer = async (client: pg.Client, address: string): Promise<void> => {
  if ((await readNumber(client, `current_setting('server_version_num')`)) < oldestServer.version) {
    throw new DatabaseOpenError(address, `Its server is too old: ${oldestServer.name} or newer is needed.`)
  }
  if (
    (await readNumber(client, `SELECT encoding FROM pg_database WHERE datname = current_database()`)) !== 6
  ) {
    throw new DatabaseOpenError(address, 'Its encoding is not UTF8. Create it with ENCODING UTF8.')
  }
}

export const hasSchema = async (client: pg.Client): Promise<boolean> =>
  (await readNumber(client, `SELECT (to_regclass('wabakit.migrations') IS NOT NULL)::integer`)) === 1

/**
 * Runs `work` on the schema of a database in one transaction, while other processes wait.
 *
 * @param address - the database's address, for errors.
 * @throws DatabaseOpenError if the PostgreSQL server cannot be used.
 */
export const withSchemaLock = async <Result>(
  client: pg.Client,
  address: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  await checkServer(client, address)
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock])
  const result = await work()
  await client.query('COMMIT')
  return result
}

/**
 * Creates this version's functions unless they exist. Drops the functions of all other versions except the previously
 * used one, whose processes may still be running.
 */
const updateFunctions = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ name: string; exists: boolean }>(
    'SELECT name, to_regnamespace(name) IS NOT NULL AS exists FROM wabakit.function_schemas ORDER BY used_at DESC',
  )
  if (!rows.some(({ name, exists }) => name === functionSchema && exists)) {
    // If functions exist but are not listed, they were created before the schema "wabakit" was dropped.
    await client.query(`DROP SCHEMA IF EXISTS ${functionSchema} CASCADE`)
    await client.query(`CREATE SCHEMA ${functionSchema}`)
    await client.query(`SET LOCAL search_path = ${functionSchema}`)
    await client.query(functions)
  }
  await client.query(
    `INSERT INTO wabakit.function_schemas VALUES ($1, clock_timestamp())
     ON CONFLICT (name) DO UPDATE SET used_at = EXCLUDED.used_at`,
    [functionSchema],
  )
  const [, ...unused] = rows.map(({ name }) => name).filter((name) => name !== functionSchema)
  for (const name of unused) {
    await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(name)} CASCADE`)
    await client.query('DELETE FROM wabakit.function_schemas WHERE name = $1', [name])
  }
}

/**
 * Maximum time that a migration waits for the lock of a table, in milliseconds. Statements of running processes wait
 * behind the migration.
 */
const tableLockMs = 2_000

/** Runs the missing schema steps. @throws DatabaseOpenError if a long transaction uses the tables. */
const runMigrations = async (
  client: pg.Client,
  { from, address }: { readonly from: number; readonly address: string },
): Promise<void> => {
  await client.query(`SET LOCAL lock_timeout = ${tableLockMs}`)
  for (const [index, { sql, minimum = null }] of migrations.entries()) {
    if (index < from) continue
    try {
      await client.query(sql)
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '55P03') throw error
      const reason = 'A long transaction, such as a dump, uses its tables, so they were not migrated.'
      throw new DatabaseOpenError(address, `${reason} Start again when it has ended.`, { cause: error })
    }
    await client.query('INSERT INTO wabakit.migrations (version, minimum, hash) VALUES ($1, $2, $3)', [
      index + 1,
      minimum,
      hashStep(sql),
    ])
  }
  await client.query('SET LOCAL lock_timeout = 0')
}

const checkSteps = async (client: pg.Client, address: string): Promise<void> => {
  const { rows } = await client.query<{ hash: string }>(
    'SELECT hash FROM wabakit.migrations ORDER BY version',
  )
  const applied = migrations.slice(0, rows.length).map(({ sql }) => sql)
  const different = findDifferentStep(
    applied,
    rows.map(({ hash }) => hash),
  )
  if (different !== undefined) throw new DatabaseOpenError(address, explainDifferentStep(different))
}

/**
 * Migrates a database to the newest schema, with this version's functions. Does not change tables that a newer version
 * has migrated. Requires the lock of {@link withSchemaLock}.
 *
 * @throws DatabaseVersionError if a newer version has contracted the schema, so that this one cannot use it.
 * @throws DatabaseOpenError if a schema step had different SQL when it was applied, or a long transaction uses the tables.
 */
export const upgradeSchema = async (client: pg.Client, address: string): Promise<void> => {
  if (!(await hasSchema(client))) {
    await client.query('CREATE SCHEMA IF NOT EXISTS wabakit')
    await client.query(
      `CREATE TABLE wabakit.migrations (
         version integer PRIMARY KEY, minimum integer, hash text, applied_at timestamptz NOT NULL DEFAULT now()
       );
       CREATE TABLE wabakit.function_schemas (name text PRIMARY KEY, used_at timestamptz NOT NULL)`,
    )
  }
  const found = await readNumber(client, 'SELECT coalesce(max(version), 0) FROM wabakit.migrations')
  const minimum = await readNumber(client, 'SELECT coalesce(max(minimum), 0) FROM wabakit.migrations')
  const supported = migrations.length
  if (minimum > supported) throw new DatabaseVersionError(address, { found, supported })
  await checkSteps(client, address)
  await runMigrations(client, { from: found, address })
  await updateFunctions(client)
}

/**
 * Migrates a database to the newest schema for a server.
 *
 * @param address - the database's address, for errors.
 * @throws DatabaseVersionError if a newer version has contracted the schema, so that this one cannot use it.
 * @throws DatabaseOpenError if the PostgreSQL server cannot be used, a copy into the database is unfinished, a schema step
 *   had different SQL when it was applied, or a long transaction uses the tables.
 */
export const migrate = (client: pg.Client, address: string): Promise<void> =>
  withSchemaLock(client, address, async () => {
    if (await hasUnfinishedCopy(client)) {
      const remedy = 'Run wabakit migrate-database again with the same database to finish it.'
      throw new DatabaseOpenError(
        address,
        `The migration of a SQLite database into it is not finished. ${remedy}`,
      )
    }
    await upgradeSchema(client, address)
  })
