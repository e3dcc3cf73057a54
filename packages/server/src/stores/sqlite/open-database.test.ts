import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { beginDue, delivered, failed, settle } from '../../../test/attempts.ts'
import { bundles } from '../../../test/bundle-processes.ts'
import { withFailingDisk } from '../../../test/failing-disk.ts'
import { groupCreation, organization, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { DatabaseOpenError } from '../errors.ts'
import { hashStep } from '../schema-steps.ts'
import { describeExposure } from './database-file.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'
import { sqliteStore } from './sqlite-store.ts'

const temporaryPath = (): string => join(temporaryFolder(), 'wabakit.db')

const edit = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** Starts a process that writes to the database until it is killed. */
const holdElsewhere = async (path: string) => {
  const child = spawn(process.execPath, [bundles.write, path, '1', '1000000'])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

test('a database can be opened after any call to the disk has failed while it was opened', () => {
  for (let failing = 1, isOver = false; !isOver; failing += 1) {
    const path = temporaryPath()
    const { calls } = withFailingDisk(() => openDatabase(path).close(), failing)
    expect(() => openDatabase(path).close(), calls[failing - 1]).not.toThrow()
    isOver = calls.length < failing
  }
})

test('a commit is on disk when it returns: write-ahead log with synchronous FULL', () => {
  const { database, close } = openDatabase(temporaryPath())
  onTestFinished(close)
  expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 })
  expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(database.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 })
})

test('records survive closing and opening', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  await first.saveOrganization(organization())
  await first.close()
  const second = sqliteStore({ path })
  expect(await second.findOrganization('acme')).toEqual(organization())
  await second.close()
})

test('a database of a newer version is rejected with both versions, without changing it', async () => {
  const path = temporaryPath()
  await sqliteStore({ path }).close()
  edit(path, `pragma user_version = ${migrations.length + 1}`)
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({
      name: 'DatabaseVersionError',
      found: migrations.length + 1,
      supported: migrations.length,
      message: expect.stringContaining('newer version of wabakit'),
    }),
  )
  expect(readFileSync(path)).toEqual(before)
})

test("another program's database is rejected without changing it", () => {
  const path = temporaryPath()
  edit(path, 'create table theirs (id integer)')
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(/another program/)
  expect(readFileSync(path)).toEqual(before)
})

test('a file that is not a database is rejected without changing it', () => {
  const path = temporaryPath()
  writeFileSync(path, 'not a database, but long enough to have a header of one hundred bytes'.repeat(20))
  const before = readFileSync(path)
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({ name: 'DatabaseOpenError', message: expect.stringContaining('not a SQLite') }),
  )
  expect(readFileSync(path)).toEqual(before)
})

test('a path in a missing folder is refused with its name', () => {
  const path = join(temporaryFolder(), 'nowhere', 'wabakit.db')
  expect(() => sqliteStore({ path })).toThrow(
    expect.objectContaining({ name: 'DatabaseOpenError', path, message: expect.stringContaining(path) }),
  )
})

test('an invalid lock file is not mistaken for another server', () => {
  const path = temporaryPath()
  writeFileSync(`${path}-lock`, 'not a database, but long enough to have a header of 100 bytes'.repeat(20))
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseOpenError' }))
})

test('a failed attempt to open leaves nothing locked', () => {
  const path = temporaryPath()
  edit(path, 'create table theirs (id integer)')
  expect(() => sqliteStore({ path })).toThrow(/another program/)
  edit(path, 'drop table theirs')
  return sqliteStore({ path }).close()
})

test('a second store on one file is refused, whatever path it uses', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  const link = `${path}.link`
  symlinkSync(path, link)
  for (const name of [path, link]) {
    expect(() => sqliteStore({ path: name })).toThrow(
      expect.objectContaining({ name: 'DatabaseInUseError', code: 'database_in_use', path }),
    )
  }
  await first.saveOrganization(organization())
  await first.close()
  await sqliteStore({ path }).close()
})

test("a refused store does not release the first store's lock", async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  onTestFinished(first.close)
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseInUseError' }))
  const { stderr } = spawnSync(process.execPath, [bundles.write, path], { encoding: 'utf8' })
  expect(stderr).toContain('DatabaseInUseError')
})

test('a second process on one file is refused until the first one has ended or is killed', async () => {
  const path = temporaryPath()
  const kill = await holdElsewhere(path)
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseInUseError', path }))
  await kill()
  const store = sqliteStore({ path })
  expect(await store.findOrganization('acme')).toEqual(organization())
  await store.close()
})

test('another program that only reads the lock file does not stop the server', async () => {
  const path = temporaryPath()
  await sqliteStore({ path }).close()
  const reader = new DatabaseSync(`${path}-lock`, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('begin; select * from sqlite_schema')
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseInUseError' }))
})

test('a database file with a second hard link is refused', async () => {
  const path = temporaryPath()
  await sqliteStore({ path }).close()
  linkSync(path, `${path}.link`)
  for (const name of [path, `${path}.link`]) {
    expect(() => sqliteStore({ path: name })).toThrow(
      expect.objectContaining({
        name: 'DatabaseOpenError',
        message: expect.stringContaining('several hard links'),
      }),
    )
  }
})

test('a link to a file that does not exist yet is followed', async () => {
  const path = temporaryPath()
  symlinkSync(path, `${path}.link`)
  const store = sqliteStore({ path: `${path}.link` })
  onTestFinished(store.close)
  expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ name: 'DatabaseInUseError', path }))
})

const isWindows = process.platform === 'win32'

test.skipIf(isWindows)('only their owner can read the files of a database', async () => {
  const path = temporaryPath()
  const store = sqliteStore({ path, onWarning: expect.fail })
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  const files = readdirSync(dirname(path)).sort()
  expect(files).toEqual(['', '-lock', '-shm', '-wal'].map((suffix) => `${basename(path)}${suffix}`))
  for (const file of files) {
    expect(statSync(join(dirname(path), file)).mode & 0o777, file).toBe(0o600)
  }
})

test.skipIf(isWindows)(
  'files accessible to other users are opened with a warning that names them',
  async () => {
    const path = temporaryPath()
    await sqliteStore({ path }).close()
    chmodSync(path, 0o640)
    const warnings: string[] = []
    const store = sqliteStore({ path, onWarning: (message) => warnings.push(message) })
    onTestFinished(store.close)
    expect(warnings).toEqual([expect.stringContaining(`chmod 600 ${path} ${path}-wal ${path}-shm`)])
    expect(describeExposure(path, { platform: 'linux' })).toContain('chmod 600')
    expect(describeExposure(path, { platform: 'win32' })).toBeUndefined()
    expect(warnings[0]).not.toContain(`${path}-lock`)
  },
)

test('other programs can read and copy the database while it is open', async () => {
  const path = temporaryPath()
  const store = sqliteStore({ path })
  await store.saveOrganization(organization())
  edit(path, `vacuum into '${path}.backup'`)
  await store.close()
  const copy = sqliteStore({ path: `${path}.backup` })
  expect(await copy.findOrganization('acme')).toEqual(organization())
  await copy.close()
})

test('attempts started by the previous process are due immediately, and can be settled once', async () => {
  const path = temporaryPath()
  const first = sqliteStore({ path })
  await first.saveOrganization(organization())
  await first.saveSubscription(subscription())
  await first.createGroup(groupCreation('g1'))
  const [begun] = await beginDue(first)
  await first.close()

  const second = sqliteStore({ path })
  const [again] = await beginDue(second)
  expect(again?.key.id).toBe(begun?.key.id)
  if (begun === undefined || again === undefined) throw new Error('nothing was due')
  expect(await settle(second, again, failed)).toMatchObject({ outcome: 'settled' })
  expect(await settle(second, begun, delivered)).toEqual({ outcome: 'stale' })
  await second.close()
})

test.each(['', '-wal', '-shm'])('acknowledges nothing once its file "%s" is deleted', async (suffix) => {
  const path = temporaryPath()
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  rmSync(`${path}${suffix}`)
  // The files are checked at most every 25 ms.
  await new Promise((resolve) => setTimeout(resolve, 30))
  await expect(store.createGroup(groupCreation('g1'))).rejects.toMatchObject({
    name: 'StorageOutcomeUnknownError',
    message: expect.stringContaining('was deleted or replaced'),
  })
  await expect(store.createGroup(groupCreation('g2'))).rejects.toMatchObject({
    name: 'StorageUnavailableError',
    message: expect.stringContaining(`${path}${suffix} was deleted or replaced`),
  })
  await expect(store.checkWritable()).rejects.toThrow('was deleted or replaced')
})

test('refuses a database with different schema steps', async () => {
  const path = temporaryPath()
  await sqliteStore({ path }).close()
  edit(path, `update schemaSteps set hash = 'other'`)
  expect(() => sqliteStore({ path })).toThrow('Step 1 of its schema differs from that of this version')
  expect(() => sqliteStore({ path })).toThrow(DatabaseOpenError)
})

test('migrates a file of an older version, and keeps its records', async () => {
  const path = temporaryPath()
  const [first = ''] = migrations
  edit(
    path,
    `pragma application_id = 0x77616261;
     pragma user_version = 1;
     create table schemaSteps (version integer primary key, hash text not null) strict;
     ${first}
     insert into schemaSteps values (1, '${hashStep(first)}');
     insert into organizations values (1, 'acme', 1, 'automatic', '[]', '[]', 0);
     insert into events values (1, 'evt_1', 'acme', 'X', 'call:1', 'PSTN', '1', '{}', null, null, 0, 0)`,
  )
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  const { items } = await store.listEvents({ organizationId: 'acme', limit: 10 })
  expect(items).toMatchObject([{ id: 'evt_1', hasCustomPayload: false }])
})
