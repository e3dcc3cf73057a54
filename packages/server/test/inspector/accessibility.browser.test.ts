import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { control, createGroup, start } from '../fixture.ts'
import { hasChromium, openPage, resize, visit } from './browser.ts'
import { onSqlite } from './each-store.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The rules that axe applies. Contrast, which takes the most time, does not depend on the width, and nothing else on the scheme. */
const rules = {
  all: {},
  withoutContrast: { rules: { 'color-contrast': { enabled: false } } },
  contrast: { runOnly: ['color-contrast'] },
}

/**
 * Marks elements that are built like two of their siblings, such as most rows of a list, or like one that axe has examined in the
 * same place before, such as the sidebar in an earlier view. It would find the same in them, and spend most of the time on it.
 */
const markKnown = (scheme: string): void => {
  const pages: Window & { examined?: Record<string, Set<string>> } = window
  pages.examined ??= {}
  const known = pages.examined[scheme] ?? new Set<string>()
  const seen: string[] = []
  const mark = (element: Element, place: string): string => {
    const attributes = [...element.attributes].map(({ name, value }) =>
      /^(?:class|role|type|tabindex|aria-(?:current|disabled|expanded|hidden|invalid|pressed|selected))$/.test(
        name,
      )
        ? `${name}=${value}`
        : name === 'data-known'
          ? ''
          : name,
    )
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element
    const looks = [element.checkVisibility(), scrollWidth > clientWidth, scrollHeight > clientHeight]
    const own = `<${element.localName} ${attributes.join(' ')} ${looks.map(Number).join('')}>`
    const counts = new Map<string, number>()
    const children = [...element.children].map((child) => {
      const description = mark(child, place + own)
      const count = (counts.get(description) ?? 0) + 1
      counts.set(description, count)
      if (count > 2) child.toggleAttribute('data-known', true)
      return description
    })
    const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '')
    const description = `${own}${hasText ? 'text' : ''}${children.join('')}</>`
    element.toggleAttribute('data-known', known.has(place + description))
    seen.push(place + description)
    return description
  }
  mark(document.body, '')
  pages.examined[scheme] = new Set([...known, ...seen])
}

/** Lists the names of links that lead to different places. In tables and lists, headings and terms tell links apart. */
const listAmbiguousLinks = (): string[] => {
  const targets = Map.groupBy(
    [...document.querySelectorAll<HTMLAnchorElement>('main a[href]:not(:is([role=grid], table, dl) a)')],
    (link) => link.ariaLabel ?? link.textContent,
  )
  return [...targets]
    .filter(([, links]) => new Set(links.map(({ href }) => href)).size > 1)
    .map(([name]) => name)
}

/** Lists the problems that axe finds in what it has not examined in the color scheme. */
const listProblems = async (page: Page, applied: keyof typeof rules = 'all'): Promise<string[]> => {
  // The page forbids inline scripts, but the debugger allows them.
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(await readFile(axe, 'utf8'))
  await page.evaluate(markKnown, applied === 'contrast' ? 'dark' : 'light')
  // Style sheets, which axe would load again each time, matter only to rules that are off by default.
  const options = JSON.stringify({ preload: false, resultTypes: ['violations'], ...rules[applied] })
  return page.evaluate(
    `axe.run({ exclude: ['[data-known]'] }, ${options}).then(({ violations }) => violations
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`,
  )
}

/** Lists the problems that axe finds in light, and those of the colors in dark. */
const listProblemsInBoth = async (page: Page): Promise<string[]> => {
  const problems = await listProblems(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const inDark = await listProblems(page, 'contrast')
  await page.emulateMedia({ colorScheme: 'light' })
  return [...problems, ...inDark.map((problem) => `in dark, ${problem}`)]
}

const onPhones = /^(?:\?|customers|deliveries\?id=\w+$|calls|subscriptions|events\?org)/

onSqlite('the inspector', (inspector) => {
  test('has no axe findings in any view, in light and dark, and fits at any width', async () => {
    const { server, rejecting } = inspector.stage
    // A second cause of failures and a second call of the customer, so that their links need names.
    await server.service.subscriptions.create('acme', {
      ...{ channel: 'PSTN', number: '+15550100002', url: 'http://127.0.0.1:9/hooks' },
    })
    const customerNumber = '+15550199009'
    for (let calls = 0; calls < 2; calls++) await inspector.simulate({ customerNumber, outcome: 'missed' })
    const callId = await inspector.simulate({ customerNumber })
    await createGroup(server.url, { groupId: 'team' })
    const findRejected = async () =>
      (await control(server, 'GET /organizations/acme/deliveries?limit=1&response=401')).body.items[0]
    await expect.poll(findRejected).toBeDefined()
    const delivery = await findRejected()
    const countCauses = async () => {
      await server.service.figures.write()
      return (await control(server, 'GET /organizations/acme/overview')).body.failures.length
    }
    await expect.poll(countCauses).toBe(2)
    const { items } = await server.service.events.list('acme', { limit: 1 })
    const { body: asked } = await control(server, 'GET /requests?limit=1')
    const paths = [
      '?organization=acme',
      '?organization=empty',
      `customers?id=${customerNumber.slice(1)}`,
      'api-keys?organization=empty',
      `deliveries?id=${delivery.id}`,
      `deliveries?id=${delivery.id}&tab=request`,
      `deliveries?id=${delivery.id}&tab=signature`,
      `events?id=${items[0]?.id}`,
      `calls?id=${callId}`,
      'groups?id=team',
      `subscriptions?id=${rejecting.id}`,
      'subscriptions?organization=acme',
      `requests?id=${asked.items[0].requestId}`,
      'events?organization=empty',
      'events?organization=nobody',
    ]
    const { page, picture } = await inspector.open('', { colorScheme: 'light' })
    for (const [index, path] of paths.entries()) {
      await resize(page, { width: 1440, height: 800 })
      await visit(page, inspector.getUrl(path))
      await page
        .locator('article .facts, .empty, .endpoints a, .first-visit, .cards h2, .rows .row')
        .first()
        .waitFor({ state: 'attached' })
      // Once, because axe reads their hundreds of cells even if it has examined them.
      if (path === paths[0])
        for (const summary of await page.locator('.chart summary').all()) await summary.click()
      expect(
        await page.evaluate(listAmbiguousLinks),
        `links of ${path} with one name and several targets`,
      ).toEqual([])
      expect(await listProblemsInBoth(page), path).toEqual([])
      for (const width of onPhones.test(path) ? [1440, 768, 375] : [1440]) {
        await resize(page, { width, height: 800 })
        // At 768 px, the page has the same elements as at one of the other widths.
        if (width === 375)
          expect(await listProblems(page, 'withoutContrast'), `${path} at ${width} px`).toEqual([])
        const measure = () =>
          page.evaluate(() => {
            const { scrollWidth, scrollHeight } = document.documentElement
            return [scrollWidth, scrollHeight] as const
          })
        // The page takes the layout of phones in a later frame than its width, on a busy machine much later.
        await expect
          .poll(async () => (await measure())[0], { message: `width of ${path} at ${width} px` })
          .toBeLessThanOrEqual(width)
        const [, pageHeight] = await measure()
        // Only a part of the page scrolls.
        expect(pageHeight, `height of ${path} at ${width} px`).toBeLessThanOrEqual(800)
        const wide = await page
          .locator('.detail > .body')
          .evaluateAll((bodies) => bodies.filter((body) => body.scrollWidth > body.clientWidth).length)
        expect(wide, `${path} is cut off at ${width} px`).toBe(0)
        const cut = await page
          .locator('h2')
          .filter({ has: page.locator('.badge') })
          .evaluateAll((titles) => titles.filter((title) => title.scrollWidth > title.clientWidth))
        expect(cut, `titles of ${path} that cut off the state`).toEqual([])
        await picture(`${inspector.store}-${width}-${index}`)
      }
    }
  })

  test('has no axe findings in lists and dialogs, in light and dark', async () => {
    await inspector.simulate({})
    const { page, picture } = await inspector.open('deliveries?organization=acme&response=2xx', {
      colorScheme: 'light',
    })
    await page.locator('.rows .row').first().waitFor()
    expect(await listProblemsInBoth(page), 'the list').toEqual([])
    await page.keyboard.press('j')
    expect(await listProblemsInBoth(page), 'the list with a reached row').toEqual([])
    for (const key of ['?', 'n', 'e', 'Control+k']) {
      await page.keyboard.press(key)
      if (key === 'Control+k') await page.getByRole('dialog').getByRole('combobox').fill('CALL')
      await page.getByRole('dialog').locator('dd, .columns, textarea, [role=option]').first().waitFor()
      expect(await listProblemsInBoth(page), `the dialog of ${key}`).toEqual([])
      await picture(`${inspector.store}-dialog-${key === '?' ? 'keys' : key}`)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Resend all matching deliveries…' }).click()
    await page.getByRole('button', { name: /^Resend \d+$/ }).waitFor()
    expect(await listProblemsInBoth(page), 'resending all').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await visit(page, inspector.getUrl('deliveries?organization=acme&finishedFrom=2026-01-01T00:00:00.000Z'))
    await page.getByLabel('Finished before').waitFor()
    expect(await listProblemsInBoth(page), 'the times of a filter').toEqual([])
    await visit(page, inspector.getUrl(`subscriptions?organization=acme&id=${inspector.stage.accepting.id}`))
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Attempts per second').waitFor()
    expect(await listProblemsInBoth(page), 'editing a subscription').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByLabel('Payload').waitFor()
    expect(await listProblemsInBoth(page), 'sending a test event').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText('cannot be undone').waitFor()
    expect(await listProblemsInBoth(page), 'removing a subscription').toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    await page.getByText('The current secret also signs until').waitFor()
    expect(await listProblemsInBoth(page), 'rotating a secret').toEqual([])
  })
})

test.skipIf(!hasChromium)('has no axe findings before the login', async () => {
  const server = await start({ controlToken: 'a-token-of-some-length' })
  const { page } = await openPage({ url: `${server.url}/_wabakit/inspector/events` })
  await page.getByLabel('Control token').waitFor()
  expect(await listProblems(page)).toEqual([])
})
