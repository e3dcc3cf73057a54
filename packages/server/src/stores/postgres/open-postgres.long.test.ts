import { createServer } from 'node:net'
import { StorageOutcomeUnknownError, StorageUnavailableError, type Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { createPair } from '../../../test/postgres-pair.ts'
import { groupCreation, organization, subscription } from '../../../test/records.ts'
import { createTcpProxy } from '../../../test/tcp-proxy.ts'
import { DatabaseOpenError } from '../errors.ts'
import { functionSchema } from './functions/index.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { migrations } from './schema.ts'

let cluster: PostgresCluster
let url: string

beforeAll(async () => {
  cluster = await createCluster()
})
afterAll(() => cluster.remove())
beforeEach(async () => {
  url = await cluster.createDatabase()
})

const opened: PostgresDatabase[] = []
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

const open = async (options: Partial<Parameters<typeof openPostgres>[0]> = {}): Promise<PostgresDatabase> => {
  const database = await openPostgres({ url, onError: () => {}, ...options })
  opened.push(database)
  return database
}

/** Returns the address of another database in the cluster. */
const other = (name: string): string => url.replace(/\/[^/]+$/, `/${name}`)

/** Runs a statement on this database or another one, bypassing the store. */
const admin = async (sql: string, connectionString = url): Promise<void> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** Disturbs a database in use, and leaves it unchanged. `hasFailed` returns whether a write has failed. */
type Disturb = (hasFailed: () => boolean) => Promise<void>

/** Creates groups concurrently until a disturbance is over. Returns the acknowledged ones, and the failures. */
const createUnderLoad = async (store: Store, disturb: Disturb) => {
  let isOver = false
  const acknowledged: string[] = []
  const failures: { readonly id: string; readonly error: unknown }[] = []
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      const id = `g_${writer}_${count}`
      try {
        await store.createGroup(groupCreation(id))
        acknowledged.push(id)
      } catch (error) {
        failures.push({ id, error })
      }
    }
  }
  const writing = Array.from({ length: 6 }, (_, writer) => write(writer))
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
  await disturb(() => failures.length > 0)
  isOver = true
  await Promise.all(writing)
  return { acknowledged, failures }
}

const disturbances: Readonly<Record<string, Disturb>> = {
  'connections are cut off': async (hasFailed) => {
    // A connection that is cut off between two statements fails none.
    for (let cut = 0; cut < 5 || !hasFailed(); cut++) {
      await admin(
        `SELECT pg_sleep(0.05), pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'wabakit' AND datname = current_database()`,
      )
    }
  },
  'PostgreSQL is restarted': async () => {
    await cluster.stop()
    await cluster.start()
  },
}

for (const [name, disturb] of Object.entries(disturbances)) {
  test(`keeps acknowledged changes, and continues, when ${name}`, async () => {
    const database = await open()
    const store = postgresStore(database)
    await store.saveOrganization(organization())
    await store.saveSubscription(subscription())
    const { acknowledged, failures } = await createUnderLoad(store, disturb)
    expect(failures.length).toBeGreaterThan(0)
    const codes = failures.map(({ error }) => error instanceof Error && 'code' in error && error.code)
    expect(new Set(['storage_unavailable', 'outcome_unknown', ...codes]).size).toBe(2)

    await expect.poll(() => store.createGroup(groupCreation('after'))).toMatchObject({})
    const kept = await database.query<{ id: string; events: number; deliveries: number }>(
      `SELECT g.client_custom_group_id AS id, count(DISTINCT e.position)::integer AS events,
         count(d.event)::integer AS deliveries
       FROM wabakit.groups g
       JOIN wabakit.events e ON e.subject = 'group:' || g.client_custom_group_id
       JOIN wabakit.unfinished_deliveries d ON d.event = e.position GROUP BY 1`,
    )
    expect(kept.every(({ events, deliveries }) => events === 1 && deliveries === 1)).toBe(true)
    const ids = new Set(kept.map(({ id }) => id))
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
    const unchanged = failures.filter(({ error }) => error instanceof StorageUnavailableError)
    expect(unchanged.filter(({ id }) => ids.has(id))).toEqual([])
  })
}

test('finds the primary among several hosts, and loses no acknowledged change when the standby is promoted', async () => {
  await using pair = await createPair({ isSynchronous: true })
  const name = await pair.createDatabase()
  const errors: unknown[] = []
  // The first host is the standby.
  const store = postgresStore(
    await open({
      url: `${pair.bothAddressesOf(name)}?target_session_attrs=read-write`,
      onError: (error) => errors.push(error),
    }),
  )
  await store.saveOrganization(organization())
  const { acknowledged, failures } = await createUnderLoad(store, async () => {
    await pair.failOver()
    await expect.poll(() => store.createGroup(groupCreation('after'))).toMatchObject({})
  })
  expect(failures.length).toBeGreaterThan(0)
  for (const id of [...acknowledged, 'after']) expect(await store.findGroup('acme', id)).toBeDefined()
  await store.close()
  opened.length = 0
})

test('uses no earlier connection once one has led to a server that only reads', async () => {
  const database = await open()
  const becomeReadOnly = () =>
    database.query<{ pid: number }>(
      `SELECT pg_backend_pid() AS pid, set_config('default_transaction_read_only', 'on', false)`,
    )
  const [first, second] = (await Promise.all([becomeReadOnly(), becomeReadOnly()])).flat()
  expect(first?.pid).not.toBe(second?.pid)
  await expect(postgresStore(database).saveOrganization(organization())).rejects.toMatchObject({
    code: 'storage_unavailable',
  })
  // A connection that only reads would never fail, and show what the former primary knows.
  const [next] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  expect([first?.pid, second?.pid]).not.toContain(next?.pid)
  await postgresStore(database).saveOrganization(organization())
})

/** Returns the backend and the port of the connection that runs a statement. */
const whereAmI = async (database: PostgresDatabase) => {
  const text = 'SELECT pg_backend_pid() AS pid, inet_server_port() AS port'
  const [row] = await database.query<{ pid: number; port: number }>(text)
  return row
}

test('uses no earlier connection once a new one finds that its server only reads', async () => {
  const database = await open()
  const earlier = await whereAmI(database)
  const name = new URL(url).pathname.slice(1)
  await admin(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  // Two at once, so that the second one needs a new connection.
  const both = await Promise.allSettled([whereAmI(database), whereAmI(database)])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await admin(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`)
  const findNext = () => whereAmI(database).catch(() => undefined)
  const next = await vi.waitUntil(findNext, { timeout: 120_000 })
  expect(next?.pid).not.toBe(earlier?.pid)
})

test('uses no connection to a host once another one has become the primary', async () => {
  const old = await createCluster()
  onTestFinished(old.remove)
  const standby = await createCluster({ standbyOf: old })
  onTestFinished(standby.remove)
  const name = new URL(await old.createDatabase()).pathname.slice(1)
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${old.port}`
  const database = await open({ url: `postgres://wabakit:wabakit@${hosts}/${name}` })
  expect(await whereAmI(database)).toMatchObject({ port: old.port })
  await expect.poll(() => standby.query(`SELECT FROM pg_database WHERE datname = '${name}'`)).toHaveLength(1)
  await standby.query('SELECT pg_promote()')
  // Only the open connection still reaches the former primary.
  await old.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  const both = await Promise.all([whereAmI(database), whereAmI(database)])
  expect(both.map((each) => each?.port).toSorted()).toEqual([old.port, standby.port].toSorted())
  const later = await Promise.all([whereAmI(database), whereAmI(database)])
  expect(later).toMatchObject([{ port: standby.port }, { port: standby.port }])
  await database.close()
  opened.length = 0
})

test('explains for each of several hosts why it cannot be used, without the password', async () => {
  const refused = open({ url: 'postgres://me:secret@127.0.0.1:1,127.0.0.1:2/shop' })
  await expect(refused).rejects.toThrow(
    /^Cannot open the database postgres:\/\/me@127\.0\.0\.1:1,127\.0\.0\.1:2\/shop\. .*REFUSED 127\.0\.0\.1:1; .*:2\.$/,
  )
})

test('closes a connection without responses, and continues when the network is back', async () => {
  const proxy = await createTcpProxy(cluster.port)
  const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  const store = postgresStore(
    await open({ url: proxied, statementTimeoutMs: 1_000, connectTimeoutMs: 1_500, maxConnections: 2 }),
  )
  await store.saveOrganization(organization())
  proxy.blackHole()
  const lost = await Promise.allSettled(['a', 'b', 'c'].map((id) => store.createGroup(groupCreation(id))))
  for (const each of lost) {
    expect(each).toMatchObject({ status: 'rejected', reason: { code: 'outcome_unknown' } })
  }
  proxy.restore()
  await expect.poll(() => store.createGroup(groupCreation('d'))).toMatchObject({})
  await store.close()
  opened.length = 0
  await proxy.close()
})

test('does not connect for each request while PostgreSQL refuses connections', async () => {
  const proxy = await createTcpProxy(cluster.port)
  const database = await open({ url: url.replace(`:${cluster.port}/`, `:${proxy.port}/`) })
  await proxy.close()
  let connections = 0
  const refusing = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => refusing.listen(proxy.port, '127.0.0.1', resolve))
  for (let request = 0; request < 300; request++)
    await expect(database.read('SELECT 1')).rejects.toBeInstanceOf(StorageUnavailableError)
  expect(connections).toBeGreaterThan(0)
  expect(connections).toBeLessThan(30)
  await new Promise((resolve) => refusing.close(resolve))
})

test('reports an unknown outcome for changes with an unconfirmed commit, and repeats none of them', async () => {
  const proxy = await createTcpProxy(cluster.port)
  const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  const store = postgresStore(await open({ url: proxied }))
  await store.saveOrganization(organization())
  const ids = ['lost', 'together_1', 'together_2', 'together_3']
  proxy.loseResponseTo('lost')
  const outcomes = await Promise.allSettled(ids.map((id) => store.createGroup(groupCreation(id))))
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StorageOutcomeUnknownError' } })
  }
  for (const id of ids) expect(await store.findGroup('acme', id)).toBeDefined()
  await proxy.close()
})

test('reports a read whose response was lost as unavailable', async () => {
  const proxy = await createTcpProxy(cluster.port)
  const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  const store = postgresStore(await open({ url: proxied }))
  for (const read of [store.findOrganization, (id: string) => store.listApiKeys(id)]) {
    proxy.loseResponseTo('lost')
    await expect(read('lost')).rejects.toBeInstanceOf(StorageUnavailableError)
  }
  await proxy.close()
})

test('reports an unknown outcome for a change whose backend was terminated', async () => {
  const store = postgresStore(await open())
  await store.saveOrganization(organization())
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  await blocker.query(`BEGIN; SELECT pg_advisory_xact_lock(wabakit.lock_key('organization', 'acme'))`)
  const created = store.createGroup(groupCreation('g')).catch((error: unknown) => error)
  const blocked = 'SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted'
  await expect.poll(async () => (await blocker.query(blocked)).rowCount).toBe(1)
  expect(await created).toBeInstanceOf(StorageOutcomeUnknownError)
  await blocker.end()
})

test('releases the lock of a process that stops in the middle of a migration', async () => {
  const proxy = await createTcpProxy(cluster.port)
  const proxied = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  await blocker.query('BEGIN; CREATE SCHEMA wabakit')
  // Long enough to see it wait on a busy machine.
  const silent = openPostgres({ url: proxied, statementTimeoutMs: 1_500 }).catch((error: unknown) => error)
  const blocked = 'SELECT FROM pg_locks WHERE NOT granted'
  await expect.poll(async () => (await blocker.query(blocked)).rowCount).toBe(1)
  proxy.blackHole()
  await blocker.query('ROLLBACK')
  await blocker.end()
  expect(await (await open()).query('SELECT FROM wabakit.migrations')).toHaveLength(migrations.length)
  proxy.restore()
  expect(await silent).toMatchObject({ code: 'database_not_opened' })
  await proxy.close()
})

test('cancels a statement that takes too long', async () => {
  // Long enough for the statements that open the database on a busy machine.
  const store = postgresStore(await open({ statementTimeoutMs: 1_500 }))
  await store.saveOrganization(organization())
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  await blocker.query(`BEGIN; SELECT pg_advisory_xact_lock(wabakit.lock_key('organization', 'acme'))`)
  await expect(store.createGroup(groupCreation('g'))).rejects.toBeInstanceOf(StorageUnavailableError)
  await blocker.query('COMMIT')
  expect((await store.createGroup(groupCreation('g'))).outcome).toBe('created')
  await blocker.end()
})

test('several processes can create the schema of an empty database concurrently', async () => {
  const databases = await Promise.all(Array.from({ length: 10 }, () => open({ maxConnections: 1 })))
  for (const database of databases) {
    const versions = await database.query<{ version: number }>(
      'SELECT version FROM wabakit.migrations ORDER BY 1',
    )
    expect(versions.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
  }
})

const listFunctionSchemas = async (): Promise<string[]> => {
  const rows = await (await open()).query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, 'wabakit_') ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

test('keeps the functions of the previous version, whose processes may still be running, and drops older ones', async () => {
  expect(await listFunctionSchemas()).toEqual([functionSchema])
  for (const [name, hours] of [
    ['wabakit_oldest', 3],
    ['wabakit_previous', 1],
    ['wabakit_older', 2],
  ]) {
    await admin(`CREATE SCHEMA ${name}; CREATE FUNCTION ${name}.publish() RETURNS integer LANGUAGE sql RETURN 1;
      INSERT INTO wabakit.function_schemas VALUES ('${name}', now() - interval '${hours} hours')`)
  }
  expect(await listFunctionSchemas()).toEqual([functionSchema, 'wabakit_previous'].toSorted())
})

test.each(['wabakit', functionSchema])('starts again after its schema %s was dropped', async (schema) => {
  await open()
  await admin(`DROP SCHEMA ${schema} CASCADE`)
  const store = postgresStore(await open())
  await store.saveOrganization(organization())
  expect((await store.createGroup(groupCreation('g'))).outcome).toBe('created')
})

test('starts on tables that a newer version has expanded', async () => {
  await (await open()).query('INSERT INTO wabakit.migrations (version) VALUES (99)')
  expect((await (await open()).query('SELECT FROM wabakit.migrations')).length).toBe(migrations.length + 1)
})

test('does not block all processes while a migration waits for a long transaction', async () => {
  await (await open()).query('DELETE FROM wabakit.migrations')
  await admin('DROP TABLE wabakit.organizations')
  const dump = new pg.Client({ connectionString: url })
  await dump.connect()
  await dump.query('BEGIN; CREATE TABLE wabakit.organizations ()')
  await expect(open()).rejects.toThrow(/A long transaction, such as a dump, uses its tables/)
  await dump.query('ROLLBACK')
  await dump.end()
})

test('rejects a database that a newer version has contracted, without changing it', async () => {
  await (await open()).query('INSERT INTO wabakit.migrations (version, minimum) VALUES (99, 98)')
  await expect(open()).rejects.toMatchObject({
    code: 'database_too_new',
    found: 99,
    supported: migrations.length,
  })
})

test('rejects a database whose encoding cannot store every text', async () => {
  await admin(`CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0`)
  await expect(open({ url: other('ascii') })).rejects.toMatchObject({
    code: 'database_not_opened',
    message: expect.stringContaining('ENCODING UTF8'),
  })
})

test('reports that a database did not respond, without waiting for it', async () => {
  const proxy = await createTcpProxy(cluster.port)
  proxy.blackHole()
  const silent = url.replace(`:${cluster.port}/`, `:${proxy.port}/`)
  await expect(open({ url: silent, connectTimeoutMs: 100 })).rejects.toThrow(
    /\. It did not respond in time\.$/,
  )
  await proxy.close()
})

test("commits to disk, whatever the database's setting", async () => {
  await admin(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
  const [settings] = await (await open()).query(`SELECT current_setting('synchronous_commit') AS commit`)
  expect(settings).toEqual({ commit: 'on' })
})

test('a server with fsync or full_page_writes off is used, with a warning for each', async () => {
  await using careless = await createCluster({ settings: { full_page_writes: 'off' } })
  const warnings: string[] = []
  await open({ url: await careless.createDatabase(), onWarning: (warning) => warnings.push(warning) })
  expect(warnings).toEqual([
    expect.stringMatching(/fsync = off: .* loses changes that were acknowledged.* Set fsync to on/),
    expect.stringMatching(/full_page_writes = off: .* can damage the database.* Set full_page_writes to on/),
  ])
  expect(warnings.join()).not.toContain(':wabakit@')
})

test('a durable server is used without a warning, whatever the default of synchronous_commit', async () => {
  await using careful = await createCluster({ settings: { fsync: 'on', synchronous_commit: 'off' } })
  const database = await open({ url: await careful.createDatabase(), onWarning: expect.fail })
  expect(await database.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
})

test('refuses a database with different schema steps, and changes nothing', async () => {
  await open()
  await admin(`UPDATE wabakit.migrations SET hash = 'other'`)
  const opening = open()
  await expect(opening).rejects.toBeInstanceOf(DatabaseOpenError)
  await expect(opening).rejects.toThrow('Step 1 of its schema differs from that of this version')
})

test('names the GRANT that a role needs', async () => {
  await admin(`CREATE ROLE stranger LOGIN PASSWORD 'stranger'`)
  const address = new URL(url)
  address.username = 'stranger'
  address.password = 'stranger'
  await expect(open({ url: address.href })).rejects.toThrow(
    /permission denied .* GRANT CONNECT, CREATE ON DATABASE/,
  )
  await admin('DROP ROLE stranger')
})

test('warns if every role of the server may connect, and could hold locks of the service', async () => {
  const address = (await cluster?.createDatabase()) ?? ''
  const name = new URL(address).pathname.slice(1)
  const findWarnings = async (): Promise<string[]> => {
    const warnings: string[] = []
    const database = await openPostgres({ url: address, onWarning: (message) => warnings.push(message) })
    await database.close()
    return warnings.filter((each) => each.includes('may connect'))
  }
  expect(await findWarnings()).toEqual([])
  await cluster?.query(`CREATE ROLE bystander LOGIN`)
  expect(await findWarnings()).toEqual([
    expect.stringContaining(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`),
  ])
  await cluster?.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`)
  expect(await findWarnings()).toEqual([])
})
