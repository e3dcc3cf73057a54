import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { withFailingDisk } from '../../../test/failing-disk.ts'
import { organization } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { BackupError, DatabaseOpenError } from '../errors.ts'
import { backUp, syncFolder } from './back-up.ts'
import { sqliteStore } from './sqlite-store.ts'

const files = () => {
  const folder = temporaryFolder()
  return { from: join(folder, 'wabakit.db'), to: join(folder, 'backup.db') }
}

test('a backup is synced before it gets its name, and then its name is', async () => {
  const { from, to } = files()
  await sqliteStore({ path: from }).close()

  const { calls } = withFailingDisk(() => backUp({ from, to }))

  expect(calls.filter((call) => /^(?:fsync|rename)/.test(call))).toEqual([
    'fsyncSync backup.db-partial',
    'renameSync backup.db-partial',
    `fsyncSync ${basename(dirname(to))}`,
  ])
})

test('a backup of which any call to the disk fails says so, leaves nothing behind, and can be repeated', async () => {
  const { from, to } = files()
  const store = sqliteStore({ path: from })
  await store.saveOrganization(organization())
  await store.close()
  const before = readFileSync(from)
  for (let failing = 1; !existsSync(to); failing += 1) {
    const { calls, error } = withFailingDisk(() => backUp({ from, to }), failing)
    if (calls.length < failing) break
    const call = calls[failing - 1]
    expect(
      [BackupError, DatabaseOpenError].some((known) => error instanceof known),
      `${call}: ${error}`,
    ).toBe(true)
    expect(
      readdirSync(dirname(to)).filter((name) => name.startsWith('backup')),
      call,
    ).toEqual([])
    expect(readFileSync(from), call).toEqual(before)
  }
  const restored = sqliteStore({ path: to })
  onTestFinished(restored.close)
  expect(await restored.findOrganization('acme')).toEqual(organization())
})

test('a backup of a database in use is complete, and readable only by its owner', async () => {
  const { from, to } = files()
  const store = sqliteStore({ path: from })
  onTestFinished(store.close)
  await store.saveOrganization(organization())

  expect(backUp({ from, to })).toBe(statSync(to).size)
  await store.removeOrganization('acme')

  if (process.platform !== 'win32') expect(statSync(to).mode & 0o777).toBe(0o600)
  expect(readdirSync(dirname(to)).filter((name) => name.startsWith('backup'))).toEqual(['backup.db'])
  const restored = sqliteStore({ path: to })
  onTestFinished(restored.close)
  expect(await restored.findOrganization('acme')).toEqual(organization())
})

test('a backup of a database that no server uses does not change the database', async () => {
  const { from, to } = files()
  await sqliteStore({ path: from }).close()
  const before = readFileSync(from)

  backUp({ from, to })

  expect(readFileSync(from)).toEqual(before)
})

test('a backup overwrites no file', async () => {
  const { from, to } = files()
  await sqliteStore({ path: from }).close()
  writeFileSync(to, 'yesterday')

  expect(() => backUp({ from, to })).toThrow(/backup\.db exists\. Choose another name/)
  expect(readFileSync(to, 'utf8')).toBe('yesterday')

  const other = `${to}.2`
  writeFileSync(`${other}-partial`, '')
  expect(() => backUp({ from, to: other })).toThrow(/another backup is under way, or was interrupted/)
})

test('a file that is not our database is not backed up, and no files are left behind', () => {
  const { from, to } = files()
  expect(() => backUp({ from, to })).toThrow(/There is no such file/)
  const theirs = new DatabaseSync(from)
  theirs.exec('create table theirs (id integer)')
  theirs.close()
  expect(() => backUp({ from, to })).toThrow(/another program/)
  expect(() => backUp({ from, to: join(dirname(to), 'nowhere', 'b.db') })).toThrow(/cannot be created/)
  expect([existsSync(to), existsSync(`${to}-partial`)]).toEqual([false, false])
})

test('the folder of a backup is synced, but not on Windows, which cannot open folders', () => {
  const path = join(temporaryFolder(), 'missing', 'backup.db')
  expect(() => syncFolder(path, { platform: 'linux' })).toThrow('ENOENT')
  expect(() => syncFolder(path, { platform: 'win32' })).not.toThrow()
})
