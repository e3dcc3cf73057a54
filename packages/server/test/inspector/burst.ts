// Measures the page while 5,000 events are published within 10 seconds, half of them to a failing endpoint, and what it keeps of them.
//   node --conditions=@wabakit/source packages/server/test/inspector/burst.ts [sqlite|postgres]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createCluster } from '../postgres-cluster.ts'
import { launchBrowser } from './browser.ts'
import { setup as buildPage } from './build-page.ts'
import { createStage } from './stage.ts'

const count = 5_000
const seconds = 10
const perTick = 25
const event = {
  channel: 'PSTN',
  number: '+15550100002',
  payload: '{"event":"BURST","note":"a burst"}',
} as const

/** Records the longest time between two frames and the page's longest task. Tasks below 50 ms do not count. */
const watch = `(() => {
  window.longestFrame = 0
  window.longestTask = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration)
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const look = () => {
    const now = performance.now()
    window.longestFrame = Math.max(window.longestFrame, now - last)
    last = now
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`
/** Whether the list is scrolled, and the selected row: its text without its status, and its place. */
const readPlace = `JSON.stringify([
  document.querySelector('.table').scrollTop > 0,
  document.querySelector('.row[aria-selected=true]')?.textContent.replace(/^(pending|attempting|waiting|delivered)\\w*/, ''),
  document.querySelector('.row[aria-selected=true]')?.getBoundingClientRect().top,
])`

const measure = async (database: string): Promise<void> => {
  const stage = await createStage(database)
  const browser = await launchBrowser()
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  let [requests, failed] = [0, 0]
  page.on('request', (request) => {
    if (/_wabakit\/(?!inspector)/.test(request.url())) requests += 1
  })
  page.on('requestfailed', () => {
    failed += 1
  })
  const session = await page.context().newCDPSession(page)
  const readHeap = async (): Promise<string> => {
    await session.send('HeapProfiler.collectGarbage')
    return `${((await session.send('Runtime.getHeapUsage')).usedSize / 1e6).toFixed(2)} MB`
  }
  const { events } = stage.server.service
  const publish = (index: number) =>
    events.publish('acme', {
      ...event,
      name: index % 2 === 0 ? 'BURST' : 'CALL_INCOMING_INITIATED',
      subject: `call:burst-${index % 500}`,
    })
  for (let index = 0; index < 200; index++) await publish(index)
  await page.goto(`${stage.server.url}/_wabakit/inspector/deliveries?organization=acme`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.rows .row').nth(20).waitFor()
  for (let presses = 0; presses < 30; presses++) await page.keyboard.press('j')
  await setTimeout(2_000)
  const before = await page.evaluate(readPlace)
  const heapBefore = await readHeap()
  await page.evaluate(watch)
  ;[requests, failed] = [0, 0]
  const began = performance.now()
  const published: Promise<unknown>[] = []
  for (let index = 0; index < count; index += perTick) {
    await setTimeout(Math.max(0, began + (index / count) * seconds * 1_000 - performance.now()))
    for (let each = 0; each < perTick; each++) published.push(publish(index + each))
  }
  await Promise.all(published)
  const tookMs = performance.now() - began
  const after = await page.evaluate(readPlace)
  const cells = [
    database.startsWith('postgres') ? 'PostgreSQL' : 'SQLite',
    `${count} events in ${(tookMs / 1_000).toFixed(1)} s`,
    `${requests} requests`,
    `${failed} failed`,
    `longest frame ${Math.round(await page.evaluate('window.longestFrame'))} ms`,
    `longest task ${Math.round(await page.evaluate('window.longestTask'))} ms`,
    before === after ? 'selection and scroll kept' : `moved: ${before} -> ${after}`,
    await page.locator('.fresh').innerText(),
    `heap ${heapBefore} -> ${await readHeap()}`,
  ]
  console.log(cells.join('  '))
  await browser.close()
  await stage.close()
}

await buildPage()
const engine = process.argv[2] ?? 'sqlite'
if (engine === 'sqlite') {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-burst-'))
  await measure(join(folder, 'wabakit.db'))
  rmSync(folder, { recursive: true })
} else {
  const cluster = await createCluster()
  await measure(await cluster.createDatabase())
  await cluster.remove()
}
