import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

const databaseFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'wabakit.db')
}

test("shows the demo organization's key only when it was just created", async () => {
  const database = databaseFile()
  const first = await start({ database, organizations: [] })
  await first.close()

  const second = await start({ database, organizations: [] })

  expect(first.demo?.apiKey).toMatch(/^wk_/)
  expect(second.demo).toEqual({ ...first.demo, apiKey: undefined })
})

test('creates no demo organization if another organization exists', async () => {
  const database = databaseFile()
  const first = await start({ database })
  await first.close()

  expect((await start({ database, organizations: [] })).demo).toBeUndefined()
})

test('releases an attempt when it stops, and repeats it immediately when it starts', async () => {
  const database = databaseFile()
  const attempts: Array<string | string[] | undefined> = []
  const made = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const endpoint = createServer((request, response) => {
    attempts.push(request.headers['webhook-id'])
    // The first attempt gets no response.
    if (attempts.length > 1) response.end()
    made[attempts.length - 1]?.resolve()
  })
  const origin = await listenOnFreePort(endpoint)
  const first = await start({ database, shutdownGraceMs: 50 })
  await first.service.subscriptions.create('acme', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: `${origin}/`,
  })
  await createGroup(first.url)
  await made[0]?.promise
  await first.close()

  const second = await start({ database })
  await made[1]?.promise
  await second.service.dispatcher.runDue()

  const [delivery] = (await second.service.deliveries.list('acme')).items
  expect(attempts[1]).toBe(attempts[0])
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, failures: 0 })
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

test('does not send a custom payload to another machine after a restart with another webhook URL', async () => {
  const settings = { database: databaseFile(), organizations: [] }
  const { url: webhookUrl } = await listenForWebhooks(() => 500)
  const first = await start({ ...settings, webhookUrl })
  const [subscription] = (await first.service.subscriptions.list('demo')).items
  const path = `/organizations/demo/subscriptions/${subscription?.id}/test-events`
  await control(first, `POST ${path}`, { payload: { event: 'GROUP_CREATED' } })
  await first.service.dispatcher.runDue()
  await first.close()

  const second = await start({ ...settings, webhookUrl: 'https://receiver.example/' })
  const { deliveries, dispatcher, subscriptions } = second.service
  const urls = (await subscriptions.list('demo')).items.map(({ url }) => url)
  expect(urls).toEqual(Array(2).fill('https://receiver.example/'))
  const [pending] = (await deliveries.list('demo')).items
  expect(await deliveries.retry('demo', pending?.id ?? '')).toBe(true)
  await dispatcher.runDue()

  expect((await deliveries.list('demo')).items).toMatchObject([
    { status: 'skipped', attempts: 2, failures: 1 },
  ])
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
