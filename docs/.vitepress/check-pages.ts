import { existsSync, globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

// Looks at the built site in Chromium, where there is one: what a reader sees, finds and can read.
const executablePath = '/usr/bin/chromium'
if (!existsSync(executablePath)) {
  console.log(`The pages were not looked at: there is no ${executablePath}.`)
  process.exit()
}

const dist = fileURLToPath(new URL('dist', import.meta.url))
const site = 'http://site.test'
const guides = globSync('{*,packages/*,decisions/*}.html', { cwd: dist, exclude: ['404.html'] }).map(
  (file) => `/${file.replaceAll('\\', '/').replace(/(?:index)?\.html$/, '')}`,
)

/** Searches of readers, each with a page that answers it. */
const searches: Readonly<Record<string, RegExp>> = {
  docker: /containers|running-the-server/,
  retry: /client|refused|errors|webhooks/,
  install: /start|server|contributing/,
  'invalid signature': /refused-webhooks|webhooks/,
}

const problems: string[] = []
const expect = (holds: boolean, problem: string): void => {
  if (!holds) problems.push(problem)
}

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, ...options })
  await page.route(`${site}/**`, (route) => {
    const path = decodeURIComponent(new URL(route.request().url()).pathname)
    const file = [path, `${path}.html`, `${path}index.html`]
      .map((name) => dist + name)
      .find((name) => /\.\w+$/.test(name) && existsSync(name))
    return file === undefined ? route.fulfill({ status: 404 }) : route.fulfill({ path: file })
  })
  return page
}

// The pages are complete without their scripts, which would take most of the time.
const still = await open({ javaScriptEnabled: false })
for (const path of guides) {
  await still.goto(site + path)
  const [wide, text] = await still.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll('.vp-doc pre')]
    const tooWide = parts.filter((each) => each.scrollWidth > each.clientWidth + 1)
    return [tooWide.length, document.body.innerText] as const
  })
  expect(wide === 0, `${path}: ${wide} parts scroll sideways at 1,280 px`)
  expect(!text.includes('[ ]'), `${path}: prints "[ ]"`)
}

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
  await page.locator('#local-search button').click()
  await page.locator('#localsearch-input').fill(text)
  await page.locator('.results .result').first().waitFor()
  const found = await page
    .locator('.results a.result')
    .evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute('href') ?? ''))
  expect(
    found.some((href) => answer.test(href)),
    `"${text}" finds ${found.join(', ')}`,
  )
}

await browser.close()
if (problems.length > 0) throw new Error(`The site is not as it should be:\n${problems.join('\n')}`)
console.log(`${guides.length} pages fit, and ${Object.keys(searches).length} searches find their answer.`)
