import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { listPale } from './list-pale.ts'
import { dist, serveSite } from './serve-site.ts'

// Looks at the built site in Chromium, where there is one: what a reader sees, finds and can read.
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)
if (executablePath === undefined) {
  console.log('The pages were not looked at: neither chromium-headless-shell nor chromium is installed.')
  process.exit()
}

const { site, close } = await serveSite()
const listPages = (pattern: string): string[] =>
  globSync(pattern, { cwd: dist, exclude: ['404.html'] }).map(
    (file) => `/${file.replaceAll('\\', '/').replace(/(?:(?<=^|\/)index)?\.html$/, '')}`,
  )
const guides = listPages('{*,reference/*,internals/*,packages/*,decisions/*}.html')
const reference = listPages('api/**/*.html')

/** Searches of readers, each with the page that answers it. */
const searches: Readonly<Record<string, RegExp>> = {
  docker: /^\/deploying/,
  retry: /^\/packages\/client/,
  install: /^\/start/,
  'invalid signature': /^\/(?:troubleshooting|reference\/signatures)/,
  'signature verification failed': /^\/(?:troubleshooting|reference\/signatures)/,
  ngrok: /^\/(?:start|cli|go-live)/,
  tunnel: /^\/(?:start|cli|go-live)/,
  gdpr: /^\/personal-data/,
  dashboard: /^\/(?:inspector|monitoring)/,
  'phone number format': /^\/rules/,
  createReferenceServer: /packages\/core/,
  MemoryDedupeOptions: /^\/api\/wabakit\/webhooks\/MemoryDedupeOptions/,
  'how do I test': /^\/testing/,
  python: /^\/examples\/receivers/,
}

/** The import paths that have a page for each export, and the maximum height of these pages in pixels. */
const perExport = /^\/api\/wabakit(?!\/(?:core|contract))/
const maxHeight = 15_000

const problems: string[] = []
const expect = (holds: boolean, problem: string): void => {
  if (!holds) problems.push(problem)
}

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

const open = (options: BrowserContextOptions = {}): Promise<Page> =>
  browser.newPage({ viewport: { width: 1_280, height: 900 }, ...options })

const unread = [...guides, ...reference].values()

/**
 * Reads pages until all are read. They are complete without their scripts, which would take most of the time. Nobody looks at
 * them: a view of a pixel's height has the same layout and colors, and almost nothing to draw.
 */
const readPages = async (): Promise<void> => {
  const still = await open({ javaScriptEnabled: false, viewport: { width: 1_280, height: 1 } })
  for (const path of unread) {
    expect(existsSync(`${dist}${path.replace(/\/$/, '/index')}.md`), `${path}: is not there as Markdown`)
    await still.goto(site + path)
    const [wide, broken, folded, text, hasEditLink, height, keepsLines] = await still.evaluate(() => {
      const isScrolled = (part: Element): boolean =>
        part.scrollWidth > part.clientWidth + 1 &&
        (part === document.documentElement || /auto|scroll/.test(getComputedStyle(part).overflowX)) &&
        // Code keeps its lines, and can be scrolled with the keyboard.
        !(part.localName === 'pre' && part.getAttribute('tabindex') === '0')
      const tooWide = [document.documentElement, ...document.querySelectorAll('.VPContent *')].filter(
        isScrolled,
      )
      const isBroken = (name: Element): boolean =>
        !/[\s/-]/.test(name.textContent ?? '') && name.getClientRects().length > 1
      // A type of another import path is only linked.
      const isNear = (link: Element | null): boolean =>
        link instanceof HTMLAnchorElement &&
        (link.getAttribute('href')?.startsWith('#') === true ||
          (link.hash === '' && new URL('.', link.href).href === new URL('.', location.href).href))
      const parameters = [...document.querySelectorAll<HTMLTableRowElement>('.vp-doc tr')].filter(
        (row) =>
          /^options\??$/.test(row.cells[0]?.textContent?.trim() ?? '') &&
          // A union of types is linked instead.
          row.cells[1]?.textContent?.trim().startsWith('|') === false &&
          isNear(row.cells[1].firstElementChild),
      )
      const hasOptions = (row: Element): boolean =>
        /^Options/.test(row.closest('table')?.nextElementSibling?.textContent ?? '')
      return [
        tooWide.map(({ localName, className }) => `<${localName} class="${className}">`),
        [...document.querySelectorAll('.vp-doc td:first-child code')]
          .filter(isBroken)
          .map((name) => name.textContent),
        parameters.filter((row) => !hasOptions(row)).map((row) => row.cells[1]?.textContent),
        document.body.innerText,
        document.querySelector('.edit-link-button') !== null,
        document.documentElement.scrollHeight,
        [...document.querySelectorAll('.vp-doc pre code')].every(
          (code) => getComputedStyle(code).whiteSpace === 'pre',
        ),
      ] as const
    })
    expect(keepsLines, `${path}: breaks lines of code at 1,280 px`)
    expect(height <= maxHeight || !perExport.test(path), `${path}: is ${height} px high`)
    expect(wide.length === 0, `${path}: scrolls sideways at 1,280 px: ${wide.join(', ')}`)
    expect(broken.length === 0, `${path}: breaks names in tables: ${broken.join(', ')}`)
    expect(folded.length === 0, `${path}: does not show with the function: ${folded.join(', ')}`)
    // The types of the schemas link to those of the same names on the pages of the client and the receiver.
    const repeats = path !== '/api/wabakit/contract' && /^type (\w+) = \1\b/m.test(text)
    expect(!repeats, `${path}: explains a type by itself`)
    expect(!text.includes('[ ]'), `${path}: prints "[ ]"`)
    expect(hasEditLink === (path !== '/' && guides.includes(path)), `${path}: has a wrong "Edit this page"`)
    // Otherwise colors would change little by little.
    await still.evaluate(() => {
      const style = document.createElement('style')
      style.textContent = '* { transition: none !important }'
      document.head.append(style)
    })
    for (const theme of ['light', 'dark']) {
      await still.evaluate(
        (name) => document.documentElement.classList.toggle('dark', name === 'dark'),
        theme,
      )
      for (const pale of await still.evaluate(listPale))
        problems.push(`${path}: too pale in ${theme}: ${pale}`)
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, readPages))
expect(reference.length < 350, `The reference has ${reference.length} pages`)

const sitemap = readFileSync(`${dist}/sitemap.xml`, 'utf8')
for (const path of guides) {
  const html = readFileSync(`${dist}${path.replace(/\/$/, '/index')}.html`, 'utf8')
  for (const property of ['og:title', 'og:description', 'og:image']) {
    expect(html.includes(`property="${property}"`), `${path}: a preview of its link has no ${property}`)
  }
  expect(sitemap.includes(`${path}</loc>`), `${path}: is not in the sitemap`)
}

const listed = [...readFileSync(`${dist}/llms.txt`, 'utf8').matchAll(/\]\((\/[^)]+)\)/g)].map(
  ([, path = '']) => path,
)
expect(listed.length > 40, `llms.txt lists ${listed.length} pages`)
for (const path of listed) expect(existsSync(dist + path), `llms.txt lists ${path}, which is not there`)

const page = await open()
await page.goto(`${site}/start`)
let clicks = 0
while (!page.url().endsWith('/go-live') && clicks < 5) {
  clicks += 1
  await page.locator('.pager-link.next').click()
  await page.waitForURL((url) => url.href !== 'about:blank')
  await page.waitForLoadState('networkidle')
}
expect(clicks <= 4, 'The five-minute start is more than four clicks from "Going live"')

for (const [text, answer] of Object.entries(searches)) {
  await page.goto(`${site}/start`)
  // The search of a tab starts with the text and the results of the last one.
  await page.evaluate(() => sessionStorage.clear())
  await page.locator('#local-search button').click()
  await page.locator('#localsearch-input').fill(text)
  await page.locator('.results .result').first().waitFor()
  const found = await page
    .locator('.results a.result')
    .evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute('href') ?? ''))
  expect(answer.test(found[0] ?? ''), `"${text}" finds ${found.join(', ')}`)
  expect(
    !found.some((href) => /^\/api\/.*(?:core|contract)/.test(href)),
    `"${text}" finds ${found.join(', ')}`,
  )
}

for (const path of ['/start', '/api/']) {
  await page.goto(site + path)
  const sidebar = await page.locator('.VPSidebar').innerText()
  expect(!sidebar.includes('`'), `${path}: the sidebar prints backticks`)
}

await page.goto(site)
const front = page.locator('.VPHome')
expect(
  (await front.getByText('npm install wabakit').count()) === 1,
  'The front page does not say how to install',
)
expect(
  (await front.locator('.language-ts').count()) === 3,
  'The front page does not show sending, receiving and testing',
)
expect((await front.locator('tbody tr').count()) === 6, 'The front page does not lead to six tasks')
expect((await front.locator('.vp-doc li strong').count()) === 6, 'The front page does not make six claims')
expect((await front.locator('.vp-doc li a').count()) === 6, 'A claim of the front page has no proof')
expect(
  (await front.locator('.vp-doc p:visible').first().locator('img').count()) > 0,
  'The front page does not begin with the inspector',
)
await page.setViewportSize({ width: 375, height: 800 })
expect(
  (await front.locator('img[src*="inspector"]').count()) > 0,
  'The front page does not show the inspector',
)

await browser.close()
close()
if (problems.length > 0) throw new Error(`The site is not as it should be:\n${problems.join('\n')}`)
console.log(
  `${guides.length + reference.length} pages fit and are readable, and ${Object.keys(searches).length} searches find their answer.`,
)
