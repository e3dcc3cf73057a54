import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { bundle, isBuilt, type Origin } from './bundle.ts'
import type { Outcome } from './run-everything.ts'

const executablePath = '/usr/bin/chromium'
const isThere = existsSync(executablePath)
if (!isThere) console.warn(`Skipped in Chromium: there is no ${executablePath}.`)

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const runInChromium = async (origin: Origin): Promise<Outcome> => {
  const content = await bundle('page.ts', origin)
  const browser = await chromium.launch({ executablePath, args })
  try {
    const page = await browser.newPage()
    // A loopback origin is a secure context, without which there is no crypto.subtle; nothing leaves the page.
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto('http://localhost/')
    await page.addScriptTag({ content })
    return await page.evaluate<Outcome>('runEverything()')
  } finally {
    await browser.close()
  }
}

describe.skipIf(!isThere)('in headless Chromium', () => {
  test('everything holds, from the sources', { timeout: 60_000 }, async () => {
    const { passed, failures } = await runInChromium('sources')
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(250)
  })

  test.skipIf(!isBuilt)('everything holds, from the built packages', { timeout: 60_000 }, async () => {
    const { passed, failures } = await runInChromium('built packages')
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(250)
  })
})
