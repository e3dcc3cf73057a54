import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Engine } from '../engine.ts'
import { createEnvironment } from '../environment.ts'
import { createPowerDisk } from '../power/power-disk.ts'
import { createRandom } from '../random.ts'
import { listFailures, type ScenarioOptions, type ScenarioResult, type Trial } from '../scenario.ts'

const source = join(import.meta.dirname, '../power/power.c')

/** Compiles the library that records writes and syncs. Resolves to `undefined` if this machine cannot. */
const compile = async (folder: string): Promise<string | undefined> => {
  const library = join(folder, 'power.so')
  const compiling = promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  return process.platform === 'linux' ? compiling.then(() => library).catch(() => undefined) : undefined
}

const damaged = 'The database is damaged'

/**
 * Checks a copy of a database, because opening the database itself would change it.
 *
 * @throws Error if the database is damaged.
 */
const checkIntegrity = (database: string, folder: string): void => {
  const copy = join(folder, 'copy.db')
  for (const suffix of ['', '-wal', '-journal', '-shm']) {
    rmSync(`${copy}${suffix}`, { force: true })
    if (existsSync(`${database}${suffix}`)) copyFileSync(`${database}${suffix}`, `${copy}${suffix}`)
  }
  const opened = new DatabaseSync(copy)
  try {
    const [row] = opened.prepare('pragma integrity_check').all()
    if (row?.integrity_check !== 'ok') throw new Error(String(row?.integrity_check))
  } catch (error) {
    throw new Error(`${damaged}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    opened.close()
  }
}

type Setting = {
  /** The server's own setting is `full`. */
  readonly synchronous: 'full' | 'normal' | 'off'
}

/** Maximum number of writes and syncs until the power fails. A few hundred occur per second. */
const mostRecords = 400
/** Maximum time until the power fails, in milliseconds, if the server has little to do. */
const longestMs = 3_000

/**
 * The machine repeatedly loses power under load, while the server writes. Checkpoints occur every 100 pages, so that
 * many of them are interrupted. Returns `undefined` if this machine has no compiler.
 */
const losePower = async (
  { engine, seed, times, isCalm, progress }: ScenarioOptions<Engine>,
  { synchronous }: Setting,
): Promise<ScenarioResult | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-power-'))
  await using made = new AsyncDisposableStack()
  made.defer(() => rmSync(folder, { recursive: true }))
  const library = await compile(folder)
  if (library === undefined) return undefined
  const files = {
    database: join(folder, 'wabakit.db'),
    log: join(folder, 'power.log'),
    cut: join(folder, 'cut'),
  }
  const random = createRandom(seed)
  const disk = createPowerDisk(files, random)
  await using environment = await createEnvironment({
    engine: { ...engine, createDatabase: () => engine.createDatabase(folder) },
    seed,
    isCalm,
    preload: join(import.meta.dirname, '../preload/sqlite-settings.ts'),
    environment: {
      WABAKIT_SYNCHRONOUS: synchronous,
      WABAKIT_CHECKPOINT: '100',
      LD_PRELOAD: library,
      WABAKIT_POWER_FILE: files.database,
      WABAKIT_POWER_LOG: files.log,
      WABAKIT_POWER_CUT: files.cut,
    },
  })
  const [member] = environment.fleet.members
  if (member === undefined) throw new Error('No process was started.')
  const met = { interrupted: 0, unsynced: 0, checkpoints: 0 }
  for (let round = 0; round < times; round++) {
    for (const end = Date.now() + longestMs; member.isRunning() && Date.now() < end; ) await setTimeout(5)
    await member.end('SIGKILL')
    const loss = disk.losePower()
    met.unsynced += loss.unsynced
    met.interrupted += Number(loss.unsynced > 0)
    met.checkpoints += Number(loss.isCheckpoint)
    checkIntegrity(files.database, folder)
    progress(`${round + 1} of ${times} power losses`)
    if (round === times - 1) rmSync(files.cut, { force: true })
    else writeFileSync(files.cut, String(random.between(1, mostRecords)))
    // The power may fail before the server is ready.
    await member.start().catch(() => {})
  }
  const result = await environment.finish({ drain: synchronous === 'full' })
  return {
    done: `${times} power losses, ${met.interrupted} during a commit and ${met.checkpoints} during a checkpoint, with ${met.unsynced} writes that were not synced`,
    failures: listFailures(result),
    result,
  }
}

const skipped = { done: 'skipped: this machine has no C compiler, or is not Linux', failures: [] }

/** Unsynced writes are partly or completely lost, but no acknowledged change is. */
export const powerLosses: Trial<Engine> = async (options) =>
  (await losePower(options, { synchronous: 'full' })) ?? skipped

/** The same with a server that omits syncs in one of two ways. The checker must detect that. */
export const powerLies: Trial<Engine> = async (options) => {
  const done: string[] = []
  const failures: string[] = []
  for (const synchronous of ['off', 'normal'] as const) {
    const noticed = await losePower(options, { synchronous }).then(
      (ended) =>
        ended &&
        Object.entries(ended.result.problems)
          .filter(([rule]) => rule.startsWith('lost '))
          .join('; '),
      (error: unknown) => {
        if (error instanceof Error && error.message.startsWith(damaged)) return error.message
        throw error
      },
    )
    if (noticed === undefined) return skipped
    done.push(`synchronous=${synchronous}: ${noticed}`)
    if (noticed === '') failures.push(`the checker did not detect synchronous=${synchronous}`)
  }
  return { done: done.join('. '), failures }
}
