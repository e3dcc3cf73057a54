import { randomBytes } from 'node:crypto'
import { type Inbox, sqlInbox, sqlInboxTable } from '@wabakit/webhooks'
import pg, { type ClientBase, type Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest'
import type { InboxEngine } from '../../src/inbox/engine.ts'
import { createPostgresEngine } from '../../src/inbox/engines/postgresql.ts'
import { createEntries } from '../../src/inbox/entries.ts'
import { inboxSyntaxes } from '../../src/inbox/table.ts'
import { sharePostgres } from '../postgres.ts'
import { claimCostCases } from './claim-cost-cases.ts'
import { claimOrderCases } from './claim-order-cases.ts'
import { type Context, type Environment, newTable, receive, toEnd, toJoin, toRequest } from './environment.ts'
import { failureCostCases } from './event-cost-cases.ts'
import { inboxCases } from './inbox-cases.ts'
import { createClock } from './set-up.ts'

let postgres: Awaited<ReturnType<typeof sharePostgres>>
let shared: Environment

const createEnvironment = (pool: Pool): Environment => ({
  inbox: (options) => sqlInbox(pool, options) as unknown as Inbox<Context>,
  write: async ({ transaction }, effect) => {
    const client = await transaction()
    await client.query(`INSERT INTO effects VALUES ('${effect}')`)
  },
  query: async (text) => (await pool.query(text)).rows,
})

/** Makes each session of a pool report at once which buffers it has read. Otherwise, it does so once a second. */
const reportReads = (pool: Pool): Pool =>
  pool.on('connect', (client) => {
    const { query } = client
    const report = async (...parameters: unknown[]) => {
      try {
        return await Reflect.apply(query, client, parameters)
      } finally {
        await Reflect.apply(query, client, ['SELECT pg_stat_force_next_flush()']).catch(() => {})
      }
    }
    Object.assign(client, { query: report })
  })

/** Takes the lock of a table's claims, as another process does. */
const toLock = (
  table: string,
): string => `BEGIN; INSERT INTO ${table} (id, event_key, source, state, due_at, received_at)
  OVERRIDING SYSTEM VALUE VALUES (-1, 'lock', 'inbox', 'lock', 0, 0)`

/** Long bodies are in a table of their own, from which a failing disk loses some. */
const loseLongBodies = async (table: string) => {
  const [{ name = '' } = {}] = await shared.query(
    `SELECT reltoastrelid::regclass::text AS name FROM pg_class WHERE oid = '${table}'::regclass`,
  )
  const setKind = (kind: string) => `UPDATE pg_class SET relkind = '${kind}' WHERE oid = '${name}'::regclass`
  await shared.query(`${setKind('r')}; DELETE FROM ${name}; ${setKind('t')}`)
  await shared.query(`VACUUM ${table}`)
}

beforeAll(async () => {
  postgres = await sharePostgres()
  const pool = postgres.pool()
  await pool.query('CREATE TABLE effects (effect text)')
  shared = createEnvironment(pool)
})
afterAll(() => postgres.stop())

inboxCases('PostgreSQL', () => shared)
claimCostCases('PostgreSQL', () => postgres)
claimOrderCases('PostgreSQL', {
  environment: () => shared,
  openEngine: (table) => createPostgresEngine(postgres.pool(), table) as unknown as InboxEngine,
})
failureCostCases('PostgreSQL', {
  // Reading a lane once costs 8,000 or more.
  failure: 4_000,
  environment: () => ({ ...createEnvironment(reportReads(postgres.pool())), query: shared.query }),
  readCost: async () => {
    const [row] = await shared.query(
      `SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit) AS buffers FROM pg_statio_user_tables`,
    )
    return Number(row?.buffers)
  },
})

describe('an inbox on PostgreSQL', () => {
  it('stores while handlers occupy all other connections of the pool', async () => {
    const pool = postgres.pool({ max: 4 })
    const { receiver, inbox } = receive(createEnvironment(pool))
    const gate = Promise.withResolvers<void>()
    let started = 0
    receiver.onAny(async (_, { transaction }) => {
      await transaction()
      started += 1
      await gate.promise
    })
    receiver.start()
    for (let index = 0; index < 5; index += 1)
      await receiver.handle(toRequest(toJoin(`${index}`), `${index}`))
    await expect.poll(() => started).toBe(2)
    const responses = Array.from({ length: 20 }, (_, index) =>
      receiver.handle(toRequest(toJoin(`${index}`), `x${index}`)),
    )
    for (const response of responses) expect((await response).status).toBe(200)
    gate.resolve()
    await expect.poll(() => inbox.count()).toEqual({ handled: 25 })
    await receiver.stop()
  })

  it.each(['the driver', 'the server'])(
    'sets an event aside whose row %s cannot read, and handles the others',
    async (reader) => {
      /** An application may set parsers that refuse what they cannot represent. */
      const parse = (text: string) => {
        if (Number.isSafeInteger(Number(text))) return Number(text)
        throw new RangeError(`${text} is not a safe integer`)
      }
      const types = {
        getTypeParser: (...type: Parameters<typeof pg.types.getTypeParser>) =>
          Number(type[0]) === 20 ? parse : pg.types.getTypeParser(...type),
      }
      // On it, no retry becomes due.
      const clock = createClock()
      const { receiver, inbox, errors, table } = receive(createEnvironment(postgres.pool({ types })), {
        clock,
      })
      const handled: unknown[] = []
      receiver.onAny((_, { delivery }) => void handled.push(delivery.id))
      for (const id of ['a', 'b', 'c'])
        await receiver.handle(
          toRequest({ ...toEnd(id), more: id === 'b' ? randomBytes(8_000).toString('base64') : '' }, id),
        )
      if (reader === 'the driver')
        await shared.query(`UPDATE ${table} SET sent_at = 9223372036854775807 WHERE delivery_id = 'b'`)
      else await loseLongBodies(table)
      await receiver.drain()
      expect([handled, await inbox.count()]).toEqual([['a', 'c'], { failed: 1, handled: 2 }])
      expect(errors).toMatchObject([{ message: expect.stringMatching(/Entry 2 of .* cannot be read/) }])
      const column = reader === 'the driver' ? 'sent_at' : 'body'
      expect(await inbox.show('2')).toMatchObject({
        id: '2',
        state: 'failed',
        deliveryId: 'b',
        error: expect.stringMatching(`Entry 2 of .* cannot be read: ${column} \\(`),
        body: reader === 'the driver' ? expect.any(Uint8Array) : undefined,
      })
      const listed = await inbox.list()
      expect(listed.map(({ deliveryId, attempts }) => [deliveryId, attempts])).toEqual([
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ])
    },
  )

  it('erases and retries what it can read, and then names the entries whose bodies the database has lost', async () => {
    const { receiver, inbox, errors, table } = receive(shared)
    const number = '+49301234'
    for (const id of ['a', 'b', 'c', 'd']) {
      const more = id === 'b' ? randomBytes(8_000).toString('base64') : ''
      await receiver.handle(toRequest({ ...toEnd(id), from: id === 'd' ? '+1555' : number, more }, id))
    }
    await receiver.drain()
    expect(await inbox.count()).toEqual({ unhandled: 4 })
    await loseLongBodies(table)
    const named = /Entries of inbox_\d+ cannot be read, so they were not examined: 2 \(.*\)\. All others were/
    await expect(inbox.erase({ number })).rejects.toThrow(named)
    expect(await inbox.count()).toMatchObject({ unhandled: 2 })
    // Handlers that exist only now take entries that had none.
    const { receiver: next, errors: ofNext } = receive(shared, { table })
    const handled: unknown[] = []
    next.onAny((_, { delivery }) => void handled.push(delivery.id))
    await next.drain()
    expect([handled, errors]).toEqual([['d'], []])
    // On a slow machine, the entry is due again before all others have been handled.
    const [ofErasing, ofHandling, ...ofMore] = ofNext.map(String)
    expect(ofErasing).toMatch(named)
    for (const each of [ofHandling, ...ofMore]) expect(each).toMatch(/Entry 2 of .* cannot be read/)
    await shared.query(`UPDATE ${table} SET body = NULL WHERE id = 2`)
    expect(await inbox.erase({ number })).toBe(0)
  })

  it('stores while a claim waits for another process', async () => {
    const { receiver, inbox, table } = receive(createEnvironment(postgres.pool()))
    receiver.onAny(() => {})
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    const locking = await postgres.pool().connect()
    await locking.query(toLock(table))
    receiver.start()
    const isWaiting = () =>
      shared.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${table}%'`,
      )
    // A claim that was given up after 10 seconds may wait, too.
    await expect.poll(isWaiting).not.toEqual([])
    expect((await receiver.handle(toRequest(toEnd('c'), 'b'))).status).toBe(200)
    expect(await inbox.count()).toEqual({ stored: 2 })
    await locking.query('ROLLBACK')
    locking.release()
    await expect.poll(() => inbox.count()).toEqual({ handled: 2 })
    await receiver.stop()
  })

  it('claims nothing without the lock, although an event arrives while it finds nothing to lock for', async () => {
    const { receiver, inbox, table } = receive(shared)
    await inbox.count()
    const pool = postgres.pool()
    let claims = 0
    pool.on('connect', (client) => {
      const { query } = client
      const runInParts = async (...parameters: unknown[]) => {
        const text = String(parameters[0])
        const place = text.indexOf('WITH picked')
        if (place === -1 || claims++ > 0) return Reflect.apply(query, client, parameters)
        const before = await Reflect.apply(query, client, [text.slice(0, place)])
        expect((await receiver.handle(toRequest(toEnd('c'), 'a'))).status).toBe(200)
        return [...before, ...(await Reflect.apply(query, client, [text.slice(place)]))]
      }
      Object.assign(client, { query: runInParts })
    })
    const entries = createEntries({
      table,
      engine: createPostgresEngine(pool, table) as unknown as InboxEngine,
      retention: { handledBodyMs: 1, parkedBodyMs: 1, keyMs: 1 },
      now: () => inboxSyntaxes.postgresql.now,
    })
    const claim = () => entries.claim({ again: false, except: [], limit: 1, claimMs: 60_000 })
    expect(await claim()).toEqual([])
    expect([claims, await inbox.count()]).toEqual([1, { stored: 1 }])
    expect(await claim()).toHaveLength(1)
  })

  it('claims while a role without privileges on the table holds every advisory lock of its name', async () => {
    const { receiver, inbox, table } = receive(createEnvironment(postgres.pool()))
    receiver.onAny(() => {})
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await shared.query(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`)
    onTestFinished(async () => void (await shared.query('DROP ROLE stranger')))
    const url = new URL(postgres.connectionString)
    url.username = 'stranger'
    url.password = 'stranger'
    const stranger = new pg.Client({ connectionString: url.href })
    await stranger.connect()
    for (const key of [0, 1])
      await stranger.query(`SELECT pg_advisory_lock(hashtextextended('${table}', ${key}))`)
    await expect(stranger.query(toLock(table))).rejects.toThrow('permission denied')
    await stranger.query('ROLLBACK')
    await receiver.drain()
    await stranger.end()
    expect(await inbox.count()).toEqual({ handled: 1 })
    expect(await shared.query(`SELECT id FROM ${table} WHERE event_key = 'lock'`)).toEqual([])
  })

  it('postpones in its new table if it is dropped between a claim and the search for postponed entries', async () => {
    const pool = postgres.pool()
    let drops = 0
    const { receiver, errors, table } = receive(createEnvironment(pool))
    pool.on('connect', (client) => {
      const { query } = client
      const drop = async (...parameters: unknown[]) => {
        if (/UPDATE [\w.]+ e SET/.test(String(parameters[0])) && drops++ === 0)
          await shared.query(`DROP TABLE ${table}`)
        return Reflect.apply(query, client, parameters)
      }
      Object.assign(client, { query: drop })
    })
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    await receiver.drain()
    expect([drops, errors]).toEqual([2, []])
  })

  it('stores while an entry whose claim is renewed is locked, as by its completion', async () => {
    const pool = postgres.pool()
    const spies: MockInstance<ClientBase['query']>[] = []
    pool.on('connect', (client) => spies.push(vi.spyOn(client, 'query')))
    const countRenewals = () =>
      spies.flatMap(({ mock }) => mock.calls).filter(([text]) => String(text).startsWith('WITH mine')).length
    const { receiver, table, errors } = receive(createEnvironment(pool), { claimTtlMs: 300 })
    const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    receiver.on('CALL_ENDED', async () => {
      started.resolve()
      await gate.promise
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    receiver.start()
    await started.promise
    const locking = await pool.connect()
    await locking.query(`BEGIN; SELECT id FROM ${table} FOR UPDATE`)
    const renewals = countRenewals()
    await expect.poll(() => countRenewals()).toBeGreaterThan(renewals)
    expect((await receiver.handle(toRequest(toJoin('g'), 'b'))).status).toBe(200)
    // After 10 seconds, the connection would have been replaced.
    expect(errors).toEqual([])
    await locking.query('ROLLBACK')
    locking.release()
    gate.resolve()
    await receiver.stop()
  })

  it('finds missing summaries by indexes, before PostgreSQL has statistics on the table', async () => {
    const pool = postgres.pool()
    const spies: MockInstance<ClientBase['query']>[] = []
    pool.on('connect', (client) => spies.push(vi.spyOn(client, 'query')))
    const { receiver, table } = receive(createEnvironment(pool))
    await receiver.handle(toRequest(toEnd('c')))
    await pool.query(`INSERT INTO ${table} (event_key, source, name, subject, state, due_at, received_at)
      SELECT 'k' || n, 'webhook', 'CALL_ENDED', 'call:' || n, 'handled', 1e15::bigint, received_at - 864e5::bigint * (20000 - n) / 5000
      FROM ${table}, generate_series(1, 20000) n`)
    const getSummary = () =>
      Promise.reject(Object.assign(new Error(), { name: 'RateLimitError', status: 429 }))
    await receiver.reconcile({ calls: { getSummary } }, { olderThanMs: 1, maxAgeMs: 3_600_000 })
    const asked = spies.flatMap(({ mock }) => mock.calls)
    const statements = asked.filter(([text]) => /^SELECT .*FROM public.inbox/s.test(String(text)))
    expect(statements.length).toBeGreaterThan(4)
    const plans = statements.map(async ([text, values]) => {
      const { rows } = await postgres.pool().query(`EXPLAIN ${text}`, [...(values ?? [])])
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    for (const plan of await Promise.all(plans)) expect(plan).not.toContain('Seq Scan')
    // A day's entries fill less than half a page of ids, and only some older ones are examined.
    expect(statements.filter(([text]) => String(text).includes('AS fact')).length).toBeLessThan(6)
  })

  it('wakes a worker in another process at once', async () => {
    const [table, handled] = [newTable(), Promise.withResolvers<void>()]
    const worker = receive(createEnvironment(postgres.pool()), { table, pollMs: 3_600_000 })
    worker.receiver.onAny(() => handled.resolve())
    worker.receiver.start()
    const web = receive(createEnvironment(postgres.pool()), { table })
    const findWorker = () =>
      shared.query(
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN ${table}%' OR query LIKE '%lock%${table}%'`,
      )
    await expect.poll(findWorker).not.toEqual([])
    await web.receiver.handle(toRequest(toEnd('c'), 'a'))
    await handled.promise
    await worker.receiver.stop()
  })

  it('wakes a worker in another process after its connection was lost', async () => {
    const table = newTable()
    const worker = receive(createEnvironment(postgres.pool()), { table, pollMs: 3_600_000 })
    const handled: string[] = []
    worker.receiver.on('CALL_ENDED', ({ callId }) => void handled.push(callId))
    worker.receiver.start()
    /** Waits until the worker's connection has run its last claim, and returns the number of its process. */
    const idle = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%lock%${table}%' AND pid <> pg_backend_pid()
      AND state = 'idle' AND state_change < clock_timestamp() - interval '300 ms'`
    const waitForIdle = async (): Promise<unknown> =>
      vi.waitFor(async () => (await shared.query(idle))[0]?.pid ?? expect.fail('It is not idle.'), 120_000)
    await shared.query(`SELECT pg_terminate_backend(${await waitForIdle()}, 5000)`)
    // Storing opens the connection again.
    expect((await worker.receiver.handle(toRequest(toEnd('own'), 'a'))).status).toBe(200)
    await expect.poll(() => handled).toEqual(['own'])
    await waitForIdle()
    const web = receive(createEnvironment(postgres.pool()), { table })
    await web.receiver.handle(toRequest(toEnd('other'), 'b'))
    await expect.poll(() => handled).toEqual(['own', 'other'])
    await worker.receiver.stop()
  })

  it.each(['40001', '40P01'])('stores again what PostgreSQL rolled back with %s', async (code) => {
    const { receiver, inbox, table } = receive(shared)
    await receiver.handle(toRequest(toEnd('first'), 'first'))
    // A rollback does not undo nextval(), so only the first of these statements fails.
    await shared.query(`CREATE SEQUENCE ${table}_tries`)
    await shared.query(`CREATE FUNCTION ${table}_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('${table}_tries') = 1 THEN RAISE 'rolled back' USING ERRCODE = '${code}'; END IF;
      RETURN NEW; END $$`)
    await shared.query(`CREATE TRIGGER fail BEFORE INSERT ON ${table} EXECUTE FUNCTION ${table}_fail()`)
    expect((await receiver.handle(toRequest(toEnd('c'), 'a'))).status).toBe(200)
    expect(await inbox.count()).toEqual({ stored: 2 })
  })

  it('claims and stores again after the database has canceled a claim', async () => {
    const { receiver, inbox, errors, table } = receive(createEnvironment(postgres.pool({ lock_timeout: 50 })))
    receiver.onAny(() => {})
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    const locking = await postgres.pool().connect()
    await locking.query(toLock(table))
    receiver.start()
    await expect.poll(() => String(errors[0])).toContain('lock timeout')
    expect((await receiver.handle(toRequest(toEnd('c'), 'b'))).status).toBe(200)
    await locking.query('ROLLBACK')
    locking.release()
    await expect.poll(() => inbox.count()).toEqual({ handled: 2 })
    await receiver.stop()
  })

  it('does not complete an event when a handler hides that its statement failed', async () => {
    const { receiver, inbox, errors } = receive(shared)
    receiver.onAny(async (_, { transaction }) => {
      const client = await transaction()
      await client.query('SELECT 1 / 0').catch(() => {})
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.drain()
    expect([await inbox.count(), errors[0]]).toMatchObject([
      { failed: 1 },
      { message: expect.stringContaining('aborted') },
    ])
  })

  it('does not let a handler write anything after it timed out', async () => {
    const { receiver, inbox } = receive(shared, { handlerTimeoutMs: 2_000 })
    const late = Promise.withResolvers<unknown>()
    const write = async ({ transaction, signal }: Pick<Context, 'transaction' | 'signal'>) => {
      const timedOut = new Promise((resolve) => signal.addEventListener('abort', resolve))
      const client = await transaction()
      await client.query("INSERT INTO effects VALUES ('in time')")
      await timedOut
      await new Promise((resolve) => setTimeout(resolve, 20))
      await client.query("INSERT INTO effects VALUES ('late')")
    }
    receiver.onAny((_, context) => {
      // On a busy machine, the first write may fail because it was late.
      write(context).then(late.resolve, late.resolve)
      return new Promise(() => {})
    })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.drain()
    expect(await late.promise).toBeInstanceOf(Error)
    expect([
      await inbox.count(),
      await shared.query("SELECT * FROM effects WHERE effect LIKE '%t_me' OR effect = 'late'"),
    ]).toEqual([{ failed: 1 }, []])
  })

  it('survives the loss of all connections, while events arrive and handlers run', async () => {
    const pool = postgres.pool({ max: 4 })
    const { receiver, inbox, errors, table } = receive(createEnvironment(pool))
    receiver.onAny(async (_, { transaction, attempt }) => {
      const client = await transaction()
      await client.query(`INSERT INTO effects VALUES ('${table}')`)
      if (attempt.number === 1) await new Promise((resolve) => setTimeout(resolve, 50))
    })
    receiver.start()
    const send = async (index: number) =>
      (await receiver.handle(toRequest(toJoin(`${index}`), `${index}`))).status
    for (let index = 0; index < 40; index += 1) {
      if (index % 10 === 5) {
        await shared
          .query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
          )
          .catch(() => {})
      }
      expect(await send(index)).toBe(200)
    }
    await expect.poll(() => inbox.count()).toEqual({ handled: 40 })
    expect((await shared.query(`SELECT 1 FROM effects WHERE effect = '${table}'`)).length).toBe(40)
    expect(errors.length).toBeGreaterThan(0)
    await receiver.stop()
  })

  it('returns every connection when it stops', async () => {
    const pool = postgres.pool({ max: 3 })
    const { receiver } = receive(createEnvironment(pool))
    receiver.onAny(async (_, { transaction }) => void (await transaction()))
    receiver.start()
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.stop()
    const client = await pool.connect()
    expect([client.listenerCount('error'), client.listenerCount('notification')]).toEqual([
      expect.any(Number),
      0,
    ])
    client.release()
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0])
  })

  it('leaves no listeners on the connections of handlers', async () => {
    const pool = postgres.pool({ max: 3 })
    const { receiver } = receive(createEnvironment(pool))
    receiver.onAny(async (_, { transaction }) => void (await transaction()))
    const count = async () => {
      const clients = [await pool.connect(), await pool.connect(), await pool.connect()]
      const counts = clients.map(
        (client) => client.listenerCount('error') + client.listenerCount('notification'),
      )
      for (const client of clients) client.release()
      return counts
    }
    const before = await count()
    for (let round = 0; round < 20; round += 1) {
      await receiver.handle(toRequest(toEnd(`c${round}`)))
      await receiver.drain()
    }
    expect(await count()).toEqual(before)
  })

  it('returns a connection that breaks while it stops listening', async () => {
    const pool = postgres.pool({ max: 3 })
    pool.on('connect', (client) => {
      const { query } = client
      const breakFirst = async (...parameters: unknown[]) => {
        if (parameters[0] === 'UNLISTEN *') {
          const { rows } = await Reflect.apply(query, client, ['SELECT pg_backend_pid() AS pid'])
          await shared.query(`SELECT pg_terminate_backend(${rows[0].pid}, 5000)`)
        }
        return Reflect.apply(query, client, parameters)
      }
      Object.assign(client, { query: breakFirst })
    })
    const { receiver } = receive(createEnvironment(pool))
    receiver.start()
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.stop()
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0])
    expect((await receiver.handle(toRequest(toEnd('d'), 'b'))).status).toBe(200)
  })

  it('works on a table that a migration has created', async () => {
    const table = newTable()
    await shared.query(sqlInboxTable({ table }))
    await shared.query(sqlInboxTable({ table }))
    const { receiver, inbox } = receive(shared, { table })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    expect(await inbox.count()).toEqual({ stored: 1 })
  })

  it('refuses atCompletion()', async () => {
    const { receiver, errors } = receive(shared)
    receiver.onAny((_, { atCompletion }) => atCompletion(() => {}))
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    await receiver.drain()
    expect(errors.map(String)).toEqual([expect.stringMatching(/transaction\(\)/)])
  })

  it('warns when the database acknowledges before it syncs', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await shared.query('ALTER ROLE CURRENT_USER SET synchronous_commit = off')
    const { receiver } = receive(createEnvironment(postgres.pool()))
    receiver.start()
    await expect.poll(() => warn.mock.calls.flat().join()).toContain('synchronous_commit=off')
    await receiver.stop()
    await shared.query('ALTER ROLE CURRENT_USER RESET synchronous_commit')
    warn.mockRestore()
  })
})
