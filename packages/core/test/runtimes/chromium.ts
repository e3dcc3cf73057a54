import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { bundle, type Origin } from './bundle.ts'
import type { Outcome } from './run-everything.ts'

const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)
/** Set if Chromium is installed. */
export const hasChromium = executablePath !== undefined
if (!hasChromium)
  console.warn('Skipped in Chromium: neither chromium-headless-shell nor chromium is installed.')

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Runs the suite in headless Chromium. */
export const runInChromium = async (origin: Origin): Promise<Outcome> => {
  const content = await bundle('page.ts', origin)
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args })
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
