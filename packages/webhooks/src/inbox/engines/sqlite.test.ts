import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createSqliteEngine, type SqliteConnection } from './sqlite.ts'

const useFakeTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
}

/** Creates a database whose statements call the test's function. */
const createDatabase = (all: () => readonly unknown[], more: object = {}): SqliteConnection => ({
  prepare: () => ({ all }),
  exec: () => {},
  ...more,
})

/** Runs a statement, and returns its error and the time after which it failed. */
const fail = async (database: SqliteConnection): Promise<readonly [message: string, ms: number]> => {
  useFakeTimers()
  // The engine reads its timers when it is loaded.
  vi.resetModules()
  const engine = (await import('./sqlite.ts')).createSqliteEngine(database)
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  let failed: readonly [string, number] | undefined
  engine.run('SELECT 1').catch((error) => {
    failed = [error.message, performance.now()]
  })
  for (let passed = 0; failed === undefined && passed < 20_000; passed += 10)
    await vi.advanceTimersByTimeAsync(10)
  return failed ?? ['nothing failed', performance.now()]
}

it.each([{ errcode: 5 }, { code: 'SQLITE_BUSY' }, { code: 'SQLITE_BUSY_SNAPSHOT' }])(
  'waits for a locked database for eight seconds: %o',
  async (details) => {
    const all = vi.fn(() => {
      throw Object.assign(new Error('locked'), details)
    })
    const [message, ms] = await fail(createDatabase(all))
    expect([message, ms > 8_000 && ms <= 8_020]).toEqual(['locked', true])
    expect(all.mock.calls.length).toBeGreaterThan(700)
    expect(all.mock.calls.length).toBeLessThan(750)
  },
)

it.each([{ errcode: 1 }, { code: 'SQLITE_ERROR' }, {}])(
  'does not try again after another error: %o',
  async (details) => {
    const all = () => {
      throw Object.assign(new Error('refused'), details)
    }
    expect(await fail(createDatabase(all))).toEqual(['refused', 0])
  },
)

it.each(['isTransaction', 'inTransaction'])(
  'refuses to write after other code has held a transaction open for eight seconds: %s',
  async (property) => {
    const all = vi.fn(() => [])
    const [message, ms] = await fail(createDatabase(all, { [property]: true }))
    expect(message).toBe(
      "Other code has held a transaction open on the inbox's connection for 8000 ms. " +
        'Open a separate connection for the inbox.',
    )
    expect([all.mock.calls.length, ms > 8_000 && ms <= 8_020]).toEqual([0, true])
  },
)

it('keeps at most 200 prepared statements', async () => {
  const prepare = vi.fn(() => ({ all: () => [] }))
  const { run } = createSqliteEngine(createDatabase(() => [], { prepare }))
  const runAll = async (count: number) => {
    prepare.mockClear()
    for (let index = 0; index < count; index += 1) await run(`SELECT ${index}`)
    return prepare.mock.calls.length
  }
  expect([await runAll(200), await runAll(200), await runAll(201), await runAll(1)]).toEqual([201, 0, 1, 1])
})

it('calls the writes of a completion once, even if they end its transaction', async () => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE entries (id)')
  const engine = createSqliteEngine(database)
  const effects = engine.begin(() => {})
  const write = vi.fn((given: DatabaseSync) => given.exec('ROLLBACK'))
  effects.atCompletion(write)
  const insert = { text: 'INSERT INTO entries VALUES (?) RETURNING id', values: [1] }
  await expect(effects.complete(insert)).rejects.toThrow('savepoint')
  expect(write).toHaveBeenCalledTimes(1)
  expect(database.prepare('SELECT * FROM entries').all()).toEqual([])
})

it('accepts no writes after the handler has returned, or from an abandoned attempt', async () => {
  using database = new DatabaseSync(':memory:')
  const engine = createSqliteEngine(database)
  const [completed, abandoned] = [engine.begin(() => {}), engine.begin(() => {})]
  const select = { text: 'SELECT 1', values: [] }
  expect(await completed.complete(select)).toBe(undefined)
  expect(() => completed.atCompletion(() => {})).toThrow('The handler has returned')
  abandoned.atCompletion(() => {})
  abandoned.abandon()
  await expect(abandoned.complete(select)).rejects.toThrow('The attempt was abandoned.')
})

it.each([
  ['OFF', 'synchronous=OFF'],
  ['NORMAL', 'synchronous=NORMAL'],
  ['FULL', undefined],
  ['EXTRA', undefined],
])('finds that a power failure can lose commits with synchronous=%s', async (mode, weakness) => {
  using database = new DatabaseSync(':memory:')
  database.exec(`PRAGMA synchronous = ${mode}`)
  expect(await createSqliteEngine(database).findWeakness()).toBe(weakness)
})

it('waits for a locked database while a test has replaced the timers and does not advance them', async () => {
  const all = vi.fn((): readonly unknown[] => [])
  all.mockImplementationOnce(() => {
    throw Object.assign(new Error('locked'), { errcode: 5 })
  })
  const engine = createSqliteEngine(createDatabase(all))
  useFakeTimers()
  await engine.run('SELECT 1')
  expect(all.mock.calls.length).toBeGreaterThan(1)
})
