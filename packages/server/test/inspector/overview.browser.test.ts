import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { control, createGroup } from '../fixture.ts'
import { resize, visit } from './browser.ts'
import { onOneStore, onSqlite } from './each-store.ts'

/** Formats a time as fields for times in the browser take it. The browser has the time zone of the test. */
const toLocal = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19)

onOneStore('the overview of the inspector', (inspector) => {
  test('leads from a failing endpoint to its cause, and resends everything once it works', async () => {
    const { accepting, rejecting } = inspector.stage
    for (let count = 0; count < 3; count++) await inspector.simulate({ outcome: 'missed' })
    const { page, problems, picture } = await inspector.open('')
    const endpoints = page.getByRole('region', { name: 'Endpoints' })
    const row = endpoints.locator('tr', { hasText: new URL(rejecting.url).host })

    // Which one, since when, and how much? The first lines say it, and the worst endpoint is first.
    const state = page.getByRole('region', { name: 'State of the endpoints' })
    const { host, pathname } = new URL(rejecting.url)
    const trouble = state.getByRole('listitem').filter({ hasText: `${host}${pathname}` })
    await trouble.getByText(/since .*\d\d:\d\d:\d\d \(\d.*\); \d+ unfinished$/).waitFor()
    await row.getByText('failing', { exact: true }).waitFor()
    await row.getByText('failing since').waitFor()
    expect(await endpoints.locator('tbody tr').first().innerText()).toContain(new URL(rejecting.url).host)
    await endpoints
      .locator('tr', { hasText: new URL(accepting.url).host })
      .getByText('working')
      .waitFor()
    await expect.poll(() => row.locator('[data-label^=Failed]').innerText()).not.toBe('0')
    await picture(`${inspector.store}-overview`)

    // Why, and how much is affected?
    const causes = page.getByRole('region', { name: 'Failures by cause' })
    await causes.getByText('The endpoint found no valid signature.').waitFor()
    await row.getByRole('link', { name: new URL(rejecting.url).host }).click()
    await page.getByRole('article').getByText('Failing since').waitFor()
    const health = page.getByRole('article')
    await health.getByRole('region', { name: 'Failures by cause' }).getByText('no valid signature').waitFor()
    await picture(`${inspector.store}-endpoint`)

    // Mend it, and send everything again.
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Rotate the secret' }).click()
    await dialog.getByRole('button', { name: 'Show' }).click()
    inspector.stage.setSecret(await dialog.locator('section code').innerText())
    await dialog.getByRole('button', { name: 'Copy the secret' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Resend failed here…' }).click()
    const period = dialog.getByRole('group', { name: 'Events of' }).locator('[aria-pressed=true]')
    await expect.poll(() => period.innerText(), { message: 'the time of the charts' }).toBe('the last hour')
    await dialog.getByLabel(/^Failed or skipped deliveries: \d+$/).waitFor()
    // Some may have arrived by then, because the server tries again on its own.
    await dialog.getByLabel('Also the delivered ones').check()
    await picture(`${inspector.store}-resend-failed`)
    // The page of the endpoint asks for all attempts, from 1970 on.
    const following = page.waitForRequest((request) => /attemptedFrom=(?!1970)/.test(request.url()))
    await dialog.getByRole('button', { name: /^Resend [1-9]\d*$/ }).click()
    const { searchParams } = new URL((await following).url())
    expect([searchParams.get('order'), searchParams.has('from')], 'old ones first').toEqual([
      'oldest_first',
      true,
    ])
    await dialog.getByText(/^\d+ resent: [1-9]\d* delivered, 0 failed\.$/).waitFor()
    await picture(`${inspector.store}-resent`)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await health
      .getByRole('region', { name: 'Failures by cause' })
      .getByRole('link', { name: /attempts? \(wrong secret\)$/ })
      .first()
      .click()
    await page.locator('.row', { hasText: '200' }).first().waitFor()
    const { deliveries } = inspector.stage.server.service
    const findUnfinished = async () => {
      const selection = {
        subscriptionId: rejecting.id,
        statuses: ['pending', 'attempting', 'waiting'],
      } as const
      return (await deliveries.list('acme', selection)).items.length
    }
    await expect.poll(findUnfinished).toBe(0)

    // The numbers count attempts that failed before. They still lead to the deliveries behind them.
    await visit(page, inspector.getUrl(`subscriptions?organization=acme&id=${rejecting.id}`))
    await causes.waitFor()
    const numbers = page.locator('article .tiles a, article .causes li > a:first-child')
    const targets = await numbers.evaluateAll((links) =>
      links
        .filter(({ textContent }) => /[1-9]/.test(textContent ?? ''))
        .map((link) => link.getAttribute('href') ?? ''),
    )
    expect(targets.length).toBeGreaterThan(1)
    for (const target of targets) {
      await visit(page, target)
      await page.locator('.row').first().waitFor()
    }
    expect(problems).toEqual([])
  })

  test('every number leads to the list behind it, and each chart is also a table', async () => {
    await inspector.simulate({})
    const { accepting, server } = inspector.stage
    await server.service.subscriptions.rotateSecret('acme', accepting.id)
    const { page, problems, picture } = await inspector.open('?organization=acme')
    const links = page.locator('.tiles a, .endpoints a')
    await page.locator('.endpoints a').first().waitFor()
    await page.locator('.chart').nth(1).waitFor()
    expect(await page.locator('.tile').count()).toBe(await page.locator('.tiles a').count())
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))) {
      expect(href).toMatch(/inspector\/(?:deliveries|events|subscriptions)\?organization=acme/)
    }
    await page.getByRole('button', { name: 'Range', exact: true }).click()
    await page.getByLabel('Period before').fill(toLocal(Date.now() - 3_600_000))
    await expect.poll(() => page.url()).toMatch(/figuresFrom=.*&figuresBefore=/)
    await page.getByRole('heading', { name: 'Events and attempts per 10 minutes' }).waitFor()
    await page.getByText('No attempts in this time.').first().waitFor()
    await picture(`${inspector.store}-overview-range`)
    for (const period of ['Day', 'Week', 'Hour']) {
      await page.getByRole('button', { name: period, exact: true }).click()
      await expect.poll(() => page.url()).toContain(`window=${period.toLowerCase()}`)
    }
    await page.getByText('Events and attempts per minute as a table').click()
    const chart = page.locator('.chart').first()
    await expect.poll(() => chart.locator('tbody tr').count()).toBe(60)
    // The figures are written every ten seconds.
    await chart.locator('.mark', { hasText: 'secret rotated' }).first().waitFor({ state: 'attached' })
    await chart.locator('tbody th', { hasText: 'secret rotated' }).first().waitFor()
    const readNumbers = () =>
      page.evaluate(`(() => {
        const columns = [...document.querySelectorAll('.chart:first-child tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replaceAll(',', ''))))
        const sums = columns.reduce((sum, row) => sum.map((each, at) => each + row[at]))
        const totals = [...document.querySelectorAll('.chart:first-child tfoot td')].map((cell) => cell.textContent)
        const tiles = [...document.querySelectorAll('.tile dd a')].slice(0, 3).map((link) => link.textContent)
        return { sums: sums.map((each) => each.toLocaleString('en-US')), totals, tiles: [tiles[1], tiles[2], tiles[0]] }
      })()`)
    const numbers = (await readNumbers()) as Record<'sums' | 'totals' | 'tiles', string[]>
    expect(numbers.totals).toEqual(numbers.sums)
    expect(numbers.tiles).toEqual(numbers.sums)
    const starts = await chart
      .locator('.line path')
      .evaluateAll((paths) =>
        paths.flatMap((path) => /^M([\d.]+)/.exec(path.getAttribute('d') ?? '')?.[1] ?? []),
      )
    expect(Math.min(...starts.map(Number)), 'no line along the axis before the first event').toBeGreaterThan(
      300,
    )
    await page.getByRole('button', { name: 'Subscribe an endpoint' }).click()
    const form = page.getByRole('dialog', { name: 'Subscribe an endpoint' })
    await form.getByLabel('URL').waitFor()
    expect(
      await form
        .locator('label', { has: page.locator('[type=checkbox]') })
        .first()
        .innerText(),
    ).toBe('CALL_AI_SUMMARY')
    await page.keyboard.press('Escape')
    const readPlace = async () => (await chart.locator('svg').boundingBox())?.y
    const place = await readPlace()
    await chart.locator('svg').hover({ position: { x: 400, y: 80 } })
    await chart.locator('.readout', { hasText: /delivered \d.*failed/ }).waitFor()
    expect(await readPlace()).toBe(place)

    await page
      .locator('.plot svg')
      .first()
      .click({ position: { x: 400, y: 80 } })
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(page.url()).toMatch(/attemptedFrom=.*attemptedBefore=/)
    expect(problems).toEqual([])
  })

  test('the first view claims nothing that is not loaded, and counts the endpoints that need attention', async () => {
    inspector.stage.setSecret('whsec_YW5vdGhlciB3cm9uZyBzZWNyZXQgdGhhdCBpcyBsb25n')
    const { rejecting, server } = inspector.stage
    await inspector.simulate({ outcome: 'missed' })
    const findFailing = async () =>
      (await server.service.subscriptions.find('acme', rejecting.id))?.failingSince
    await expect.poll(findFailing).toEqual(expect.any(Number))
    const { page, problems } = await inspector.open('?organization=empty')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    for (const path of ['overview?**', 'overview/subscriptions?**', 'subscriptions?**']) {
      await page.route(`**/organizations/acme/${path}`, async (route) => {
        await held
        await route.continue()
      })
    }
    const asked = page.waitForRequest('**/organizations/acme/overview?**')
    await page.goto(inspector.getUrl('?organization=acme'))
    await asked
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.locator('.overview > .body > *').count()).toBe(0)
    release()
    await page.getByText(/^1 of 2 endpoints fails/).waitFor()
    await expect.poll(() => page.title()).toMatch(/^\(1\) Overview/)
    await page.getByRole('link', { name: '1 of 2 endpoints fails' }).click()
    const row = page.locator('.rows .row')
    await row
      .filter({ hasText: new URL(inspector.stage.rejecting.url).host })
      .getByText('failing')
      .waitFor()
    await expect.poll(() => row.count()).toBe(1)
    expect(problems).toEqual([])
  })

  inspector.once.each([
    ['with its records', true, 0],
    ['without records that are late', false, 1],
  ])('the page of the overview is drawn %s, and lists are drawn at once', async (_, isPatient, before) => {
    await inspector.simulate({})
    const { page, problems } = await inspector.load('deliveries?organization=empty')
    const endless = `{
      const set = setTimeout
      window.setTimeout = (run, ms, ...rest) => (ms === 300 ? 0 : set(run, ms, ...rest))
    }`
    if (isPatient) await page.addInitScript(endless)
    const held: Route[] = []
    await page.route('**/organizations/acme/overview?**', (route) => void held.push(route))
    await page.goto(inspector.getUrl('?organization=acme'))
    await expect.poll(() => held.length).toBe(1)
    const shown = page.locator('.app, .tiles').filter({ visible: true })
    expect(await page.locator('.sidebar').count()).toBe(1)
    await expect.poll(() => shown.count()).toBe(before)
    await held[0]?.continue()
    await expect.poll(() => shown.count()).toBe(2)
    await page.goto(inspector.getUrl('deliveries?organization=acme'))
    await page.locator('.rows time').first().waitFor()
    expect(problems).toEqual([])
  })

  inspector.once('the first lines name up to three endpoints that fail, are off or are behind', async () => {
    const { accepting } = inspector.stage
    const { page, problems, picture } = await inspector.open('?organization=empty')
    const states = ['failing', 'working', 'behind', 'behind', 'disabled', 'disabled']
    const since = new Date(Date.now() - 240_000).toISOString()
    await page.route('**/organizations/acme/overview?**', async (route) => {
      const response = await route.fetch()
      const subscriptions = { failing: 1, behind: 2, untried: 0, working: 1, disabled: 2 }
      await route.fulfill({ response, json: { ...(await response.json()), subscriptions } })
    })
    await page.route('**/organizations/acme/overview/subscriptions?**', async (route) => {
      const response = await route.fetch()
      const [first] = (await response.json()).items
      const items = states.map((state, index) => ({
        ...first,
        state,
        oldestDueAt: state === 'behind' ? since : null,
        backlog: { unfinished: 1_000 * (index + 1), oldestAt: since },
        subscription: {
          ...first.subscription,
          id: index === 0 ? accepting.id : `sub_${index}`,
          url: `https://${state}-${index}.example/webhooks`,
          failingSince: state === 'failing' ? since : null,
          disabledReason: [null, null, null, null, 'by_hand', 'gone'][index],
          maxAttemptsPerSecond: state === 'behind' ? 0.5 : null,
        },
      }))
      await route.fulfill({ response, json: { items } })
    })
    await visit(page, inspector.getUrl('?organization=acme'))
    const state = page.getByRole('region', { name: 'State of the endpoints' })
    await state.getByText('1 of 4 endpoints fails; 2 are behind; 2 are disabled.').waitFor()
    const lines = (await state.getByRole('listitem').allInnerTexts()).map((line) =>
      line
        .replaceAll('\u00a0', ' ')
        .replace(/(?:[A-Z][a-z]+ \d+ )?\d\d:\d\d:\d\d \(\d m(?: \d+ s)?\)/, 'then')
        .replace(/waited \d m(?: \d+ s)?/, 'waited long'),
    )
    expect(lines).toEqual([
      'failing failing-0.example/webhooks since then; 1,000 unfinished',
      'disabled disabled-5.example/webhooks: the endpoint responded with 410',
      'behind behind-3.example/webhooks: its oldest due delivery has waited long; 4,000 unfinished; at most 0.5 attempts per second',
      'and 1 more.',
    ])
    await picture(`${inspector.store}-overview-troubles`)
    await resize(page, { width: 375, height: 800 })
    await picture(`${inspector.store}-overview-troubles-375`)
    await state.getByRole('link', { name: 'failing-0.example/webhooks' }).click()
    await page.locator('.detail').getByText(accepting.url).first().waitFor()
    expect(problems).toEqual([])
  })
})

onSqlite('the layout of the inspector', (inspector) => {
  test.each([375, 1280])('no view moves by more than 0.02 while it loads, at %i px', async (width) => {
    // Only the accepting endpoint gets it, so nothing happens to it any more while the page loads.
    const callId = await inspector.simulate({ customerNumber: '+15550188066', direction: 'OUTGOING' })
    const { accepting, server } = inspector.stage
    const { service } = server
    const listDeliveries = async () =>
      (await service.deliveries.list('acme', { subject: `call:${callId}` })).items
    await expect
      .poll(async () => [...new Set((await listDeliveries()).map(({ status }) => status))])
      .toEqual(['delivered'])
    const deliveries = await listDeliveries()
    const { body: key } = await control(server, 'POST /organizations/acme/api-keys', {})
    await createGroup(server.url, { groupId: 'still' })
    const participant = { groupId: 'still', phone: '+15550188067', state: 'joined' }
    await control(server, 'POST /organizations/acme/participants', participant)
    const { body: requests } = await control(server, 'GET /requests?limit=1')
    const { requestId } = requests.items[0]
    const { page } = await inspector.load('?organization=acme', { viewport: { width, height: 900 } })
    // The page's policy forbids scripts in it, but not those that the browser adds.
    await page.addInitScript(`
      window.moves = []
      new PerformanceObserver((list) => {
        for (const { sources } of list.getEntries()) {
          for (const { node, previousRect: from, currentRect: to } of sources) {
            if (from.width * from.height * to.width * to.height === 0) continue
            const distance = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y))
            const area = from.width * from.height + to.width * to.height
            window.moves.push({ distance, area, what: node?.textContent.slice(0, 100) })
          }
        }
      }).observe({ type: 'layout-shift', buffered: true })`)
    const views = {
      '?organization=acme': '.charts',
      '?organization=empty': '.first-visit',
      [`calls?organization=acme&id=${callId}`]: '.arrivals',
      'customers?organization=acme&id=15550188066': '.arrivals',
      [`subscriptions?organization=acme&id=${accepting.id}`]: 'article .links',
      [`events?organization=acme&id=${deliveries[0]?.eventId}`]: 'article .links li',
      [`deliveries?organization=acme&id=${deliveries[0]?.id}`]: '.attempts',
      'groups?organization=acme&id=still': '.members',
      [`requests?organization=acme&id=${requestId}`]: 'article .payload',
      [`api-keys?organization=acme&id=${key.id}`]: 'article .facts',
      ...Object.fromEntries(
        ['deliveries', 'events', 'calls', 'groups', 'subscriptions', 'requests', 'api-keys'].map((view) => [
          `${view}?organization=acme`,
          '.rows time',
        ]),
      ),
    }
    const loaded = [
      '?organization=acme',
      `calls?organization=acme&id=${callId}`,
      'deliveries?organization=acme',
    ]
    // Each response is shown alone, and then everything that moved counts as if it had moved at once, so that no view depends on
    // which response comes first, or with which other one. The latest request is answered first. Records on a phone, with the most
    // parts and the least room, are also shown in the opposite order.
    const held: Route[] = []
    await page.route(/_wabakit\/(?!inspector)/, (route) => void held.push(route))
    const paint = () => page.evaluate('new Promise(requestAnimationFrame)')
    const shifts: Record<string, unknown> = {}
    for (const [path, content] of Object.entries(views)) {
      const isBothWays = path.includes('&id=') && width === 375
      for (const next of isBothWays ? (['pop', 'shift'] as const) : (['pop'] as const)) {
        // What surrounds a view is the same in all of them, so that only some load the page again, which would take most of the time.
        if (loaded.includes(path)) await page.goto(inspector.getUrl(path))
        else {
          await visit(page, inspector.getUrl('?organization=nobody'))
          await Promise.all(held.splice(0).map((route) => route.continue()))
          await page.evaluate('window.moves = []')
          await visit(page, inspector.getUrl(path))
        }
        // The overview is hidden at first, where nothing could move.
        await page.locator('.app').waitFor()
        do {
          await paint()
          const route = held[next]()
          await route?.continue()
          await route?.request().response()
        } while (held.length > 0 || !(await page.locator(content).first().isVisible()))
        // What has moved is known after two frames.
        await paint()
        await paint()
        const moves: { distance: number; area: number }[] = await page.evaluate('window.moves')
        const area = moves.reduce((sum, move) => sum + move.area, 0) / (width * 900)
        const distance = Math.max(0, ...moves.map((move) => move.distance)) / Math.max(width, 900)
        if (area * distance > 0.02) shifts[`${path} (${next})`] = moves
      }
    }
    expect(shifts).toEqual({})
  })

  test('fits at any width, in light, dark and forced colors', async () => {
    const looks = [
      { forcedColors: 'none', colorScheme: 'light' },
      { forcedColors: 'none', colorScheme: 'dark' },
      { forcedColors: 'active', colorScheme: 'dark' },
    ] as const
    await inspector.simulate({})
    const { page, picture } = await inspector.open('?organization=acme')
    await page.locator('.endpoints a').first().waitFor()
    await page.locator('.chart').first().waitFor()
    for (const width of [375, 768, 1280, 1920]) {
      await resize(page, { width, height: 900 })
      // The charts follow in the next frame.
      const wide = page.locator('html, .overview > .body')
      const findCut = () =>
        wide.evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth).filter(Boolean))
      for (const look of looks) {
        await page.emulateMedia(look)
        await expect.poll(findCut, { message: `cut at ${width} px` }).toEqual([])
        await picture(`${inspector.store}-overview-${width}-${Object.values(look).join('-')}`)
      }
    }
    const small = await page.locator('.endpoints .record').evaluateAll((links) =>
      links
        .map((link) => link.getBoundingClientRect())
        .filter(({ width, height }) => Math.min(width, height) < 24)
        .map(({ width, height }) => `${width} x ${height} px`),
    )
    expect(small, 'too small to click').toEqual([])
    await page.getByRole('button', { name: 'Range', exact: true }).click()
    await page.getByLabel('Period before').waitFor()
    const header = page.locator('.list-header')
    await header.getByRole('button', { name: 'Subscribe an endpoint' }).waitFor()
    for (const width of [375, 768, 1280]) {
      await resize(page, { width, height: 900 })
      const findOutside = () =>
        header.evaluate((element) => {
          const { top, right, bottom, left } = element.getBoundingClientRect()
          return [...element.querySelectorAll('h1, button, label')]
            .filter((each) => {
              const box = each.getBoundingClientRect()
              return box.top < top || box.right > right || box.bottom > bottom || box.left < left
            })
            .map(({ textContent }) => textContent)
        })
      await expect.poll(findOutside, { message: `outside of the header at ${width} px` }).toEqual([])
      await picture(`${inspector.store}-overview-range-${width}`)
    }
  })
})
