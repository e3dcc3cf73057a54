import { chromium } from 'playwright-core'
import { chromiumPath, requireChromium } from '../../../server/test/programs.ts'
import { bundle, type Origin } from './bundle.ts'
import type { Outcome } from './run-everything.ts'

/** Set if Chromium is installed. */
export const hasChromium = requireChromium()

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
  const browser = await chromium.launch({ ...(chromiumPath && { executablePath: chromiumPath }), args })
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
