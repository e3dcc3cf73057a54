import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumPath, requireChromium } from '../programs.ts'

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

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ ...(chromiumPath && { executablePath: chromiumPath }), args })

const pictures = resolve(import.meta.dirname, '../../../../test-results/inspector')

/** A page of the inspector and its problems. */
export type OpenedPage = {
  readonly page: Page
  /** Errors, violations of the content security policy, and requests to other hosts. */
  readonly problems: string[]
  /** Saves a screenshot of the page to `test-results` if SCREENSHOTS is set, because a hundred take half a minute of CPU. */
  picture(name: string): Promise<void>
}

/** Opens a page of the inspector in a new context, which is closed at the end of the test. */
export const openPage = async (
  browser: Browser,
  { url, ...options }: { url: string } & BrowserContextOptions,
): Promise<OpenedPage> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  onTestFinished(() => context.close())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('the server responded')) {
      problems.push(message.text())
    }
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith('blob:')) {
      problems.push(`a request to ${request.url()}`)
    }
  })
  await page.goto(url)
  return {
    page,
    problems,
    picture: async (name) => {
      if (!process.env.SCREENSHOTS) return
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}.png`) })
    },
  }
}
