import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../src/index.ts'
import { createGroup, listenForWebhooks, start } from './fixture.ts'

const databaseFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'wabakit.db')
}

test('keeps what it has acknowledged in a SQLite file', async () => {
  const database = databaseFile()
  const first = await start({ database })
  await createGroup(first.url, { groupId: 'team-1' })
  await first.close()

  const second = await start({ database })

  expect(await second.service.groups.find('acme', 'team-1')).toMatchObject({ subject: 'Team' })
  expect((await second.service.events.list('acme')).items).toHaveLength(1)
})

test('shows the key of the demo organization only when it was just made', async () => {
  const database = databaseFile()
  const first = await start({ database, organizations: [] })
  await first.close()

  const second = await start({ database, organizations: [] })

  expect(first.demo?.apiKey).toMatch(/^wk_/)
  expect(second.demo).toEqual({ ...first.demo, apiKey: undefined })
})

test('gives up an attempt when it stops, and makes it again at once when it starts', async () => {
  const database = databaseFile()
  const attempted = Promise.withResolvers<void>()
  const hanging = createServer(() => attempted.resolve())
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    hanging.closeAllConnections()
    hanging.close()
  })
  const address = hanging.address()
  const port = typeof address === 'object' ? address?.port : 0
  const first = await start({ database, shutdownGraceMs: 50 })
  const { id } = await first.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `http://127.0.0.1:${port}/`,
  })
  await createGroup(first.url)
  await attempted.promise
  await first.close()
  const endpoint = await listenForWebhooks()

  const second = await start({ database })
  await second.service.subscriptions.update('acme', id, { url: endpoint.url })
  await endpoint.arrived(1)

  const [delivery] = (await second.service.deliveries.list('acme')).items
  expect(delivery).toMatchObject({ webhookId: endpoint.arrivals[0]?.headers['webhook-id'], failures: 0 })
})

test('says that another process has the database', async () => {
  const database = databaseFile()
  await start({ database })

  await expect(startServer({ port: 0, database, logLevel: 'silent' })).rejects.toThrow(
    `${database} is in use by another process.`,
  )
})

test('shares its work only over PostgreSQL', async () => {
  await expect(startServer({ port: 0, database: ':memory:', role: 'worker' })).rejects.toThrow(
    'role (--role) can be worker with a PostgreSQL database only',
  )
})
