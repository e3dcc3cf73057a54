import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { expect, test } from 'vitest'
import { damageOverflowPage } from './damage-overflow-page.ts'
import { createGroup, listenForWebhooks, start } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** More text than fits beside a row, so that it can be damaged on its own. */
const payload = `{"event":"GROUP_CREATED","pad":"${'x'.repeat(20_000)}"}`

/** Removes a part of the payload of the first event from the tables' files, as a failing disk does. */
const damagePostgres = async (database: string): Promise<void> => {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query('ALTER TABLE wabakit.events ALTER payload SET STORAGE EXTERNAL')
  await client.query(
    'UPDATE wabakit.events SET payload = $1 WHERE position = (SELECT min(position) FROM wabakit.events)',
    [payload],
  )
  await client.query('CREATE EXTENSION pg_surgery')
  const { rows } = await client.query(
    `SELECT reltoastrelid::regclass::text AS toast FROM pg_class WHERE oid = 'wabakit.events'::regclass`,
  )
  await client.query(`SELECT heap_force_kill('${rows[0].toast}', ARRAY['(0,1)'::tid])`)
  await client.end()
}

const damageSqlite = async (database: string): Promise<void> => {
  const client = new DatabaseSync(database)
  client
    .prepare('UPDATE events SET payload = ? WHERE position = (SELECT min(position) FROM events)')
    .run(payload)
  client.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  client.close()
  damageOverflowPage(database)
}

const engines = {
  SQLite: { create: async () => join(temporaryFolder(), 'wabakit.db'), damage: damageSqlite },
  PostgreSQL: { create: createPostgresDatabase, damage: damagePostgres },
}

test.each(Object.entries(engines))(
  'a webhook that cannot be read from %s stops no other, and is named',
  async (_, { create, damage }) => {
    const database = await create()
    const endpoints = [await listenForWebhooks(), await listenForWebhooks()]
    const before = await start({ database })
    await before.service.dispatcher.stop()
    for (const { url } of endpoints)
      await before.service.subscriptions.create('acme', { channel: 'WHATSAPP', number: '+15550100001', url })
    for (const groupId of ['damaged', 'second', 'third']) await createGroup(before.url, { groupId })
    await before.close()
    await damage(database)

    const logStream = new PassThrough()
    const server = await start({ database, logLevel: 'info', logFormat: 'json' }, { logStream })
    for (const { arrived } of endpoints) await arrived(2)
    await createGroup(server.url, { groupId: 'fourth' })
    for (const { arrived, arrivals } of endpoints) {
      await arrived(3)
      expect(arrivals.map(({ body }) => JSON.parse(body).groupId).toSorted()).toEqual([
        'fourth',
        'second',
        'third',
      ])
    }
    const readReadiness = async () => {
      const response = await fetch(`${server.url}/readyz`)
      return { status: response.status, body: await response.text() }
    }
    await expect.poll(readReadiness).toEqual({
      status: 200,
      body: 'ready\n2 deliveries cannot be loaded from the database. The others go on.\nSee the log.\n',
    })
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(/^wabakit_unreadable_deliveries 2$/m)
    await server.close()
    logStream.end()
    const errors = (await text(logStream)).split('\n').filter((line) => line.includes('"level":"error"'))
    expect(errors[0]).toMatch(/The delivery dlv_\w+ could not be loaded\. .*restore them from a backup/)
    expect(errors.filter((line) => !line.includes('the error was repeated'))).toHaveLength(1)
  },
)
