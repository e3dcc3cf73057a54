import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, type Inbox, sqlInbox } from '@wabakit/webhooks'
import BetterSqlite from 'better-sqlite3'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { InboxEngine } from '../../src/inbox/engine.ts'
import { createSqliteEngine } from '../../src/inbox/engines/sqlite.ts'
import { claimOrderCases } from './claim-order-cases.ts'
import { type Context, type Environment, receive, toEnd, toJoin, toRequest } from './environment.ts'
import { eventCostCases, failureCostCases } from './event-cost-cases.ts'
import { inboxCases } from './inbox-cases.ts'
import { inboxOptionCases } from './inbox-option-cases.ts'
import { inboxRules } from './inbox-rules.ts'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-inbox-'))
const opened: { close(): unknown }[] = []
afterAll(() => {
  for (const database of opened) database.close()
  rmSync(folder, { recursive: true })
})

const open = <Database extends DatabaseSync | BetterSqlite.Database>(database: Database): Database => {
  opened.push(database)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE IF NOT EXISTS effects (effect TEXT)')
  return database
}

const createEnvironment = (database: DatabaseSync | BetterSqlite.Database): Environment => ({
  inbox: (options) => sqlInbox(database, { dialect: 'sqlite', ...options }) as unknown as Inbox<Context>,
  write: ({ atCompletion }, effect) =>
    atCompletion((given) => given.exec(`INSERT INTO effects VALUES ('${effect}')`)),
  query: async (text) =>
    (text.startsWith('SELECT') ? database.prepare(text).all() : [database.exec(text)]) as Record<
      string,
      unknown
    >[],
})

const nodeDatabase = open(new DatabaseSync(':memory:'))
const node = createEnvironment(nodeDatabase)
const better = createEnvironment(open(new BetterSqlite(':memory:')))

describe('an inbox on any database', () => {
  inboxRules(() => node)
  inboxOptionCases(() => node)
})
inboxCases('node:sqlite', () => node)
claimOrderCases('node:sqlite', {
  environment: () => node,
  openEngine: () => createSqliteEngine(nodeDatabase) as unknown as InboxEngine,
  length: 3,
})
inboxCases('better-sqlite3', () => better)

const timed = open(new DatabaseSync(':memory:'))
/** The time that statements have taken of the CPU. What other processes take does not count. */
let spentMs = 0
const { prepare } = timed
timed.prepare = (text, ...options) => {
  const statement = Reflect.apply(prepare, timed, [text, ...options])
  const { all } = statement
  statement.all = (...values: unknown[]) => {
    const startedAt = process.threadCpuUsage()
    try {
      return Reflect.apply(all, statement, values)
    } finally {
      const { user, system } = process.threadCpuUsage(startedAt)
      spentMs += (user + system) / 1_000
    }
  }
  return statement
}
const timing = { environment: () => createEnvironment(timed), readCost: async () => spentMs }
eventCostCases('SQLite', { ...timing, slack: 10, analyze: (table) => [`ANALYZE ${table}`] })
failureCostCases('SQLite', { ...timing, failure: 10 })

describe('an inbox on SQLite', () => {
  it('takes a table of an attached database', async () => {
    const database = open(new DatabaseSync(':memory:'))
    database.exec("ATTACH ':memory:' AS hooks")
    const { receiver, inbox } = receive(createEnvironment(database), { table: 'hooks.events' })
    receiver.on('CALL_ENDED', () => {})
    for (const id of ['a', 'b']) expect((await receiver.handle(toRequest(toEnd('c'), id))).status).toBe(200)
    await receiver.drain()
    expect(await inbox.count()).toEqual({ handled: 2 })
    const { tbl } =
      database.prepare("SELECT count(*) AS tbl FROM hooks.sqlite_schema WHERE name LIKE 'events_%'").get() ??
      {}
    expect(tbl).toBe(3)
  })

  it('retries on time when the clock of the machine is set back or forward by an hour', async () => {
    let stepped = 0
    const { now } = Date
    const wall = vi.spyOn(Date, 'now').mockImplementation(() => now() + stepped)
    onTestFinished(() => wall.mockRestore())
    const database = open(new DatabaseSync(':memory:'))
    // SQLite reads the same clock.
    database.function('unixepoch', { varargs: true }, () => Date.now() / 1_000)
    const { receiver, inbox } = receive(createEnvironment(database))
    let isBroken = true
    receiver.on('CALL_ENDED', () => {
      if (isBroken) throw new Error('broken')
    })
    for (const step of [-3_600_000, 3_600_000]) {
      isBroken = true
      await receiver.handle(toRequest(toEnd('c'), `${step}`))
      // Steps are measured in whole seconds, so that it may be due within one.
      const attempt = async () => {
        await receiver.drain()
        return inbox.count()
      }
      await expect.poll(attempt).toMatchObject({ failed: 1 })
      stepped += step
      isBroken = false
      await expect.poll(() => receiver.drain()).toMatchObject({ remaining: 0 })
    }
    expect(await inbox.count()).toEqual({ handled: 2 })
  })

  it.each([['node:sqlite', node] as const, ['better-sqlite3', better] as const])(
    'lists and handles an event whose row has numbers that are too large: %s',
    async (_, environment) => {
      const { receiver, inbox, errors, table } = receive(environment)
      const times: unknown[] = []
      receiver.onAny((_, { attempt }) => void times.push(attempt.at))
      await receiver.handle(toRequest(toEnd('a'), 'a'))
      const largest = '9223372036854775807'
      await environment.query(`UPDATE ${table} SET sent_at = ${largest}, holds_until = ${largest}`)
      expect(await inbox.list()).toMatchObject([{ id: '1', deliveryId: 'a', sentAt: undefined }])
      await receiver.drain()
      expect([times, errors, await inbox.count()]).toEqual([[undefined], [], { handled: 1 }])
      await environment.query(`UPDATE ${table} SET due_at = ${largest}`)
      expect(await inbox.show('1')).toMatchObject({ dueAt: new Date(0), body: expect.any(Uint8Array) })
    },
  )

  it.each([DatabaseSync, BetterSqlite])(
    'names a database that has become read only: %o',
    async (Database) => {
      const database = open(new Database(':memory:'))
      const { receiver, inbox, errors } = receive(createEnvironment(database))
      receiver.onAny(() => {})
      const send = async (id: string) => (await receiver.handle(toRequest(toEnd(id), id))).status
      expect(await send('a')).toBe(200)
      // As a disk does that is mounted again to be read only, after an error.
      database.exec('PRAGMA query_only = on')
      expect(await send('b')).toBe(503)
      await expect(receiver.drain()).rejects.toThrow('The database of the inbox is read only')
      expect(errors).toMatchObject([
        { message: expect.stringContaining('Check the permissions of its file') },
      ])
      database.exec('PRAGMA query_only = off')
      expect(await send('b')).toBe(200)
      await receiver.drain()
      expect(await inbox.count()).toEqual({ handled: 2 })
    },
  )

  it('parks an event whose body is a number, and erases others although it is there', async () => {
    const { receiver, inbox, table } = receive(node, { onParked: () => {} })
    await receiver.handle(toRequest(toEnd('a'), 'a'))
    await receiver.drain()
    await node.query(`UPDATE ${table} SET body = 42`)
    for (const id of ['b', 'c']) await receiver.handle(toRequest(toEnd(id), id))
    expect(await inbox.erase({ callId: 'b' })).toBe(1)
    receiver.onAny(() => {})
    await inbox.retry({ state: 'unhandled' })
    await receiver.drain()
    expect(await inbox.list({ state: 'parked' })).toMatchObject([{ deliveryId: 'a', reason: 'unreadable' }])
    expect(await inbox.count()).toEqual({ handled: 1, parked: 1, erased: expect.any(Number) })
  })

  it('takes events without verify, and refuses requests clearly, before their bodies are read', async () => {
    const errors: unknown[] = []
    const inbox = sqlInbox(open(new DatabaseSync(':memory:')), { dialect: 'sqlite' })
    const handled: string[] = []
    const receiver = createReceiver({ inbox })
      .on('CALL_ENDED', ({ callId }) => handled.push(callId))
      .onError((error) => errors.push(error))
    expect(await receiver.accept(JSON.stringify(toEnd('queued')), { id: 'a', source: 'queue' })).toBe(
      'stored',
    )
    await receiver.drain()

    const request = toRequest(toEnd('sent'))
    const response = await receiver.handle(request)
    expect(response.status).toBe(503)
    expect(request.bodyUsed).toBe(false)
    expect(errors).toMatchObject([
      { reason: 'invalid_secret', message: expect.stringContaining('has no verify') },
    ])
    expect(handled).toEqual(['queued'])
    expect(await inbox.count()).toEqual({ handled: 1 })
  })

  it('does not store an event in a transaction that other code has open', async () => {
    const database = open(new DatabaseSync(join(folder, 'shared.db')))
    const { receiver, inbox } = receive(createEnvironment(database))
    await inbox.list()
    database.exec('BEGIN')
    // The engine draws the length of each pause.
    using pauses = vi.spyOn(Math, 'random')
    const response = receiver.handle(toRequest(toEnd('c'), 'a'))
    await expect.poll(() => pauses.mock.calls.length).toBeGreaterThan(2)
    database.exec('ROLLBACK')
    expect((await response).status).toBe(200)
    expect(await inbox.count()).toEqual({ stored: 1 })
  })

  it('waits for another process that has locked the database', async () => {
    const file = join(folder, 'locked.db')
    const { receiver, inbox } = receive(createEnvironment(open(new DatabaseSync(file, { timeout: 0 }))))
    await inbox.list()
    const other = open(new DatabaseSync(file))
    other.exec('BEGIN IMMEDIATE')
    // The engine draws the length of each pause.
    using pauses = vi.spyOn(Math, 'random')
    const response = receiver.handle(toRequest(toEnd('c'), 'a'))
    await expect.poll(() => pauses.mock.calls.length).toBeGreaterThan(2)
    other.exec('COMMIT')
    expect((await response).status).toBe(200)
  })

  it('leaves the event loop free while better-sqlite3 would wait for a lock, and restores its time limit', async () => {
    const file = join(folder, 'blocking.db')
    const database = open(new BetterSqlite(file))
    const { receiver, inbox } = receive(createEnvironment(database))
    await inbox.list()
    // Two copies of SQLite in one process do not see each other's locks.
    const other = open(new BetterSqlite(file))
    other.exec('BEGIN IMMEDIATE')
    const startedAt = performance.now()
    // The engine draws the length of each pause.
    using pauses = vi.spyOn(Math, 'random')
    const response = receiver.handle(toRequest(toEnd('c'), 'a'))
    await expect.poll(() => pauses.mock.calls.length).toBeGreaterThan(3)
    // Each pause follows a statement for which the driver would have waited five seconds.
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    other.exec('COMMIT')
    expect((await response).status).toBe(200)
    expect(database.pragma('busy_timeout', { simple: true })).toBe(5_000)
  })

  it('refuses transaction(), and an asynchronous function in atCompletion()', async () => {
    const { receiver, inbox, errors } = receive(node)
    receiver.on('CALL_ENDED', async ({ callId }, { transaction, atCompletion }) => {
      if (callId === 'a') await transaction()
      else atCompletion(() => Promise.reject(new Error('late')))
    })
    for (const id of ['a', 'b']) await receiver.handle(toRequest(toEnd(id), id))
    await receiver.drain()
    expect(errors.map(String)).toEqual([
      expect.stringMatching(/atCompletion\(\)/),
      expect.stringMatching(/synchronous/),
    ])
    expect(await inbox.count()).toEqual({ failed: 2 })
  })

  it('undoes only the writes of the one that throws, when several complete at once', async () => {
    const { receiver, inbox, errors } = receive(node)
    receiver.on('CALL_ENDED', ({ callId }, { atCompletion }) => {
      atCompletion((database) => {
        database.exec(`INSERT INTO effects VALUES ('together ${callId}')`)
        if (callId === '3') throw new Error('down')
        if (callId === '5') database.exec('ROLLBACK')
      })
    })
    for (let id = 0; id < 8; id += 1) await receiver.handle(toRequest(toEnd(`${id}`), `${id}`))
    await receiver.drain()
    expect(await inbox.count()).toEqual({ handled: 6, failed: 2 })
    expect(errors.map(String).toSorted()).toEqual([expect.stringContaining('no transaction'), 'Error: down'])
    const effects = await node.query(
      "SELECT effect FROM effects WHERE effect LIKE 'together%' ORDER BY effect",
    )
    expect(effects.map(({ effect }) => String(effect).slice(-1))).toEqual(['0', '1', '2', '4', '6', '7'])
  })

  it('warns when the database acknowledges before it syncs', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const safe = receive(node)
    safe.receiver.start()
    await safe.receiver.stop()
    expect(warn).not.toHaveBeenCalled()
    const database = open(new DatabaseSync(':memory:'))
    database.exec('PRAGMA synchronous = NORMAL')
    const { receiver } = receive(createEnvironment(database))
    receiver.start()
    await expect.poll(() => warn.mock.calls.flat().join()).toContain('synchronous=NORMAL')
    await receiver.stop()
    warn.mockRestore()
  })

  it('prints one line for a parked event, unless it only lacks a handler', async () => {
    using print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { receiver, table } = receive(node, { maxAttempts: 1 })
    receiver.on('CALL_ENDED', () => Promise.reject(new Error('down')))
    const bodies = [toEnd('c'), { event: 'NEW' }, toJoin('g'), { event: 'CALL_AI_SUMMARY', callId: 'c' }, []]
    for (const body of bodies) await receiver.handle(toRequest(body))
    await receiver.drain()
    const replace = 'Pass onParked to replace this line.'
    expect(print.mock.calls.map(([line]) => line).toSorted()).toEqual([
      `Entry 1 of ${table} (CALL_ENDED) was parked (failed: Error: down). Retry it when its cause is gone. ${replace}`,
      `Entry 2 of ${table} (NEW) was parked (unknown). Handle it with onUnknown(). ${replace}`,
      expect.stringMatching(
        /^Entry 4 .* was parked \(drifted: .*\)\. Handle it with onDrift\(\)\. Pass onParked/s,
      ),
      `Entry 5 of ${table} was parked (unreadable). Look at it with show(). ${replace}`,
    ])
  })

  it('marks a call as erased before it erases, so that a summary in between is erased, too', async () => {
    const database = open(new DatabaseSync(':memory:'))
    const { inbox, receiver } = receive(createEnvironment(database))
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    using prepare = vi.spyOn(database, 'prepare')
    await inbox.erase({ callId: 'c' })
    const texts = prepare.mock.calls.map(([text]) => text)
    const [marks, erases] = [/^INSERT .*'erased'/s, /^UPDATE .* SET state = 'erased'/s].map((pattern) =>
      texts.findIndex((text) => pattern.test(text)),
    )
    expect(marks).toBeGreaterThanOrEqual(0)
    expect(erases).toBeGreaterThan(marks ?? 0)
  })

  it('erases everything about a number when it is repeated, whichever statement failed before', async () => {
    const number = '+4930123456'
    for (let isInterrupted = true, failing = 0; isInterrupted; failing += 1) {
      const database = open(new DatabaseSync(':memory:'))
      const { inbox, receiver } = receive(createEnvironment(database))
      const bodies = [
        { ...toEnd('c'), customerNumber: number },
        { event: 'CALL_ACCEPTED', callId: 'c' },
        { event: 'NEW', about: 'c' },
        { ...toJoin('g'), customerPhone: number },
        toEnd('d'),
      ]
      for (const [index, body] of bodies.entries()) await receiver.handle(toRequest(body, `${index}`))
      let left = failing
      const { prepare } = database
      database.prepare = (text) => {
        const statement = prepare.call(database, text)
        const { all } = statement
        statement.all = (...values: unknown[]) => {
          if (left-- === 0) throw new Error('disk I/O error')
          return Reflect.apply(all, statement, values)
        }
        return statement
      }
      isInterrupted = await inbox.erase({ number }).then(
        () => left < 0,
        () => true,
      )
      left = Number.POSITIVE_INFINITY
      await inbox.erase({ number })
      const kept = (await inbox.list()).filter(({ state }) => state !== 'erased')
      expect(
        kept.map(({ deliveryId }) => deliveryId),
        `statement ${failing + 1}`,
      ).toEqual(['4'])
    }
  })

  it('reports an error that onParked throws', async () => {
    const { receiver, errors } = receive(node, {
      onParked: () => {
        throw new Error('no pager')
      },
    })
    await receiver.handle(toRequest({ event: 'NEW' }))
    await receiver.drain()
    expect(errors).toMatchObject([{ message: 'no pager' }])
  })

  it('creates its table at the next statement if that failed', async () => {
    const database = open(new DatabaseSync(':memory:'))
    const exec = vi.spyOn(database, 'exec').mockImplementationOnce(() => {
      throw new Error('disk full')
    })
    const { inbox } = receive(createEnvironment(database))
    await expect(inbox.count()).rejects.toThrow('disk full')
    expect(await inbox.count()).toEqual({})
    expect(exec).toHaveBeenCalledTimes(2)
  })

  it('finds missing summaries among many entries, and reads only those that are young enough', async () => {
    const database = open(new DatabaseSync(':memory:'))
    let time = Date.UTC(2026, 0, 1)
    const { receiver, inbox, table } = receive(createEnvironment(database), { clock: { now: () => time } })
    await inbox.list()
    const insert = database.prepare(
      `INSERT INTO ${table} (event_key, source, name, subject, state, due_at, received_at)
        VALUES (?, 'webhook', 'CALL_ENDED', ?, 'handled', 1e15, ?)`,
    )
    const hour = 3_600_000
    for (let index = 0; index < 5_000; index += 1)
      insert.run(`k${index}`, `call:${index}`, time - hour * (4_999 - index))
    time += hour
    const asked: string[] = []
    const getSummary = async (callId: string) => {
      asked.push(callId)
      throw Object.assign(new Error(), { name: 'SummaryUnavailableError', status: 422 })
    }
    const { prepare } = database
    const pages = vi.fn()
    vi.spyOn(database, 'prepare').mockImplementation((text) => {
      const statement = Reflect.apply(prepare, database, [text])
      if (!text.includes('AS fact')) return statement
      const all = (...values: number[]) => {
        pages()
        return statement.all(...values)
      }
      return { all } as unknown as typeof statement
    })
    const reconcile = (maxAgeMs: number) =>
      receiver.reconcile({ calls: { getSummary } }, { olderThanMs: 1, maxAgeMs, intervalMs: 0.001 })
    await reconcile(600 * hour)
    expect(asked).toEqual(Array.from({ length: 600 }, (_, index) => `${4_400 + index}`))
    expect(pages.mock.calls.length).toBeLessThan(5)
    expect(await inbox.count()).toEqual({ handled: 5_000, unavailable: 600 })
  })

  it('warns when no process handles what is stored', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    let passed = 0
    const began = performance.now()
    const time = vi.spyOn(performance, 'now').mockImplementation(() => began + passed)
    onTestFinished(() => {
      warn.mockRestore()
      time.mockRestore()
    })
    const { receiver } = receive(node, { table: 'unattended', clock: { now: () => began + passed } })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    expect(warn).not.toHaveBeenCalled()
    passed = 61_000
    await receiver.handle(toRequest(toEnd('d'), 'b'))
    await expect
      .poll(() => warn.mock.calls.flat().join())
      .toMatch(/1 events .* in unattended .*receiver\.start\(\)/)
  })
})
