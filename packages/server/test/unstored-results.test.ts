import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServerConfig } from '../src/index.ts'
import { createGroup, listenForWebhooks, start } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Runs SQL as the user of the server, like any other program with access to its database. */
const runOnPostgres = async (database: string, sql: string): Promise<object[]> => {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const runOnSqlite = async (database: string, sql: string): Promise<object[]> => {
  const client = new DatabaseSync(database, { timeout: 10_000 })
  try {
    client.exec(sql)
    return []
  } finally {
    client.close()
  }
}

const refuse = (table: string): string =>
  `CREATE FUNCTION wabakit.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'audit failed'; END $$;
   CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION wabakit.refuse()`

const engines = {
  SQLite: {
    create: async () => join(temporaryFolder(), 'wabakit.db'),
    run: runOnSqlite,
    refuse: `CREATE TRIGGER refuse BEFORE INSERT ON attempts BEGIN SELECT raise(abort, 'audit failed'); END`,
    allow: 'DROP TRIGGER refuse',
  },
  'PostgreSQL, by a trigger': {
    create: createPostgresDatabase,
    run: runOnPostgres,
    refuse: refuse('wabakit.deliveries'),
    allow: 'DROP TRIGGER refuse ON wabakit.deliveries',
  },
  'PostgreSQL, by a constraint': {
    create: createPostgresDatabase,
    run: runOnPostgres,
    refuse: 'ALTER TABLE wabakit.deliveries ADD CONSTRAINT refuse CHECK (duration_ms < 0) NOT VALID',
    allow: 'ALTER TABLE wabakit.deliveries DROP CONSTRAINT refuse',
  },
}

const startWithEndpoint = async (database: string, config: Partial<ServerConfig> = {}) => {
  const logStream = new PassThrough()
  const server = await start({ database, logLevel: 'info', logFormat: 'json', ...config }, { logStream })
  const endpoint = await listenForWebhooks()
  await server.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  const readReadiness = async () => {
    const response = await fetch(`${server.url}/readyz`)
    return { status: response.status, body: await response.text() }
  }
  const readMetric = async (): Promise<string | undefined> =>
    /^wabakit_unstored_results (.+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]
  /** Stops the server, and returns the lines of its log about errors. */
  const readErrors = async (): Promise<string[]> => {
    await server.close()
    logStream.end()
    return (await text(logStream)).split('\n').filter((line) => line.includes('"level":"error"'))
  }
  return { server, endpoint, readReadiness, readMetric, readErrors }
}

const testEngine = async ({
  create,
  run,
  refuse,
  allow,
}: (typeof engines)[keyof typeof engines]): Promise<void> => {
  const database = await create()
  const { server, endpoint, readReadiness, readMetric, readErrors } = await startWithEndpoint(database)
  await run(database, refuse)
  await createGroup(server.url, { groupId: 'first' })
  await endpoint.arrived(1)

  await expect.poll(async () => (await readReadiness()).body).toMatch(/^ready\nThe results of 1 delivery/)
  await expect.poll(async () => (await readReadiness()).status).toBe(200)
  expect(await readMetric()).toBe('1')
  expect((await createGroup(server.url, { groupId: 'second' })).status).toBe(200)

  await run(database, allow)
  await endpoint.arrived(2)
  await expect.poll(async () => (await readReadiness()).body).toBe('ready\n')
  expect(await readMetric()).toBe('0')
  const ids = endpoint.arrivals.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(ids.length)

  const [error, ...others] = await readErrors()
  expect(error).toMatch(/could not be stored\. .*Check the triggers.*audit failed|violates check/)
  expect(others.filter((line) => !line.includes('the error was repeated'))).toEqual([])
}

// At once, because each of them mostly waits.
test('a webhook whose result cannot be stored is sent once, on SQLite and PostgreSQL', async () => {
  await Promise.all(Object.values(engines).map(testEngine))
})

test('a SQLite database that becomes read only is named with the remedy, and the server recovers', async () => {
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  const { server, endpoint, readReadiness, readErrors } = await startWithEndpoint(
    join(temporaryFolder(), 'wabakit.db'),
  )
  const database = prepare.mock.contexts[prepare.mock.calls.findIndex(([sql]) => sql === 'begin immediate')]
  prepare.mockRestore()
  if (!(database instanceof DatabaseSync)) throw new Error('The server has not opened its database.')
  const remedy = 'The file cannot be written. Check its permissions and those of its folder'
  // Like a disk that is mounted read-only after an error.
  database.exec('PRAGMA query_only = on')
  const { status, headers } = await createGroup(server.url)
  expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-9]/)])
  await expect.poll(readReadiness).toEqual({ status: 503, body: expect.stringContaining(remedy) })

  database.exec('PRAGMA query_only = off')
  expect((await createGroup(server.url)).status).toBe(200)
  await endpoint.arrived(1)
  await expect.poll(async () => (await readReadiness()).status).toBe(200)
  expect((await readErrors()).join('\n')).toContain(remedy)
})

test('the body of /readyz names what keeps PostgreSQL from creating groups, with the remedy and nothing else', async () => {
  const database = await createPostgresDatabase()
  const url = new URL(database)
  const name = url.pathname.slice(1)
  url.username = `of_${name}`
  await runOnPostgres(
    database,
    `CREATE ROLE of_${name} LOGIN PASSWORD '${url.password}'; GRANT CREATE ON DATABASE ${name} TO of_${name}`,
  )
  onTestFinished(async () => {
    await runOnPostgres(database, `DROP OWNED BY of_${name} CASCADE; DROP ROLE of_${name}`)
  })
  const { server, readReadiness } = await startWithEndpoint(url.href)
  const run = (sql: string) => runOnPostgres(database, sql)
  const expectRemedy = async (remedy: string): Promise<void> => {
    expect((await createGroup(server.url)).status).toBeGreaterThanOrEqual(500)
    await expect.poll(readReadiness).toEqual({
      status: 503,
      body: expect.stringContaining(`The database cannot be reached or written. ${remedy}`),
    })
    const { body } = await readReadiness()
    for (const private_ of ['audit failed', name]) expect(body).not.toContain(private_)
  }

  await run(refuse('wabakit.groups'))
  await expectRemedy('A trigger refuses the change.')
  // The error that PostgreSQL itself raises.
  await run(`CREATE OR REPLACE FUNCTION wabakit.refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE 'audit failed' USING ERRCODE = 'disk_full'; END $$`)
  await expectRemedy('The disk is full.')
  await run(`DROP TRIGGER refuse ON wabakit.groups; REVOKE INSERT ON wabakit.groups FROM of_${name}`)
  await expectRemedy('The role lacks a privilege.')
  await run(`GRANT ALL ON wabakit.groups TO of_${name};
    ALTER TABLE wabakit.groups ADD CONSTRAINT refuse CHECK (false) NOT VALID`)
  await expectRemedy('A constraint refuses the change.')
  await run('ALTER TABLE wabakit.groups DROP CONSTRAINT refuse')
  await expect.poll(async () => (await readReadiness()).status).toBe(200)

  // As after a failover whose former primary stays reachable.
  await run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'of_${name}'`)
  await expectRemedy('The server is read only:')
  await run(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`)
  await expect.poll(async () => (await createGroup(server.url)).status).toBe(200)
})

test('a process whose SQL functions were removed stops attempting, is not ready, and says what to do', async () => {
  const database = await createPostgresDatabase()
  const { server, endpoint, readReadiness, readErrors } = await startWithEndpoint(database)
  await runOnPostgres(database, refuse('wabakit.deliveries'))
  for (let number = 0; number < 10; number++) await createGroup(server.url, { groupId: `g${number}` })
  await endpoint.arrived(1)
  const [{ name = '' } = {}] = (await runOnPostgres(
    database,
    'SELECT name FROM wabakit.function_schemas',
  )) as { name?: string }[]
  await runOnPostgres(database, `DROP SCHEMA ${name} CASCADE`)

  expect((await createGroup(server.url)).status).toBe(503)
  const remedy = 'Start the version again that the other processes run'
  await expect.poll(readReadiness).toEqual({ status: 503, body: expect.stringContaining(remedy) })
  await expect.poll(() => server.service.dispatcher.findProblems().cannotRenew).toBe(true)
  expect(endpoint.arrivals.length).toBeLessThan(5)
  expect((await readErrors()).join('\n')).toContain(remedy)
})

test('/readyz responds within a second while a table is locked', async () => {
  const database = await createPostgresDatabase()
  const { readReadiness } = await startWithEndpoint(database)
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN; LOCK TABLE wabakit.groups')
  const startedAt = performance.now()
  expect((await readReadiness()).status).toBe(503)
  // One second, and eight for a busy machine. Without a limit, it would be ten.
  expect(performance.now() - startedAt).toBeLessThan(9_000)
  await client.query('ROLLBACK')
  await expect.poll(async () => (await readReadiness()).status).toBe(200)
})
