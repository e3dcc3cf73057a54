import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { chromiumPath, requireChromium } from '../../server/test/programs.ts'
import { cases } from './cases.ts'

const worker = fileURLToPath(import.meta.resolve('msw/mockServiceWorker.js'))

/** Bundles the sources for browsers. */
const bundlePage = async (): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/browser-page.ts`],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@wabakit/source'],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

const servePage = async (script: string) => {
  const files: Record<string, readonly [type: string, text: string]> = {
    '/': ['text/html', '<!doctype html><script type="module" src="/page.js"></script>'],
    '/page.js': ['text/javascript', script],
    '/mockServiceWorker.js': ['text/javascript', await readFile(worker, 'utf8')],
  }
  const server = createServer(({ url = '/' }, response) => {
    const [type, text] = files[url] ?? ['text/plain', '']
    response.writeHead(text === '' ? 404 : 200, { 'content-type': type }).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

/** The outcome of each case: `passed`, or the error. */
let outcomes: Record<string, string> = {}

const hasChromium = requireChromium()

beforeAll(async () => {
  if (!hasChromium) return
  const { server, url } = await servePage(await bundlePage())
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  const browser = await chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [...args, ...quiet],
  })
  try {
    const page = await browser.newPage()
    await page.goto(url)
    outcomes = await page.evaluate<Record<string, string>>('window.outcomes')
  } finally {
    await browser.close()
    server.close()
  }
})

test.skipIf(!hasChromium).each(Object.keys(cases))('in Chromium: %s', (name) => {
  expect(outcomes[name]).toBe('passed')
})
