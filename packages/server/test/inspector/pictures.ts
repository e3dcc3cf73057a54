// Makes the pictures of the guides, from a server with an hour of traffic: `docs/images/inspector-*.png` and `docs/images/walk-*.png`.
//   node --conditions=@wabakit/source packages/server/test/inspector/pictures.ts [folder]
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import type { Page } from 'playwright-core'
import { startServer } from '../../src/index.ts'
import { openStore } from '../../src/serve/open-store.ts'
import { findFreePort } from '../free-port.ts'
import { launchBrowser } from './browser.ts'
import { setup as buildPage } from './build-page.ts'

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../../../docs/images'))
const minute = 60_000
const failingForMinutes = 22
const number = { channel: 'PSTN', number: '+15550100002' } as const

await buildPage()
const data = mkdtempSync(join(tmpdir(), 'wabakit-pictures-'))
const database = join(data, 'wabakit.db')
const start = () =>
  startServer({
    port: 0,
    database,
    logLevel: 'silent',
    organizations: [{ id: 'acme', pstnNumbers: [number.number] }],
  })

// The endpoints differ by path. One has another secret than its subscription.
const port = await findFreePort()
const receiver = createReceiver({
  verify: standardWebhooks({ secrets: ['whsec_d3JvbmctYnV0LWxvbmctZW5vdWdoLXNlY3JldA=='] }),
}).onError(() => {})
const endpoints = createServer((request, response) => {
  if (request.url?.startsWith('/orders')) return void toNodeHandler(receiver)(request, response)
  request.resume()
  response.end('ok')
}).listen(port, '127.0.0.1')

const first = await start()
const subscribe = async (name: string, more: object = {}) => {
  const url = `http://127.0.0.1:${port}/${name}/webhooks`
  return (await first.service.subscriptions.create('acme', { ...number, url, ...more })).id
}
const orders = await subscribe('orders', { events: ['CALL_INCOMING_INITIATED', 'CALL_AI_SUMMARY'] })
const analytics = await subscribe('analytics', { maxAttemptsPerSecond: 0.01 })
const others = [await subscribe('billing'), await subscribe('crm')]
await first.close()

const { store } = await openStore(database, { onError: console.error, onWarning: console.warn })
const now = Date.now()
/** The events of a minute, with a wave in the hour. The same on each run. */
const countEvents = (minutesAgo: number): number =>
  Math.round(24 + 14 * Math.sin(minutesAgo / 7) + (minutesAgo % 3) * 3)
for (let minutesAgo = 58; minutesAgo > 0; minutesAgo--) {
  const events = countEvents(minutesAgo)
  const isFailing = minutesAgo <= failingForMinutes
  const [half, tenth] = [Math.round(events / 2), Math.round(events / 10)]
  const fast = { 'ms:25': events - tenth, 'ms:100': tenth }
  const broken = isFailing ? { failed: half, 'cause:wrong_secret': half } : { delivered: half }
  const bySubscription: Record<string, Record<string, number>> = {
    [orders]: { ...broken, 'ms:25': half, ...(minutesAgo === failingForMinutes && { rotated: 1 }) },
    [analytics]: { delivered: half, 'ms:2500': half - tenth, 'ms:5000': tenth },
    ...Object.fromEntries(others.map((id) => [id, { delivered: events, ...fast }])),
  }
  const total: Record<string, number> = { events }
  for (const counts of Object.values(bySubscription)) {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count
  }
  const period = {
    organizationId: 'acme',
    at: Math.floor((now - minutesAgo * minute) / minute) * minute,
    span: minute,
  }
  await store.addFigures([
    { ...period, subscriptionId: '', counts: total },
    ...Object.entries(bySubscription).map(([subscriptionId, counts]) => ({
      ...period,
      subscriptionId,
      counts,
    })),
  ])
}
for (let index = 0; index < 40; index++) {
  const event = {
    id: `evt_behind${String(index).padStart(2, '0')}`,
    organizationId: 'acme',
    name: 'CALL_ENDED',
    subject: `call:behind-${index}`,
    channel: number.channel,
    digits: number.number.slice(1),
    payload: JSON.stringify({
      event: 'CALL_ENDED',
      callId: `behind-${index}`,
      customerNumber: `+155501990${10 + index}`,
    }),
    waitsFor: null,
    traceparent: null,
    hasCustomPayload: false,
    occurredAt: now - 6 * minute + index * 5_000,
  }
  await store.addEventTo(event, analytics)
}
await store.close()
const file = new DatabaseSync(database)
const failingSince = now - failingForMinutes * minute
file.prepare('UPDATE subscriptions SET failingSince = ? WHERE id = ?').run(failingSince, orders)
file.close()

const server = await start()
for (let index = 0; index < 12; index++) {
  const call = { customerNumber: `+155501944${30 + index}`, direction: 'INCOMING', outcome: 'answered' }
  const response = await fetch(`${server.url}/_wabakit/organizations/acme/simulated-calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
}

const browser = await launchBrowser()
const open = async (
  path: string,
  options: { colorScheme?: 'dark'; width?: number; height?: number } = {},
): Promise<Page> => {
  const { colorScheme = 'light', width = 1280, height = 940 } = options
  const page = await browser.newPage({ colorScheme, viewport: { width, height } })
  await page.goto(`${server.url}/_wabakit/inspector/${path}`)
  return page
}
const save = async (page: Page, name: string): Promise<void> => {
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.close()
}

for (const colorScheme of ['light', 'dark'] as const) {
  const page = await open('?organization=acme', { ...(colorScheme === 'dark' && { colorScheme }) })
  await page.locator('.chart .line path').first().waitFor({ state: 'attached' })
  await page.getByText('1 of 4 endpoints fails; 1 is behind.').waitFor()
  await save(page, `inspector-${colorScheme}`)
}
const why = await open(`deliveries?organization=acme&subscription=${orders}&anyResponse=400,401,403`, {
  height: 640,
})
await why.locator('.rows .row').first().click()
await why.getByText('The endpoint found no valid signature.').waitFor()
await save(why, 'walk-why')
const behind = await open(`subscriptions?organization=acme&id=${analytics}`, { height: 720 })
await behind.locator('.chart .line path').first().waitFor({ state: 'attached' })
await save(behind, 'walk-behind')

await browser.close()
await server.close()
endpoints.closeAllConnections()
endpoints.close()
rmSync(data, { recursive: true })
