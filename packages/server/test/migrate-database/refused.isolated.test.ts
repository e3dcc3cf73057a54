import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { migrate as migrateByCommand } from '../../src/cli/migrate-database.ts'
import { CliError, createOutput } from '../../src/cli/output.ts'
import { migrateDatabase } from '../../src/migrate-database/migrate-database.ts'
import { openPostgres } from '../../src/stores/postgres/open-postgres.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { wabakitHere as wabakit } from '../cli/wabakit.ts'
import { organization } from '../records.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const nowhere = 'postgres://wabakit:very-secret@127.0.0.1:9/wabakit'

const migrate = (from: string, to = nowhere) => migrateDatabase({ from, to, onProgress: () => {} })

/** Creates a SQLite file with one organization. */
const makeSource = async (): Promise<string> => {
  const file = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path: file })
  await store.saveOrganization(organization())
  await store.close()
  return file
}

const change = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** Returns the schema `wabakit` of a database, if it has it. */
const listSchemas = async (url: string): Promise<string[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`SELECT nspname AS name FROM pg_namespace WHERE nspname = 'wabakit'`)
  await client.end()
  return rows.map(({ name }) => name)
}

test('a source that is not our database is rejected with the reason, without creating or changing anything', async () => {
  const folder = temporaryFolder()
  const file = (name: string): string => join(folder, name)
  writeFileSync(file('empty.db'), '')
  writeFileSync(file('notes.txt'), 'Not a database, but long enough to be read as one.\n'.repeat(20))
  mkdirSync(file('folder'))
  change(file('foreign.db'), 'create table notes (text text)')

  await expect(migrate(file('missing.db'))).rejects.toThrow(/missing\.db\. There is no such file\.$/)
  await expect(migrate(file('empty.db'))).rejects.toThrow('It is empty: no server has used it yet.')
  await expect(migrate(file('notes.txt'))).rejects.toThrow('The file is not a SQLite database.')
  await expect(migrate(file('folder'))).rejects.toThrow('There is no such file.')
  await expect(migrate(file('foreign.db'))).rejects.toThrow('It belongs to another program.')
  expect(existsSync(file('missing.db'))).toBe(false)
  expect(readdirSync(folder).filter((name) => /missing|folder-/.test(name))).toEqual([])
})

test('a source of another version is refused, with advice', async () => {
  const file = await makeSource()

  change(file, 'pragma user_version = 99')
  await expect(migrate(file)).rejects.toThrow(/written by a newer version of wabakit \(schema 99/)
  change(file, 'pragma user_version = 0')
  await expect(migrate(file)).rejects.toThrow(
    'An older version wrote it. Start a server of this version on it once.',
  )
})

test('a source in use by a server is refused, and no server starts on a source that is being migrated', async () => {
  const file = await makeSource()
  const server = sqliteStore({ path: file })
  await expect(migrate(file)).rejects.toThrow(/wabakit\.db is in use by another process/)
  await server.close()

  const to = await createPostgresDatabase()
  const refusals: unknown[] = []
  const before = readFileSync(file)
  await migrateDatabase({
    from: file,
    to,
    onProgress: () => {
      try {
        sqliteStore({ path: file })
      } catch (error) {
        refusals.push(error)
      }
    },
  })
  expect(refusals.map(String)).toEqual(Array(3).fill(expect.stringContaining('is in use by another process')))
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a target is refused if a server has used it or it cannot be reached', async () => {
  const file = await makeSource()
  const used = await createPostgresDatabase()
  const database = await openPostgres({ url: used })
  await database.close()

  await expect(migrate(file, used)).rejects.toThrow(
    /It is in use already, or a migration into it is finished\. Name an empty database/,
  )
  const unreachable = await migrate(file).catch((error: unknown) => error)
  expect(String(unreachable)).toMatch(/postgres:\/\/wabakit@127\.0\.0\.1:9\/wabakit\. connect ECONNREFUSED/)
  await expect(migrate(file, used.replace(/[^/]*$/, 'none'))).rejects.toThrow(
    'database "none" does not exist',
  )
})

test('a target is refused while another migration writes to it', async () => {
  const file = await makeSource()
  const to = await createPostgresDatabase()
  const holder = new pg.Client({ connectionString: to })
  await holder.connect()
  onTestFinished(() => holder.end())
  // Like the other migration. The lock ends with its connection.
  await holder.query(`SELECT pg_advisory_lock(${0x77616261636f7079n})`)

  await expect(migrate(file, to)).rejects.toThrow(
    'Another migration into it is running. Let that one finish.',
  )
  expect(await listSchemas(to)).toEqual([])
})

test('the command line explains what can be migrated', async () => {
  const file = await makeSource()
  const output = createOutput({ format: 'json' })
  const cases: [from: string, to: string, message: string][] = [
    [nowhere, file, '--from must be a SQLite file, because only SQLite can be migrated to PostgreSQL.'],
    [':memory:', nowhere, '--from must be a SQLite file, because only SQLite can be migrated to PostgreSQL.'],
    [
      file,
      './other.db',
      '--to must be a postgres:// URL, because only SQLite can be migrated to PostgreSQL.',
    ],
    [file, ':memory:', '--to must be a postgres:// URL, because only SQLite can be migrated to PostgreSQL.'],
    [
      file,
      nowhere.replace('very-', '/very-'),
      '--to cannot be read as a URL. Percent-encode special characters in the password.',
    ],
  ]
  for (const [from, to, message] of cases) {
    await expect(migrateByCommand({ from, to }, output)).rejects.toThrow(new CliError(message, 2))
  }
})

test("the command line exits with the error's code, and repeats no password", async () => {
  const file = await makeSource()
  const typo = await wabakit(['migrate-database', '--from', file, '--to', nowhere.replace('postgres', 'pg')])
  const unreachable = await wabakit(['migrate-database', '--from', file, '--to', nowhere])

  expect(typo).toMatchObject({ code: 2, stderr: expect.stringMatching(/^--to must be/) })
  expect(unreachable).toMatchObject({ code: 3, stderr: expect.stringMatching(/^Cannot open the database/) })
  expect(JSON.stringify([typo, unreachable])).not.toContain('secret')
})
