import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { control, listenForWebhooks, start } from './fixture.ts'

const databaseFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'wabakit.db')
}

test('creates no demo organization if another organization exists', async () => {
  const database = databaseFile()
  const first = await start({ database })
  await first.close()

  expect((await start({ database, organizations: [] })).demo).toBeUndefined()
})

test("sends the demo organization's webhooks with the credentials of the last start", async () => {
  const endpoint = await listenForWebhooks()
  const settings = { database: databaseFile(), organizations: [], webhookUrl: endpoint.url }
  for (const credentials of ['Bearer first', 'Bearer second']) {
    const server = await start({ ...settings, webhookHeader: `authorization: ${credentials}` })
    const [subscription] = (await server.service.subscriptions.list('demo')).items
    await control(server, `POST /organizations/demo/subscriptions/${subscription?.id}/test-events`, {})
    await endpoint.arrived(endpoint.arrivals.length + 1)
    await server.close()
  }

  const sent = endpoint.arrivals.map(({ headers }) => headers.authorization)
  expect(sent).toEqual(['Bearer first', 'Bearer second'])
})

test.skipIf(process.platform === 'win32')(
  'logs a warning about a database that other users can read',
  async () => {
    const database = databaseFile()
    writeFileSync(database, '')
    chmodSync(database, 0o644)
    const log = new PassThrough()
    await start({ database, logLevel: 'warn', logFormat: 'json' }, { logStream: log })
    expect(String(log.read())).toContain(`chmod 600 ${database}`)
  },
)
