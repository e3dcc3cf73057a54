import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { hasFirefox, launchFirefox } from '../../tools/matrix/firefox.ts'
import { findFile, serveSite } from './serve-site.ts'

// Uses the playground of the built site in Chromium and Firefox, where there is one: with the keyboard, and as wide as a phone.
const maxBytes = 300_000
const { site, close } = await serveSite()

type Evaluate = (code: string) => Promise<unknown>

/** Waits until an expression holds in the page. */
const waitFor = async (evaluate: Evaluate, code: string): Promise<void> => {
  const deadline = Date.now() + 60_000
  while ((await evaluate(code)) !== true) {
    if (Date.now() > deadline)
      throw new Error(`The playground never came to: ${code}\n${await evaluate('document.body.innerText')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const frame = "document.querySelector('iframe').contentDocument.body.innerText"
const reported = "document.querySelector('.playground-controls ul').innerText"
const press = (name: string): string =>
  `[...document.querySelectorAll('.playground-controls button')].find((each) => each.innerText === ${JSON.stringify(name)}).click()`
const choose = (index: number, value: string): string =>
  `(() => { const select = document.querySelectorAll('.playground-controls select')[${index}]; select.value = '${value}'; select.dispatchEvent(new Event('change')) })()`

/** Takes the steps that a reader takes: a call, its summary, another verifier, a fault. */
const play = async (evaluate: Evaluate): Promise<void> => {
  // Firefox is asked for results as JSON.
  const act = (code: string) => evaluate(`(${code}, true)`)
  await waitFor(evaluate, "document.querySelector('.playground-controls fieldset:enabled') !== null")
  await act(press('Simulate a call'))
  await waitFor(evaluate, `${reported}.includes('has ended')`)
  await act(press('Advance 30 s'))
  await waitFor(evaluate, `${reported}.split('\\n').length === 2`)
  // The endpoint that fails.
  await waitFor(evaluate, `${frame}.includes('failing.example') && ${frame}.includes('503')`)
  await act(choose(1, 'wrong-secret'))
  await waitFor(
    evaluate,
    "document.querySelector('.playground-controls').innerText.includes('generateSecret')",
  )
  await act(press('Simulate a call'))
  await waitFor(evaluate, `${reported}.includes('signature')`)
  await act(choose(1, 'bearer'))
  await act(choose(2, 'handle-again'))
  await act(press('Set for the next CALL_ENDED'))
  await act(press('Simulate a call'))
  await waitFor(evaluate, `new Set(${reported}.split('\\n')).size < ${reported}.split('\\n').length`)
}

const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)
if (executablePath === undefined)
  console.log('The playground was not used in Chromium, which is not installed.')
else {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage({ viewport: { width: 375, height: 800 } })
  const requested: string[] = []
  const errors: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('pageerror', ({ message }) => errors.push(message))
  await page.goto(`${site}/start`, { waitUntil: 'networkidle' })
  if (requested.some((url) => url.includes('/_wabakit/')))
    throw new Error('Another page loads the playground.')
  requested.length = 0
  await page.goto(`${site}/playground`)
  await play((code) => page.evaluate(code))
  const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
  const frameIsTooWide = isTooWide.replaceAll(
    'document.',
    "document.querySelector('iframe').contentDocument.",
  )
  if (await page.evaluate(`${isTooWide} || ${frameIsTooWide}`))
    throw new Error('The playground scrolls sideways on a phone.')
  // With the keyboard: the controls are reached by tab, and the service by another one.
  await page.getByRole('button', { name: 'Simulate a call' }).focus()
  const before = await page.locator('.playground-controls li').count()
  await page.keyboard.press('Enter')
  await page.waitForFunction(
    (count) => document.querySelectorAll('.playground-controls li').length > count,
    before,
  )
  for (
    let presses = 0;
    (await page.evaluate('document.activeElement.localName')) !== 'iframe';
    presses += 1
  ) {
    if (presses > 30) throw new Error('The tab key does not reach the service.')
    await page.keyboard.press('Tab')
  }
  const elsewhere = requested.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))
  if (elsewhere.length > 0) throw new Error(`The playground sends requests to ${elsewhere.join(', ')}`)
  if (errors.length > 0) throw new Error(`The playground throws: ${errors.join(', ')}`)
  const own = new Set(requested.filter((url) => url.includes('/_wabakit/')))
  const bytes = [...own]
    .map((url) => findFile(new URL(url).pathname))
    .reduce((sum, file) => sum + (file === undefined ? 0 : gzipSync(readFileSync(file)).length), 0)
  if (bytes > maxBytes)
    throw new Error(`The playground loads ${bytes} compressed bytes, more than ${maxBytes}.`)
  console.log(`The playground works in Chromium and loads ${bytes} compressed bytes.`)
  await browser.close()
}

if (hasFirefox) {
  const firefox = await launchFirefox()
  try {
    await firefox.open(`${site}/playground`)
    await play(firefox.evaluate)
    console.log('The playground works in Firefox.')
  } finally {
    await firefox.close()
  }
}
close()
