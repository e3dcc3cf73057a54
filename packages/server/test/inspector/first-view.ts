// Measures the first view of the page at a CPU slowed four times: the time until its numbers are in view, and its size.
//   node --conditions=@wabakit/source packages/server/test/inspector/first-view.ts
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { setup as buildPage } from './build-page.ts'
import { createStage } from './stage.ts'
import { startUnwatchedBrowser } from './unwatched-browser.ts'

const slowdown = 4
const runs = 5

/** Records when the numbers, the endpoints and the charts are painted. */
const watch = `new MutationObserver((_, observer) => {
  if (!document.querySelector('.tile') || !document.querySelector('.endpoints a') || !document.querySelector('.chart .line')) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => { window.firstViewMs = performance.now() }))
}).observe(document, { childList: true, subtree: true })`

await buildPage()
const assets = resolve(import.meta.dirname, '../../dist/inspector/assets')
const files = readdirSync(assets).filter((name) => /\.(?:js|css)$/.test(name))
const sum = (compress: (file: Buffer) => Buffer): string => {
  const bytes = files.reduce((total, name) => total + compress(readFileSync(join(assets, name))).length, 0)
  return `${(bytes / 1_000).toFixed(1)} kB`
}
console.log(`scripts and styles: ${sum(gzipSync)} with gzip, ${sum(brotliCompressSync)} with brotli`)

const stage = await createStage(':memory:')
for (let count = 0; count < 20; count++) {
  await fetch(`${stage.server.url}/_wabakit/organizations/acme/simulated-calls`, { method: 'POST' })
}
// The figures are written every ten seconds. Before that, the page shows the first steps instead of charts.
for (let events = 0; events === 0; ) {
  await setTimeout(1_000)
  const response = await fetch(`${stage.server.url}/_wabakit/organizations/acme/overview`)
  events = (await response.json()).totals.events
}
const browser = await startUnwatchedBrowser()
const times: number[] = []
for (let run = 0; run < runs; run++) {
  const tab = await browser.openTab({ width: 1440, height: 900 })
  await tab.send('Page.enable')
  await tab.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: watch })
  await tab.send('Page.navigate', { url: `${stage.server.url}/_wabakit/inspector/?organization=acme` })
  for (let ms: unknown; typeof ms !== 'number'; ) {
    await setTimeout(250)
    const { result } = await tab.send('Runtime.evaluate', { expression: 'window.firstViewMs' })
    ms = result.value
    if (typeof ms === 'number') times.push(ms)
  }
  await tab.close()
}
const sorted = times.toSorted((left, right) => left - right)
console.log(`first view: ${sorted.map((ms) => Math.round(ms)).join(', ')} ms`)
await browser.close()
await stage.close()
