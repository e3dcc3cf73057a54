import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core'
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
  // Starting a process for each page would take a third of the time of the tests.
  '--renderer-process-limit=1',
]

export const launchBrowser = (...further: readonly string[]): Promise<Browser> =>
  chromium.launch({
    ...(chromiumPath && { executablePath: chromiumPath }),
    args: [...args, ...further],
  })

const pictures = resolve(import.meta.dirname, '../../../../test-results/inspector')

/** A page of the inspector and its problems. */
export type OpenedPage = {
  readonly page: Page
  /** Errors, violations of the content security policy, and requests to other hosts. */
  readonly problems: string[]
  /** Saves a screenshot of the page to `test-results` if SCREENSHOTS is set, because a hundred take half a minute of CPU. */
  picture(name: string): Promise<void>
}

type SharedContext = { readonly context: BrowserContext; readonly session: CDPSession }

let browser: Promise<Browser> | undefined

const createContext = async (options: BrowserContextOptions): Promise<SharedContext> => {
  // All test files of a worker share it, one after the other. It ends with the process.
  browser ??= launchBrowser()
  const context = await (await browser).newContext(options)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  // Stays open, and with it the process of the pages.
  return { context, session: await context.newCDPSession(await context.newPage()) }
}

const contexts = new Map<string, Promise<SharedContext>>()

/** Returns the context that pages with the same options share. */
const shareContext = (options: BrowserContextOptions): Promise<SharedContext> => {
  const key = JSON.stringify(options)
  const context = contexts.get(key) ?? createContext(options)
  contexts.set(key, context)
  return context
}

/**
 * Opens a page of the inspector. At the end of the test, it is closed, with the pages that it has opened. The next one starts without
 * what it has stored.
 */
export const openPage = async ({
  url,
  viewport = { width: 1440, height: 900 },
  colorScheme = 'light',
  ...options
}: { url: string } & BrowserContextOptions): Promise<OpenedPage> => {
  const { context, session } = await shareContext(options)
  const page = await context.newPage()
  onTestFinished(async () => {
    const [, ...opened] = context.pages()
    await Promise.all(opened.map((each) => each.close()))
    // Works without the page, which the test may have closed or left on an error.
    const origin = new URL('/', url).href
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
  })
  if (viewport !== null) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
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

/** Shows another URL of the page without loading the page again, which would take most of the time. */
export const visit = (page: Page, url: string): Promise<void> =>
  page.evaluate(async (to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
    // The view follows in the next frame.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  }, url)
