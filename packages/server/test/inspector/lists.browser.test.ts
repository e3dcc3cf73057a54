import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/index.ts'
import { acme, control, createGroup } from '../fixture.ts'
import { pressAtOnce, resize, visit } from './browser.ts'
import { onEachStore } from './each-store.ts'

const countRequests = (page: Page): (() => number) => {
  let count = 0
  page.on('request', (request) => {
    if (/_wabakit\/(?!inspector)/.test(request.url())) count += 1
  })
  return () => count
}

/** Returns the visible state of a list: its scroll position, the row in the middle, and the reached row. */
const readPlace = (page: Page) =>
  page.evaluate(() => {
    const table = document.querySelector('.table')
    const box = table?.getBoundingClientRect()
    const middle = document.elementFromPoint((box?.x ?? 0) + 40, (box?.y ?? 0) + (box?.height ?? 0) / 2)
    return {
      isScrolled: (table?.scrollTop ?? 0) > 0,
      middle: middle?.closest('.row')?.textContent,
      top: middle?.closest('.row')?.getBoundingClientRect().top,
      reached: document.querySelector('.row[aria-selected=true]')?.textContent,
    }
  })

/** Returns whether the reached row is in view as a whole. */
const isReachedInView = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const [row, table] = ['.row[aria-selected=true]', '.table'].map((selector) =>
      document.querySelector(selector)?.getBoundingClientRect(),
    )
    return row !== undefined && table !== undefined && row.top >= table.top && row.bottom <= table.bottom
  })

/** Scrolls a list, which then holds still. It handles that in the next frame: on a busy machine, records may arrive before it. */
const scrollTo = (page: Page, top: number): Promise<void> =>
  page.locator('.table').evaluate(async (table, to) => {
    table.scrollTop = to
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  }, top)

/** Returns how many pixels of a cell are cut off. */
const measureCut = (cell: Locator): Promise<number> =>
  cell.evaluate((element) =>
    Math.max(
      ...[element, ...element.querySelectorAll('*')]
        .filter(({ clientWidth }) => clientWidth > 0)
        .map((each) => each.scrollHeight - each.clientHeight + each.scrollWidth - each.clientWidth),
    ),
  )

onEachStore('the lists of the inspector', (inspector) => {
  const publish = async (count: number, subject = 'call:burst', name = 'BURST'): Promise<void> => {
    const { events } = inspector.stage.server.service
    const event = { channel: 'PSTN', number: '+15550100002', payload: '{"event":"BURST"}' } as const
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        events.publish('acme', { ...event, name, subject: `${subject}-${index % 50}` }),
      ),
    )
  }
  const fresh = (page: Page, count: string) => page.getByRole('button', { name: `${count} new`, exact: true })

  beforeAll(() => publish(60, 'call:still'))

  inspector.once('no row is reached at first, and keys act on none', async () => {
    const { page, problems } = await inspector.load('deliveries?organization=acme')
    await page.locator('.rows .row').first().waitFor()
    await page.getByText('Live', { exact: true }).waitFor()

    // The list may be read again meanwhile: every ten seconds, and after each attempt.
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/deliveries/')) asked.push(request.url())
    })
    for (const key of ['r', 'e', 'c']) await page.keyboard.press(key)

    await page.getByText('Choose a row first').first().waitFor()
    expect(await page.locator('.row[aria-selected=true]').count()).toBe(0)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(asked).toEqual([])
    expect(problems).toEqual([])
  })

  inspector.once('an address may take two lines, in a row of the usual height', async () => {
    const { subscriptions } = inspector.stage.server.service
    const { page, picture } = await inspector.open('subscriptions?organization=acme')
    for (const [width, height, path] of [
      [1280, 40, 'organizations/acme/webhooks/calls_and_groups/of/europe'],
      [375, 64, 'webhooks/calls/europe'],
    ] as const) {
      const target = { channel: 'PSTN', number: '+15550100002', url: `http://127.0.0.1:9/${path}` } as const
      const { id } = await subscriptions.create('acme', target)
      onTestFinished(() => subscriptions.remove('acme', id))
      await resize(page, { width, height: 800 })
      await page.reload()
      const row = page.locator('.rows .row').filter({ hasText: path })
      await expect.poll(async () => (await row.boundingBox())?.height).toBe(height)
      expect(await measureCut(row.getByRole('gridcell').nth(1)), `${path} at ${width} px`).toBe(0)
      await picture(`${inspector.store}-addresses-${width}`)
    }
    // In the list of deliveries, too.
    await resize(page, { width: 1280, height: 800 })
    await inspector.simulate({ outcome: 'missed' })
    await visit(page, inspector.getUrl('deliveries?organization=acme'))
    const cell = page
      .getByRole('gridcell', { name: /organizations\/acme\/webhooks\/calls_and_groups/ })
      .first()
    await cell.waitFor()
    expect(await measureCut(cell)).toBe(0)
    expect((await page.locator('.rows .row', { has: cell }).first().boundingBox())?.height).toBe(40)
  })

  inspector.once('a sender and a user agent may take two lines, in a row of the usual height', async () => {
    const { server } = inspector.stage
    const { body } = await control(server, 'POST /organizations/acme/api-keys', { label: 'crm production' })
    onTestFinished(async () => void (await control(server, `DELETE /organizations/acme/api-keys/${body.id}`)))
    const headers = { 'user-agent': 'acme-billing/2.3 (node)', authorization: body.key }
    await fetch(`${server.url}/v1/call/ai-summary?callId=any`, { headers })
    const { page, picture } = await inspector.open('requests?organization=acme', {
      viewport: { width: 1280, height: 800 },
    })
    const cell = page.getByRole('gridcell', { name: 'acme-billing/2.3 (node)', exact: true })
    await cell.waitFor()
    const row = page.locator('.rows .row', { has: cell })
    const sender = row.getByRole('gridcell', { name: 'crm production · 127.0.0.1', exact: true })
    for (const each of [cell, sender]) expect(await measureCut(each)).toBe(0)
    expect((await row.boundingBox())?.height).toBe(40)
    await picture(`${inspector.store}-requests-1280`)
  })

  inspector.matrix('a scrolled list stays in place, and counts new records', async () => {
    const { page } = await inspector.open('events?organization=acme')
    await page.locator('.rows .row').nth(20).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await scrollTo(page, 330)
    const before = await readPlace(page)

    await publish(12)

    await fresh(page, '12').waitFor()
    expect(await readPlace(page)).toEqual(before)
    await fresh(page, '12').click()
    await page.locator('.row', { hasText: 'burst-11' }).waitFor()
    await expect.poll(() => page.locator('.table').evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await fresh(page, '12').waitFor({ state: 'detached' })
  })

  inspector.once('rows hold still under the pointer, and follow again when it leaves them', async () => {
    const { page } = await inspector.open('events?organization=acme')
    await page.getByText('Live', { exact: true }).waitFor()
    const row = page.locator('.rows .row').nth(3)
    const text = await row.innerText()
    await row.hover()

    await publish(3, 'call:pointed')
    await fresh(page, '3').waitFor()
    expect(await row.innerText()).toBe(text)
    await page.getByRole('heading', { name: 'Events' }).hover()
    await page.locator('.row', { hasText: 'pointed-2' }).waitFor()
    await publish(1, 'call:followed')
    await page.locator('.row', { hasText: 'followed-0' }).waitFor()
  })

  inspector.once('the number of new records covers no text at 1440 and 375 px', async () => {
    const { page } = await inspector.open('events?organization=acme')
    await page.locator('.rows .row').nth(20).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await scrollTo(page, 330)

    await publish(3)
    await fresh(page, '3').waitFor()

    const findCovered = () =>
      fresh(page, '3').evaluate((button) => {
        const { x, y, width, height } = button.getBoundingClientRect()
        const texts = new Set<string>()
        for (let left = x; left <= x + width; left += 4) {
          for (const top of [y, y + height / 2, y + height]) {
            const below = document.elementsFromPoint(left, top).filter((element) => element !== button)
            for (const node of below.flatMap(({ childNodes }) => [...childNodes])) {
              if (node instanceof Text && node.data.trim() !== '') texts.add(node.data)
            }
          }
        }
        return [...texts]
      })
    for (const width of [1440, 375]) {
      await resize(page, { width, height: 800 })
      // What depends on the width follows in the next frame.
      await expect.poll(findCovered, { message: `covered at ${width} px` }).toEqual([])
      const readWidth = () => page.locator('.list-header').evaluate(({ scrollWidth }) => scrollWidth)
      await expect.poll(readWidth).toBeLessThanOrEqual(width)
    }
  })

  inspector.matrix('a reloaded list loads the rest of its rows without a gap', async () => {
    await publish(210, 'call:more', 'MORE')
    const { page } = await inspector.open('events?organization=acme&name=MORE')
    await page.getByText('Live', { exact: true }).waitFor()
    const grid = page.getByRole('grid')
    const scroll = (isDown: boolean) =>
      grid.evaluate(async (table, isEnd) => {
        table.scrollTop = isEnd ? table.scrollHeight : 0
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        return Number(table.getAttribute('aria-rowcount')) - 1
      }, isDown)
    // The stream may be open before the rows are there.
    await grid.locator('.row').nth(5).waitFor()
    await scroll(true)

    await publish(3, 'call:more', 'MORE')
    await fresh(page, '3').waitFor()
    await expect.poll(() => scroll(true)).toBe(210)

    await scroll(false)
    await fresh(page, '3').waitFor({ state: 'detached' })
    // More than a page, so that there is a gap between the shown and the newest records.
    await publish(150, 'call:newer', 'MORE')
    await page.locator('.row', { hasText: 'newer-49' }).first().waitFor()
    await expect.poll(() => scroll(true)).toBe(363)
  })

  inspector.matrix('a row reached by key stays in view, and only keys scroll', async () => {
    const { page } = await inspector.open('events?organization=acme')
    await page.locator('.rows .row').nth(20).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    for (const key of ['j', 'j', 'ArrowDown']) {
      await page.keyboard.press(key)
      if (key === 'j') await page.getByRole('grid').focus()
    }
    const before = await readPlace(page)
    expect(before.reached).toBeTruthy()

    await publish(3)

    await fresh(page, '3').waitFor()
    expect(await readPlace(page)).toEqual(before)
    // Without a reached row, the list follows again.
    await page.keyboard.press('Escape')
    await fresh(page, '3').waitFor({ state: 'detached' })
    expect(await page.locator('.row[aria-selected=true]').count()).toBe(0)
  })

  inspector.matrix('a row that no longer matches disappears, but the open record stays', async () => {
    const customerNumber = '+15550197771'
    for (const each of [{}, { customerNumber }, {}]) await inspector.simulate({ outcome: 'missed', ...each })
    const { id } = inspector.stage.rejecting
    const filters = `organization=acme&status=pending,exhausted&subscription=${id}`
    const { page } = await inspector.open(`deliveries?${filters}`)
    await page.locator('.row', { hasText: customerNumber }).locator('.badge').first().click()
    await page.getByText('found no valid signature').first().waitFor()
    const other = await inspector.open(`deliveries?${filters}`)
    await other.page.locator('.row', { hasText: customerNumber }).waitFor()

    const { secret } = await inspector.stage.server.service.subscriptions.rotateSecret('acme', id)
    inspector.stage.setSecret(secret)
    const reached = page.locator('.row[aria-selected=true]')
    const index = await reached.getAttribute('aria-rowindex')
    await page.keyboard.press('r')

    // The open record is updated in place; other rows disappear.
    await reached.locator('.badge', { hasText: 'delivered' }).waitFor()
    // The row above may have disappeared by then, because its next attempt also succeeds.
    expect(Number(await reached.getAttribute('aria-rowindex'))).toBeLessThanOrEqual(Number(index))
    await page.locator('h2 .badge', { hasText: 'delivered' }).waitFor()
    await other.page.locator('.row', { hasText: customerNumber }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.locator('.row', { hasText: customerNumber }).waitFor({ state: 'detached' })
  })

  inspector.matrix(
    'a burst of 1,000 events causes few requests, and does not affect selection and scrolling',
    async () => {
      const { deliveries } = inspector.stage.server.service
      const { id: subscriptionId } = inspector.stage.accepting
      const findUnfinished = async () =>
        (await deliveries.list('acme', { subscriptionId, statuses: ['pending', 'attempting', 'waiting'] }))
          .items
      // A row in view would change when its delivery ends.
      await expect.poll(findUnfinished).toEqual([])
      const { page, problems } = await inspector.load('deliveries?organization=acme')
      await page.locator('.rows .row').nth(20).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      const count = countRequests(page)
      const failed: string[] = []
      page.on('requestfailed', (request) => failed.push(request.url()))
      for (let presses = 0; presses < 25; presses++) await page.keyboard.press('j')
      // The list scrolls to the reached row in a later frame.
      await expect.poll(() => isReachedInView(page)).toBe(true)
      const before = await readPlace(page)
      await page.evaluate(`
        window.shift = 0
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.shift += value
        }).observe({ type: 'layout-shift' })`)
      const began = performance.now()

      for (let part = 0; part < 10; part++) await publish(100, `call:part-${part}`)

      await fresh(page, '100+').waitFor()
      const requests = count()
      const seconds = (performance.now() - began) / 1_000
      expect(await page.evaluate('window.shift')).toBeLessThanOrEqual(0.02)
      expect(await readPlace(page)).toEqual(before)
      // The list, its visible rows and the subscriptions are each requested at most once a second, after what a page loads first.
      expect(requests).toBeLessThanOrEqual(10 + 3 * Math.ceil(seconds))
      expect(failed).toEqual([])
      expect(problems).toEqual([])
    },
  )

  inspector.once('the page keeps nothing of events that it no longer shows', async () => {
    const { page } = await inspector.load('events?organization=manual')
    await page.getByText('Live', { exact: true }).waitFor()
    const session = await page.context().newCDPSession(page)
    const { events } = inspector.stage.server.service
    const event = { channel: 'PSTN', number: '+15550100008', name: 'BURST', payload: '{}' } as const
    const readHeap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage')
      return (await session.send('Runtime.getHeapUsage')).usedSize
    }
    /** Publishes so many events, and waits until the page shows the last one. */
    const show = async (count: number): Promise<void> => {
      for (let published = 0; published < count; published += 1_000) {
        const subjects = Array.from(
          { length: 1_000 },
          (_, index) => `call:${published + index + 1}-of-${count}`,
        )
        await Promise.all(subjects.map((subject) => events.publish('manual', { ...event, subject })))
      }
      await page.locator('.row', { hasText: `${count}-of-${count}` }).waitFor()
    }

    await show(2_000)
    const before = await readHeap()
    await show(25_000)
    // A list that follows may keep up to 1,100 events, of about a kilobyte each: as many as arrived in small groups, which depends
    // on the speed of the machine. If the page kept each message, 25,000 would take about 4.8 MB.
    await expect.poll(readHeap).toBeLessThan(before + 3_000_000)
  })

  inspector.once(
    'the arrow keys move, Enter opens with the focus in the record, and Escape brings it back',
    async () => {
      const { page } = await inspector.open('events?organization=acme')
      await page.locator('.rows .row').nth(20).waitFor()
      const grid = page.getByRole('grid')
      await grid.focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      const active = await grid.getAttribute('aria-activedescendant')
      expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('End')
      await expect.poll(() => grid.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0)
      await page.keyboard.press('Home')
      await expect.poll(() => grid.evaluate(({ scrollTop }) => scrollTop)).toBe(0)

      await page.keyboard.press('Enter')
      await page.getByRole('article').waitFor()
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.closest('article') !== null))
        .toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('article').waitFor({ state: 'detached' })
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    },
  )

  inspector.matrix('a list keeps its scroll position behind a timeline', async () => {
    await Promise.all(Array.from({ length: 40 }, () => inspector.simulate({ outcome: 'missed' })))
    const { page } = await inspector.open('calls?organization=acme')
    await page.locator('.rows .row').nth(20).waitFor()
    await scrollTo(page, 400)
    const before = await readPlace(page)
    await page.locator('.rows .row', { hasText: before.middle ?? '' }).click()
    await page.locator('.timeline').waitFor()
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.locator('.timeline').waitFor({ state: 'detached' })
    const { middle, top } = before
    await expect.poll(() => readPlace(page)).toMatchObject({ isScrolled: true, middle, top })

    // So it does when the user comes back from another view, and after a reload.
    for (const leave of [() => page.getByRole('link', { name: 'Events' }).click(), () => page.reload()]) {
      await leave()
      await page.locator('.rows .row').first().waitFor()
      if (new URL(page.url()).pathname.endsWith('/events')) await page.goBack()
      await expect.poll(() => readPlace(page)).toMatchObject({ middle, top })
    }
  })

  inspector.once('a list shows the row of a record that was opened by a link', async () => {
    await publish(100, 'call:linked')
    const path = 'GET /organizations/acme/events?order=newest_first&limit=100'
    const { items } = (await control(inspector.stage.server, path)).body
    const { page } = await inspector.load(`events?organization=acme&id=${items[60].id}`)
    const table = page.locator('.table')
    const expectInView = (id: string) =>
      expect
        .poll(() =>
          table.evaluate((list, sought) => {
            const link = list.querySelector(`a[href*="id=${sought}"]`)?.getBoundingClientRect()
            const { top, bottom } = list.getBoundingClientRect()
            return link !== undefined && link.top > top + 32 && link.bottom < bottom
          }, id),
        )
        .toBe(true)
    await expectInView(items[60].id)
    await visit(page, inspector.getUrl(`events?organization=acme&id=${items[3].id}`))
    await expectInView(items[3].id)
    await visit(page, inspector.getUrl(`events?organization=acme&id=${items[90].id}`))
    await expectInView(items[90].id)

    // The record stays open while the list shows what is new.
    await publish(1)
    await fresh(page, '1').click()
    await expect.poll(() => table.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await page.getByRole('article').waitFor()
  })

  inspector.once('every view can be seen and reached at 375 px', async () => {
    const viewport = { width: 375, height: 800 }
    const { page } = await inspector.open('requests?organization=acme', { viewport })
    const links = page.getByRole('navigation', { name: 'Views' }).getByRole('link')
    await links.first().waitFor()
    const findCovered = () =>
      links.evaluateAll((all) =>
        all
          .filter((link) => {
            const { left, right, top, bottom } = link.getBoundingClientRect()
            const corners = [left + 1, right - 1].map((x) => document.elementFromPoint(x, (top + bottom) / 2))
            return !corners.every((each) => link.contains(each))
          })
          .map(({ textContent }) => textContent),
      )
    // The page may take the layout of phones in a later frame.
    await expect.poll(findCovered).toEqual([])
    expect(await links.count()).toBe(8)
  })

  inspector.once('at 375 px, only familiar icons stand without text', async () => {
    const { server, accepting } = inspector.stage
    const callId = await inspector.simulate({})
    await createGroup(server.url, { groupId: 'signs' })
    const { page, problems, picture } = await inspector.open('?organization=acme', {
      viewport: { width: 375, height: 800 },
    })
    const familiar = /^(?:Find|Menu|More actions|Back to the list|Close.*|Copy.*|Zoom (?:in|out))$/
    const listIconsAlone = () =>
      page.locator('button:not(.skip), a').evaluateAll((elements) =>
        elements
          .filter((element) => {
            const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
            let hasWords = false
            for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
              const parent = text.parentElement
              if (parent?.checkVisibility() && getComputedStyle(parent).clipPath === 'none') hasWords = true
            }
            return element.checkVisibility({ visibilityProperty: true }) && !hasWords
          })
          .map((element) => element.ariaLabel ?? element.textContent),
      )
    for (const path of [
      '',
      ...['deliveries', 'events', 'calls', 'groups', 'subscriptions', 'requests', 'api-keys'],
      ...[`calls?id=${callId}`, 'groups?id=signs', `subscriptions?id=${accepting.id}`],
    ]) {
      await visit(page, inspector.getUrl(`${path}${path.includes('?') ? '&' : '?'}organization=acme`))
      await page.locator('.charts, .rows time, article .facts').filter({ visible: true }).first().waitFor()
      const listUnlabeled = async () => (await listIconsAlone()).filter((name) => !familiar.test(name ?? ''))
      await expect.poll(listUnlabeled, { message: path }).toEqual([])
      await picture(`${inspector.store}-signs-375-${path.split('id=')[0]}`)
    }
    const choose = async (menu: string, item: string) => {
      await page.getByRole('button', { name: menu, exact: true }).click()
      const box = await page.getByRole('menuitem', { name: item }).boundingBox()
      expect(box?.height, item).toBeGreaterThanOrEqual(36)
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Menu', 'Mask personal data')
    await choose('Menu', 'Show personal data')
    await choose('Menu', 'Simulate')
    await page.getByRole('dialog', { name: 'Simulate' }).getByRole('button', { name: 'Close' }).click()
    await visit(page, inspector.getUrl('subscriptions?organization=acme'))
    const download = page.waitForEvent('download')
    await choose('More actions', 'Export as CSV')
    expect((await download).suggestedFilename()).toMatch(/\.csv$/)
    await choose('More actions', 'Subscribe an endpoint')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await visit(page, inspector.getUrl('?organization=acme'))
    const subscribe = page.getByRole('button', { name: 'Subscribe an endpoint' })
    expect((await subscribe.boundingBox())?.height).toBeGreaterThanOrEqual(36)
    await subscribe.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    expect(problems).toEqual([])
  })

  inspector.once(
    'a row is a link that opens in a new tab, and its text can be selected without opening it',
    async () => {
      await publish(1, 'call:link', 'LINK')
      const { page } = await inspector.open('events?organization=acme&name=LINK')
      const row = page.locator('.rows .row', { hasText: 'LINK' }).first()
      const href = await row.getByRole('link', { name: 'LINK', exact: true }).getAttribute('href')
      for (const [target, options] of [
        [row.getByRole('link', { name: 'LINK', exact: true }), { modifiers: ['ControlOrMeta'] }],
        [row.locator('time'), { modifiers: ['ControlOrMeta'] }],
        [row.locator('time'), { button: 'middle' }],
      ] as const) {
        const opened = page.context().waitForEvent('page')
        await target.click({ ...options, modifiers: [...('modifiers' in options ? options.modifiers : [])] })
        const tab = await opened
        await tab.getByRole('article').waitFor()
        expect(new URL(tab.url()).pathname + new URL(tab.url()).search).toBe(href)
        await tab.close()
      }
      const { x = 0, y = 0, width = 0 } = (await row.locator('time').boundingBox()) ?? {}
      await page.mouse.move(x + width - 2, y + 10)
      await page.mouse.down()
      await page.mouse.move(x + width / 2, y + 10, { steps: 4 })
      await page.mouse.up()
      expect(await page.evaluate(() => getSelection()?.type)).toBe('Range')
      expect(await page.getByRole('article').count()).toBe(0)
      await row.locator('.open').click()
      await page.getByRole('article').waitFor()
    },
  )

  inspector.once('a list has its count, and each row what it is about and what became of it', async () => {
    const { server } = inspector.stage
    const [customerNumber, phone] = ['+15550188068', '+15550188069']
    await createGroup(server.url, { groupId: 'listed', subject: 'Listed' })
    await control(server, 'POST /organizations/acme/participants', {
      groupId: 'listed',
      phone,
      state: 'joined',
    })
    await inspector.simulate({ customerNumber, summary: { recap: 'Twelve chairs.' } })
    // Otherwise, calls that other tests have simulated can push this one, which started earlier, out of view.
    const { page, problems } = await inspector.open('calls?organization=acme&customer=15550188068')
    const find = (...texts: readonly (string | RegExp)[]) =>
      texts.reduce(
        (rows, text) => rows.filter({ has: page.getByRole('gridcell', { name: text, exact: true }) }),
        page.locator('.rows .row'),
      )
    await find(customerNumber, 'ended', 'delivered').waitFor()
    for (const [view, texts] of [
      ['groups?organization=acme', ['Listed', '1']],
      ['events?organization=acme&group=listed', ['GROUP_PARTICIPANT_JOINED', 'Listed', phone]],
      ['events?organization=acme&name=CALL_AI_SUMMARY', [customerNumber, 'Twelve chairs.']],
      ['requests?organization=acme', ['POST', 'listed']],
    ] as const) {
      await visit(page, inspector.getUrl(view))
      await find(...texts)
        .first()
        .waitFor()
    }
    await visit(page, inspector.getUrl('api-keys?organization=acme'))
    const times = page.locator('.rows .row').first().locator('time')
    await expect.poll(() => times.count(), { message: 'the last request and the creation' }).toBe(2)
    await page.getByRole('heading', { name: 'API keys 1', exact: true }).waitFor()
    await resize(page, { width: 375, height: 800 })
    const { body } = await control(inspector.stage.server, 'GET /organizations/acme/api-keys')
    await find(new RegExp(body.items[0].fingerprint)).waitFor()
    const cutTitles = await page
      .locator('.head .row > :not(.sr-only)')
      .evaluateAll((titles) => titles.filter((title) => title.scrollWidth > title.clientWidth).length)
    expect(cutTitles, 'titles that are cut off').toBe(0)
    expect(problems).toEqual([])
  })

  inspector.once.each([375, 768])("lists a delivery's subject and last response at %i px", async (width) => {
    const { server, accepting } = inspector.stage
    // Another test has given the endpoint the right secret.
    inspector.stage.setSecret(`whsec_${Buffer.alloc(32, 1).toString('base64')}`)
    const whatsApp = { channel: 'WHATSAPP', number: '+15550100001', url: accepting.url } as const
    const { id } = await server.service.subscriptions.create('acme', whatsApp)
    onTestFinished(() => server.service.subscriptions.remove('acme', id))
    await createGroup(server.url, { groupId: `sales-${width}`, subject: `Sales team ${width}` })
    const customerNumber = `+1555019${7000 + width}`
    await inspector.simulate({ outcome: 'missed', customerNumber })
    const { page, problems, picture } = await inspector.open('deliveries?organization=acme', {
      viewport: { width, height: 800 },
    })
    const group = page.locator('.row', { hasText: `Sales team ${width}` })
    await group.locator('.badge', { hasText: '200' }).waitFor()
    expect(await group.innerText()).toContain('GROUP_CREATED')
    // A port may also contain 401.
    const refused = page.locator('.badge', { hasText: /^401$/ })
    const call = page.locator('.row', { hasText: customerNumber }).filter({ has: refused })
    await call.filter({ hasText: 'pending' }).filter({ hasText: 'CALL_INCOMING_INITIATED' }).waitFor()

    // Two subscriptions have this host, so the end of their addresses tells them apart.
    const hidden = await group.locator('bdi').evaluate((name) => {
      const [text, place] = [name.getBoundingClientRect(), name.parentElement?.getBoundingClientRect()]
      return text.right - (place?.right ?? 0)
    })
    expect(hidden, 'pixels of the end of the address that are cut off').toBeLessThan(1)

    // Nothing scrolls sideways, and the properties that identify a delivery are not truncated.
    const findTooWide = () =>
      page.locator('html, .table, .row .badge, .row .name, .row .record').evaluateAll(
        (elements, most) =>
          elements
            .filter((element) => {
              const cell = element.closest('[role=gridcell]') ?? element
              return cell.scrollWidth > cell.clientWidth || element.getBoundingClientRect().right > most
            })
            .map(({ outerHTML }) => outerHTML.slice(0, 200)),
        width,
      )
    // The page may take the layout of its width in a later frame.
    await expect.poll(findTooWide).toEqual([])
    const findSmall = () =>
      page.locator('.rows .row, button, input, select, nav a').evaluateAll(
        (elements, least) =>
          elements
            .map((element) => element.closest('label, .row') ?? element)
            .filter((element) => {
              const box = element.getBoundingClientRect()
              return element.checkVisibility() && Math.min(box.width, box.height) < least
            })
            .map(({ outerHTML }) => outerHTML.slice(0, 200)),
        width === 375 ? 36 : 28,
      )
    await expect.poll(findSmall, { message: 'too small for a finger' }).toEqual([])
    const floating = await page
      .locator('body *')
      .evaluateAll((elements) =>
        elements
          .filter(
            (element) => getComputedStyle(element).position === 'fixed' && !element.matches('.toasts, .skip'),
          )
          .map(({ outerHTML }) => outerHTML.slice(0, 200)),
      )
    expect(floating, 'covers a part of the list').toEqual([])
    await picture(`${inspector.store}-deliveries-${width}`)

    // The row is a single target: the customer's number also opens the delivery.
    await call.getByText(customerNumber).click({ force: true })
    await page.getByText('found no valid signature').first().waitFor()
    expect(page.url()).toContain('/deliveries')
    expect(problems).toEqual([])
  })

  inspector.once('keeps the rows in view when the window becomes narrower', async () => {
    const { page } = await inspector.open('events?organization=acme')
    await page.locator('.rows .row').nth(20).waitFor()
    await scrollTo(page, 400)
    const readFirst = () =>
      page.evaluate(() => {
        const { x = 0, y = 0 } = document.querySelector('.table')?.getBoundingClientRect() ?? {}
        return document
          .elementFromPoint(x + 40, y + 40)
          ?.closest('.row')
          ?.querySelector('.record')?.textContent
      })
    const first = await readFirst()
    expect(first).toBeTruthy()
    await resize(page, { width: 768, height: 900 })
    await page.waitForFunction(() => document.querySelector('.below') !== null)
    await expect.poll(readFirst).toBe(first)
  })

  inspector.once('two filters that are typed quickly both apply', async () => {
    // A list without any request offers no filters.
    await fetch(`${inspector.stage.server.url}/v1/call/ai-summary?callId=any`)
    const { page } = await inspector.open('requests?organization=acme')
    await page.getByLabel('Status', { exact: true }).fill('401')
    await page.getByLabel('Code', { exact: true }).fill('invalid_api_key')

    await page.waitForURL(/code=invalid_api_key/)
    expect(page.url()).toContain('status=401')
  })

  inspector.once(
    'a letter selects a view only for a moment after g, and Tab then continues in that view',
    async () => {
      const { page } = await inspector.open('deliveries?organization=acme')
      await page.locator('.rows .row').first().waitFor()
      await page.locator('main button').first().focus()
      const hasFocus = (place: string): Promise<boolean> =>
        page.evaluate((selector) => document.activeElement?.closest(selector) !== null, place)
      await pressAtOnce(page, 'g', 'e')
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
      await page.locator('.rows .row').first().waitFor()
      for (const key of ['j', 'Enter']) await page.keyboard.press(key)
      await page.getByRole('article').waitFor()
      await expect.poll(() => hasFocus('article')).toBe(true)
      await pressAtOnce(page, 'g', 'e')
      await page.keyboard.press('Tab')
      await expect.poll(() => hasFocus('main')).toBe(true)

      await page.keyboard.press('g')
      const pressedAt = await page.evaluate(() => performance.now())
      await page.waitForFunction((since) => performance.now() > since + 1_500, pressedAt)
      await page.keyboard.press('c')
      await page.keyboard.press('?')
      await page.getByRole('dialog').waitFor()
      expect(page.url()).toContain('/events')
    },
  )

  inspector.once('reports an unknown organization, and lists the existing ones', async () => {
    const { page } = await inspector.open('events?organization=acne')
    await page.getByText('There is no organization "acne"').waitFor()
    await page.getByRole('link', { name: 'acme' }).click()
    await page.locator('.rows .row').first().waitFor()
  })

  test('an open record is reloaded only after messages about it', async () => {
    await publish(1, 'call:open')
    const { deliveries } = inspector.stage.server.service
    const findStatus = async () =>
      (await deliveries.list('acme', { subject: 'call:open-0' })).items.map(({ status }) => status)
    // The message about its attempt could also arrive later than the record.
    await expect.poll(findStatus).toEqual(['delivered'])
    const { page } = await inspector.open('deliveries?organization=acme')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.locator('.row', { hasText: 'open-0' }).first().click()
    await page.locator('.attempt').waitFor()
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    let count = 0
    page.on('request', (request) => {
      if (request.url().endsWith(`/deliveries/${id}/attempts`)) count += 1
    })

    // The second time is more than a second later, because the record was read just before the first.
    for (const known of ['12', '24']) {
      await publish(12, 'call:other')
      await fresh(page, known).waitFor()
    }
    // On PostgreSQL, another process could have attempted it, so that the page also looks without a message.
    if (inspector.store === 'SQLite') expect(count).toBe(0)
    await deliveries.resend('acme', { deliveryId: id })
    await page.getByRole('button', { name: /^#2/ }).waitFor()
    expect(count).toBeGreaterThan(0)
  })

  inspector.once('a page is gray while it connects, and indicates when it is live', async () => {
    const { page } = await inspector.open('deliveries')
    const connected = Promise.withResolvers<void>()
    await page.route('**/stream', async (route) => {
      await connected.promise
      return route.continue()
    })
    await page.reload()
    await page.locator('.connection.idle', { hasText: 'Connecting' }).waitFor()
    connected.resolve()
    await page.locator('.connection.good', { hasText: 'Live' }).waitFor()
  })

  inspector.matrix(
    'a page that is open while the server restarts reports it, and reloads all records in view',
    async () => {
      const database = await inspector.createDatabase()
      const start = (port: number) =>
        startServer({ port, database, logLevel: 'silent', organizations: [acme] })
      const first = await start(0)
      const number = { channel: 'PSTN', number: '+15550100002' } as const
      const { id } = await first.service.subscriptions.create('acme', {
        ...number,
        url: 'http://127.0.0.1:1/',
      })
      const test = { name: 'TEST', subject: 'call:missed-change', payload: '{}' }
      await first.service.events.publish('acme', { ...number, ...test })
      const { page } = await inspector.load('')
      await page.goto(`${first.url}/_wabakit/inspector/deliveries?organization=acme&subscription=${id}`)
      await page.locator('.rows .row').first().click()
      await page.locator('h2 .badge', { hasText: 'pending' }).waitFor()
      await page.locator('.connection.good', { hasText: 'Live' }).waitFor()

      await first.close()
      await page.locator('.connection.bad', { hasText: 'Not connected' }).waitFor()
      // Changes during the outage arrive without a message.
      const other = await start(0)
      const delivery = new URL(page.url()).searchParams.get('id') ?? ''
      await other.service.deliveries.cancel('acme', delivery)
      await other.close()
      const second = await start(Number(new URL(first.url).port))

      await page.locator('.connection.good', { hasText: 'Live' }).waitFor()
      for (const place of ['h2', '.row[aria-selected=true]']) {
        await page.locator(`${place} .badge`, { hasText: 'skipped' }).waitFor()
      }
      await page.close()
      await second.close()
    },
  )
})
