// Measures the first page of every filter with 100,000 events, over the control API and in Chromium.
//   node --conditions=@wabakit/source packages/server/test/inspector/list-speed.ts [sqlite|postgres]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@wabakit/core'
import pg from 'pg'
import { chromium } from 'playwright-core'
import { startServer } from '../../src/index.ts'
import { openStore } from '../../src/serve/open-store.ts'
import { createCluster } from '../postgres-cluster.ts'
import { chromiumPath } from '../programs.ts'

const count = 100_000
const day = 86_400_000
const numbers = ['15550100002', '15550100003']
const names = ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']
const start = Date.now() - 30 * day

const fill = async (store: Store): Promise<void> => {
  for (let first = 0; first < count; first += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, offset) => {
      const index = first + offset
      const isOld = index < 10
      const call = `c${Math.floor(index / 4)}`
      const name = isOld ? 'CALL_REJECTED' : (names[index % 4] ?? '')
      const digits = numbers[index % 10 === 0 ? 1 : 0] ?? ''
      const payload = JSON.stringify({
        event: name,
        callId: call,
        channelNumber: `+${digits}`,
        customerNumber: `+1555019${index % 10_000}`,
        note: isOld ? 'needle' : 'x'.repeat(300),
      })
      const occurredAt = start + Math.floor((index / count) * 30 * day)
      return store.addEvent({
        id: `evt_${String(index).padStart(8, '0')}`,
        organizationId: 'acme',
        name,
        subject: index % 5 === 0 ? `group:g${index % 500}` : `call:${call}`,
        channel: 'PSTN',
        digits,
        payload,
        waitsFor: null,
        traceparent: null,
        hasCustomPayload: false,
        occurredAt,
      })
    })
    await Promise.all(batch)
  }
}

/** Nearly all deliveries succeeded: one in 1,000 was skipped, and one failed. */
const settle = [
  `UPDATE deliveries SET status = 'delivered' WHERE event % 500 <> 0`,
  `UPDATE deliveries SET status = 'exhausted' WHERE event % 1000 = 0`,
]

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const iso = (index: number): string => new Date(start + (index / count) * 30 * day).toISOString()

const shared: Record<string, string> = {
  none: '',
  'name, common': 'name=CALL_ENDED',
  'name, rare and oldest': 'name=CALL_REJECTED',
  'number, 1 of 10': 'number=15550100003',
  call: 'call=c12001',
  group: 'group=g5',
  'from, an hour ago': `from=${new Date(Date.now() - day / 24).toISOString()}`,
  'before, 25 days ago': `before=${iso(17_000)}`,
  'text, common': 'text=callid',
  'text, oldest': 'text=needle',
  'text, nowhere': 'text=nowhere',
  'subscription, all': 'subscription=SUB_ALL',
  'subscription, oldest': 'subscription=SUB_RARE',
  'name and text, nowhere': 'name=CALL_ENDED&text=nowhere',
}
const ofDeliveries: Record<string, string> = {
  'status, delivered': 'status=delivered',
  'status, failing': 'status=pending,exhausted',
  'status, exhausted': 'status=exhausted',
  'status, waiting (none)': 'status=waiting',
}

const measure = async (database: string): Promise<void> => {
  const opened = await openStore(database, { onError: console.error, onWarning: () => {} })
  await opened.store.close()
  let server = await startServer({
    port: 0,
    database,
    logLevel: 'silent',
    organizations: [{ id: 'acme', pstnNumbers: numbers.map((digits) => `+${digits}`) }],
  })
  const subscribe = async (events: 'all' | ['CALL_REJECTED']) => {
    const created = await server.service.subscriptions.create('acme', {
      channel: 'PSTN',
      number: '+15550100002',
      url: 'http://127.0.0.1:9/',
      events: events as 'all',
      enabled: false,
    })
    return created.id
  }
  const all = await subscribe('all')
  const rare = await subscribe(['CALL_REJECTED'])
  await server.close()
  const filling = await openStore(database, { onError: console.error, onWarning: () => {} })
  const began = performance.now()
  await fill(filling.store)
  await filling.store.close()
  if (database.startsWith('postgres')) {
    const client = new pg.Client(database)
    await client.connect()
    for (const sql of settle) await client.query(sql.replace('deliveries', 'wabakit.deliveries'))
    // Autovacuum would do this within a minute.
    await client.query('VACUUM (ANALYZE)')
    await client.end()
  } else {
    const file = new DatabaseSync(database)
    for (const sql of settle) file.exec(sql)
    file.close()
  }
  console.log(`filled in ${Math.round((performance.now() - began) / 1_000)} s`)
  server = await startServer({ port: 0, database, logLevel: 'silent' })
  const path = `${server.url}/_wabakit/organizations/acme`
  const read = async (list: string, query: string) => {
    const times: number[] = []
    const cpu = process.cpuUsage()
    let [found, requests] = [0, 0]
    for (let run = 0; run < 5; run++) {
      ;[found, requests] = [0, 0]
      const from = performance.now()
      for (let cursor = ''; ; ) {
        const url = `${path}/${list}?order=newest_first&limit=100&${query}${cursor && `&cursor=${cursor}`}`
        const response = await fetch(url)
        if (!response.ok) throw new Error(`${query}: ${response.status} ${await response.text()}`)
        const page = (await response.json()) as { items: unknown[]; nextCursor?: string }
        found += page.items.length
        requests += 1
        cursor = page.nextCursor ?? ''
        if (cursor === '' || found >= 50) break
      }
      times.push(performance.now() - from)
    }
    // The total CPU time of server and client, which other work on the machine barely affects.
    const { user, system } = process.cpuUsage(cpu)
    return { ms: median(times), cpuMs: (user + system) / 1_000 / times.length, found, requests }
  }
  const browser =
    chromiumPath === undefined
      ? undefined
      : await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  const page = await browser?.newPage({ viewport: { width: 1440, height: 900 } })
  /** Returns the time until the page shows the first request's records, and until its search is complete. */
  const show = async (list: string, query: string): Promise<readonly [first: number, last: number]> => {
    if (page === undefined) return [Number.NaN, Number.NaN]
    await page.goto(`${server.url}/_wabakit/inspector/${list}`)
    await page.locator('.rows .row').first().waitFor()
    // Measures from the change of the URL until the list shows rows, an ongoing search, or no results.
    return page.evaluate(
      `new Promise((resolve) => {
        const began = performance.now()
        let first
        history.pushState(null, '', '/_wabakit/inspector/${list}?${query}')
        dispatchEvent(new PopStateEvent('popstate'))
        const look = () => {
          const isBusy = document.querySelector('.progress.on') !== null
          const isThere = document.querySelector('.rows .row, .empty, .searching') !== null
          const elapsed = performance.now() - began
          if (isThere) first ??= elapsed
          if (!isBusy && isThere) resolve([first, elapsed])
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(() => requestAnimationFrame(look))
      })`,
    )
  }
  for (const [list, filters] of [
    ['events', shared],
    ['deliveries', { ...shared, ...ofDeliveries }],
  ] as const) {
    for (const [name, text] of Object.entries(filters)) {
      const query = text.replace('SUB_ALL', all).replace('SUB_RARE', rare)
      const { ms, cpuMs, found, requests } = await read(list, query)
      const [first, last] = await show(list, query)
      const cells = [
        list.padEnd(11),
        name.padEnd(26),
        `${ms.toFixed(0)} ms`.padStart(8),
        `${cpuMs.toFixed(0)} ms CPU`.padStart(12),
        `${found} found`.padStart(10),
        `${requests} requests`.padStart(11),
        `Chromium: first ${first.toFixed(0)} ms, all ${last.toFixed(0)} ms`,
      ]
      console.log(cells.join('  '))
    }
  }
  await browser?.close()
  await server.close()
}

const engine = process.argv[2] ?? 'sqlite'
if (engine === 'sqlite') {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-lists-'))
  await measure(join(folder, 'wabakit.db'))
  rmSync(folder, { recursive: true })
} else {
  const cluster = await createCluster()
  await measure(await cluster.createDatabase())
  await cluster.remove()
}
