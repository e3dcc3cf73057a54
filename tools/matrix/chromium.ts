import { chromium } from 'playwright-core'
import { chromiumPath } from '../../packages/server/test/programs.ts'
import { bundle } from './bundle.ts'
import type { Environment } from './checks/client.ts'

/** Checks the client in a page of headless Chromium, with a service on another origin. */
export const checkInChromium = async (
  dir: string,
  environment: Omit<Environment, 'codes' | 'browser'>,
): Promise<string[]> => {
  const script = await bundle(
    `import { checkAll } from './checks/all.ts'
    globalThis.outcome = checkAll(${JSON.stringify({ ...environment, codes: false, browser: true })})`,
    dir,
  )
  const browser = await chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  try {
    const page = await browser.newPage()
    await page.goto(`${environment.url.replace('127.0.0.1', 'localhost')}/page`)
    await page.addScriptTag({ content: script })
    return await page.evaluate<string[]>('globalThis.outcome')
  } finally {
    await browser.close()
  }
}
