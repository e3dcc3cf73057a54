import { execFile } from 'node:child_process'
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore, startServer } from '../src/index.ts'
import { bundles } from './bundle-processes.ts'
import { requireProgram } from './programs.ts'
import { temporaryFolder } from './temporary-folder.ts'

const createDatabase = async (): Promise<string> => {
  const path = join(temporaryFolder(), 'wabakit.db')
  await sqliteStore({ path }).close()
  return path
}

const startOn = (database: string) => startServer({ port: 0, database, logLevel: 'silent' })

const edit = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const readNumber = (path: string, sql: string): number => {
  const database = new DatabaseSync(path, { readOnly: true })
  const [value] = Object.values(database.prepare(sql).get() ?? {})
  database.close()
  return Number(value)
}

test.each(['organizations', 'owner'])(
  'a damaged page of the table %s is named as the reason',
  async (table) => {
    const path = await createDatabase()
    const page = readNumber(path, `select rootpage from sqlite_schema where name = '${table}'`)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4_096, 'Z'), 0, 4_096, (page - 1) * 4_096)
    closeSync(file)

    await expect(startOn(path)).rejects.toMatchObject({
      name: 'DatabaseOpenError',
      message: expect.stringMatching(/^Cannot open the database .*The file is damaged\. Restore a backup\.$/),
    })
    await expect(startOn(path), 'the lock is free').rejects.toMatchObject({ name: 'DatabaseOpenError' })
  },
)

test.each([-1, 0])('a database whose schema version was changed to %i is not opened', async (version) => {
  const path = await createDatabase()
  edit(path, `pragma user_version = ${version}`)

  await expect(startOn(path)).rejects.toMatchObject({
    name: 'DatabaseOpenError',
    message: expect.stringMatching(/tables do not match its schema version: .+ Restore a backup\.$/),
  })
})

const run = promisify(execFile)

/** Runs a shell script that may mount its own file systems, which needs no privileges on Linux. */
const runInNamespace = (script: string, ...args: readonly string[]) =>
  run('unshare', ['--user', '--mount', '--map-root-user', 'bash', '-ec', script, 'bash', ...args]).catch(
    (error: { code: number; stderr: string }) => error,
  )
const canMount = !('code' in (await runInNamespace('mount -t tmpfs tmpfs /mnt')))

const mount = (size: string): string => `mount -t tmpfs -o size=${size} tmpfs "$1"`
const copy = 'cp "$2" "$1/wabakit.db"'

/** Commands that prepare a disk, each with the server's error message. */
const disks: readonly (readonly [string, string])[] = [
  [`${mount('230k')}; ${copy}; dd if=/dev/zero of="$1/rest" || true`, 'free space'],
  // Enough space for the tables, but not for the first organization.
  [mount('240k'), 'The disk is full'],
  [`${mount('1m')}; ${copy}; mount -o remount,ro "$1"`, 'read-only'],
]

test.skipIf(!requireProgram('unshare that may mount', canMount))(
  'a full or read-only disk ends the start with 3 and one sentence',
  async () => {
    const existing = await createDatabase()
    const start = (prepare: string) => {
      const folder = temporaryFolder()
      const database = join(folder, 'wabakit.db')
      const args = ['serve', '--port', '0', '--database', database, '--log-level', 'silent']
      const script = `{ ${prepare}; } 2>/dev/null; shift 2; exec timeout 30 "$@"`
      return runInNamespace(script, folder, existing, process.execPath, bundles.command, ...args)
    }

    const ended = await Promise.all(disks.map(([prepare]) => start(prepare)))

    for (const [index, { stderr, ...rest }] of ended.entries()) {
      expect(rest).toMatchObject({ code: 3 })
      expect(stderr).toMatch(/^Cannot open the database .+\n$/)
      expect(stderr).toContain(disks[index]?.[1])
    }
  },
)

test('a start that cannot listen creates no file', async () => {
  const folder = temporaryFolder()
  const first = await startServer({ port: 0, database: ':memory:', logLevel: 'silent' })
  onTestFinished(first.close)
  const port = Number(new URL(first.url).port)
  const second = startServer({ port, database: join(folder, 'wabakit.db'), logLevel: 'silent' })

  await expect(second).rejects.toThrow('is in use')
  expect(readdirSync(folder)).toEqual([])
})
