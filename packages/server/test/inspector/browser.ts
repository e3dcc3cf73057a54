import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
  type ViewportSize,
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

type SharedContext = {
  readonly context: BrowserContext
  readonly session: CDPSession
  /** The page of the tests before, if the next one can go on in it. */
  kept?: KeptPage | undefined
}

/** A page, and what receives its problems: the test that has it. */
type KeptPage = { readonly page: Page; readonly origin: string; problems: string[] }

let browser: Promise<Browser> | undefined

/** Returns the browser that all test files of a worker share, one after the other. It ends with the process. */
export const shareBrowser = (): Promise<Browser> => (browser ??= launchBrowser())

const createContext = async (options: BrowserContextOptions): Promise<SharedContext> => {
  const context = await (await shareBrowser()).newContext(options)
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

const createPage = async (context: BrowserContext, origin: string): Promise<KeptPage> => {
  const page = await context.newPage()
  // As long as a poll: what hangs is told by it, not by how fast the machine is.
  page.setDefaultTimeout(120_000)
  const created: KeptPage = { page, origin, problems: [] }
  page.on('pageerror', (error) => created.problems.push(String(error)))
  page.on('dialog', (dialog) => {
    created.problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('the server responded')) {
      created.problems.push(message.text())
    }
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith('blob:')) {
      created.problems.push(`a request to ${request.url()}`)
    }
  })
  return created
}

/**
 * Leaves all that a test has seen: shows an organization that does not exist, after which the page loads everything again. Returns
 * whether nothing is left that the test has done.
 */
const leave = async ({ page, origin }: KeptPage): Promise<boolean> => {
  if (page.isClosed() || new URL(page.url()).origin !== origin) return false
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.mouse.move(0, 0)
  const isClean = await page.evaluate(() => {
    for (const dismiss of document.querySelectorAll<HTMLElement>('.toast button')) dismiss.click()
    // Storage was cleared after the previous test. The page writes to it again when a setting changes.
    const { 'wabakit-masking': masking = 'off', 'wabakit-theme': theme = 'system' } = localStorage
    return document.querySelector('dialog[open]') === null && masking === 'off' && theme === 'system'
  })
  if (isClean) await visit(page, '?organization=nobody')
  return isClean && (await page.getByText('There is no organization "nobody"').isVisible())
}

type OpenOptions = {
  readonly url: string
  /** Set to use the page of the previous test without loading it again, which would take most of the time. */
  readonly isKept?: boolean
} & BrowserContextOptions

/**
 * Opens a page of the inspector. At the end of the test, it is closed, with the pages that it has opened, unless it is kept for the
 * next test, which starts without what this one has stored or left in it.
 */
export const openPage = async ({
  url,
  isKept = false,
  viewport = { width: 1440, height: 900 },
  colorScheme = 'light',
  ...options
}: OpenOptions): Promise<OpenedPage> => {
  const { origin } = new URL(url)
  const shared = await shareContext(options)
  const { context, session } = shared
  const kept = isKept ? shared.kept : undefined
  if (isKept) shared.kept = undefined
  const canGoOn = kept !== undefined && kept.origin === origin && !kept.page.isClosed()
  if (!canGoOn) await kept?.page.close()
  const opened = canGoOn ? kept : await createPage(context, origin)
  const { page } = opened
  onTestFinished(async ({ task }) => {
    if (isKept && task.result?.state === 'pass' && (await leave(opened))) shared.kept = opened
    const [, ...others] = context.pages()
    await Promise.all(others.map((each) => each === shared.kept?.page || each.close()))
    // Works without the page, which the test may have closed or left on an error.
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
  })
  const problems: string[] = []
  opened.problems = problems
  if (viewport !== null) await resize(page, viewport)
  await page.emulateMedia({ colorScheme, forcedColors: null, contrast: null })
  if (canGoOn) await visit(page, url)
  else await page.goto(url)
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

/** Gives the page another size, and waits for its layout, which follows in a later frame: on a busy machine, much later. */
export const resize = async (page: Page, size: ViewportSize): Promise<void> => {
  await page.setViewportSize(size)
  await page.evaluate(async ({ width, height }) => {
    const paint = () => new Promise(requestAnimationFrame)
    while (innerWidth !== width || innerHeight !== height) await paint()
    await paint()
    await paint()
  }, size)
}

/** Presses keys without waiting for each: what a key begins may end after a second, which a busy machine can need for one. */
export const pressAtOnce = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}
