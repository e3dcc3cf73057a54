import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup } from '../fixture.ts'
import { pressAtOnce, resize, visit } from './browser.ts'
import { onOneStore } from './each-store.ts'

onOneStore('the details of the inspector', (inspector) => {
  test('a line per endpoint says where a call has not arrived, and leads there', async () => {
    const callId = await inspector.simulate({ customerNumber: '+15550188077' })
    const { accepting, rejecting } = inspector.stage
    const name = (url: string) => url.replace(/^https?:\/\//, '')
    for (const path of [
      `calls?organization=acme&id=${callId}`,
      'customers?organization=acme&id=15550188077',
    ]) {
      const { page, problems, picture } = await inspector.open(path)
      const lines = page.getByRole('list', { name: 'Arrived at' }).getByRole('listitem')
      await lines
        .filter({ hasText: name(accepting.url) })
        .filter({ hasText: /delivered at/ })
        .waitFor()
      const failing = lines.filter({ hasText: name(rejecting.url) })
      await failing
        .filter({
          hasText:
            /not delivered: CALL_INCOMING_INITIATED got 401.* \(the endpoint found no valid signature\)/,
        })
        .waitFor()
      await page.getByText('The summary has arrived.').waitFor()
      await picture(`${inspector.store}-arrivals-${path.slice(0, path.indexOf('?'))}`)
      await failing.getByRole('link', { name: `Open the delivery to ${name(rejecting.url)}` }).click()
      await page.getByRole('article').getByText('The endpoint found no valid signature.').waitFor()
      const guide = page.getByRole('link', { name: 'Read the guide' }).first()
      expect(await guide.getAttribute('href')).toMatch(/^https:.*\/reference\/signatures#invalid-signature$/)
      expect(problems).toEqual([])
    }
  })

  inspector.once('the list of calls says at how many endpoints a summary is', async () => {
    const { server, rejecting } = inspector.stage
    const { subscriptions } = server.service
    const target = { channel: 'PSTN', number: '+15550100002', url: rejecting.url } as const
    const { id } = await subscriptions.create('acme', { ...target, events: ['CALL_AI_SUMMARY'] })
    onTestFinished(() => subscriptions.remove('acme', id))
    await inspector.simulate({ customerNumber: '+15550188076' })
    const { page, picture } = await inspector.open('calls?organization=acme')
    const row = page.locator('.rows .row', { hasText: '+15550188076' })
    const badge = row.locator('.badge', { hasText: 'at 1 of 2' })
    await badge.waitFor()
    await expect.poll(() => badge.getAttribute('class')).toContain('warn')
    await picture(`${inspector.store}-calls-in-part`)
    // In a narrow list, it has no title.
    await resize(page, { width: 375, height: 800 })
    const summary = row.locator('.below', { hasText: 'at 1 of 2' })
    await expect.poll(() => summary.innerText()).toBe('summary at 1 of 2')
    const cut = await summary.evaluate((cell) => cell.scrollWidth - cell.clientWidth)
    expect(cut).toBe(0)
    await resize(page, { width: 1440, height: 900 })
    await visit(page, inspector.getUrl('customers?organization=acme&id=15550188076'))
    await page.getByText('The summary has arrived at 1 of 2 endpoints.').waitFor()
    await visit(page, inspector.getUrl('deliveries?organization=acme&status=pending'))
    const pending = page.locator('.rows .badge', { hasText: /^pending$/ })
    await pending.first().waitFor()
    const classes = await pending.evaluateAll((all) => all.map(({ className }) => className))
    expect(new Set(classes), 'one color for one state').toEqual(new Set(['badge busy']))
    const link = page
      .locator('.rows .row')
      .first()
      .getByTitle(/^Open the call /)
    await link.waitFor()
    await picture(`${inspector.store}-pending`)
  })

  test('an event says where it has arrived, and leads to its call by the name of the customer', async () => {
    const callId = await inspector.simulate({ customerNumber: '+15550188078' })
    const { server, accepting, rejecting } = inspector.stage
    const { body } = await control(
      server,
      `GET /organizations/acme/events?call=${callId}&name=CALL_INCOMING_INITIATED`,
    )
    const { page, picture } = await inspector.open(`events?organization=acme&id=${body.items[0].id}`)
    const lines = page.getByRole('region', { name: 'Did it arrive?' }).getByRole('listitem')
    const at = ({ url }: { readonly url: string }) => lines.filter({ hasText: new URL(url).host })
    await at(accepting).getByText('delivered at').waitFor()
    await at(rejecting).getByText('(the endpoint found no valid signature), next attempt').waitFor()
    await picture(`${inspector.store}-event`)
    await page.getByRole('article').getByRole('link', { name: '+15550188078' }).click()
    await page.getByRole('article', { name: 'Timeline of the call' }).waitFor()
  })

  inspector.once('a customer with more deliveries than are shown has a link to all of them', async () => {
    const { server, accepting } = inspector.stage
    const { subscriptions } = server.service
    for (let count = 0; count < 2; count++) {
      const target = { channel: 'PSTN', number: '+15550100002', url: accepting.url } as const
      const { id } = await subscriptions.create('acme', target)
      onTestFinished(() => subscriptions.remove('acme', id))
    }
    const callId = await inspector.simulate({ customerNumber: '+15550188079' })
    const { length } = (await control(server, `GET /organizations/acme/deliveries?call=${callId}`)).body.items
    expect(length).toBeGreaterThan(10)
    const { page, picture } = await inspector.open('customers?organization=acme&id=15550188079')
    await picture(`${inspector.store}-customer-all`)
    await page.getByRole('link', { name: `All ${length} deliveries` }).click()
    await page.getByRole('heading', { name: `Deliveries ${length}` }).waitFor()
  })

  inspector.once('the link to all deliveries of a customer in many groups is in view', async () => {
    const { server, accepting } = inspector.stage
    const { groups, participants, subscriptions } = server.service
    const target = { channel: 'WHATSAPP', number: '+15550100001', url: accepting.url } as const
    const { id } = await subscriptions.create('acme', target)
    onTestFinished(() => subscriptions.remove('acme', id))
    // The deliveries of the first 20 are counted.
    for (let count = 0; count < 21; count++) {
      const groupId = `many-${count}`
      await groups.create('acme', { groupId, wabaNumber: '+15550100001', subject: 'Team' })
      await participants.join('acme', { groupId, phone: '+15550188081' })
    }
    for (const width of [1280, 375]) {
      const { page, picture } = await inspector.open('customers?organization=acme&id=15550188081', {
        viewport: { width, height: 800 },
      })
      const link = page.getByRole('link', { name: 'All deliveries' })
      await link.waitFor()
      expect((await link.boundingBox())?.y).toBeLessThan(800)
      await picture(`${inspector.store}-customer-of-groups-${width}`)
    }
  })

  inspector.once('the title of a panel is shown in full at any width, and breaks between words', async () => {
    const { server, rejecting } = inspector.stage
    const { subscriptions, deliveries } = server.service
    const url = 'http://127.0.0.1:9/analytics/of_calls/webhooks'
    const { id } = await subscriptions.create('acme', { channel: 'PSTN', number: '+15550100002', url })
    onTestFinished(() => subscriptions.remove('acme', id))
    const callId = await inspector.simulate({})
    const find = async () => {
      const selection = { subject: `call:${callId}`, subscriptionId: rejecting.id }
      return (await deliveries.list('acme', selection)).items[0]
    }
    await expect.poll(async () => (await find())?.attempts).toBe(1)
    const { page, picture } = await inspector.open('')
    for (const path of [
      `subscriptions?organization=acme&id=${id}`,
      `deliveries?organization=acme&id=${(await find())?.id}`,
    ]) {
      await visit(page, inspector.getUrl(path))
      const title = page.locator('.detail .title')
      await page.locator('.detail .badge').first().waitFor()
      for (const width of [1440, 1280, 768, 375]) {
        await resize(page, { width, height: 800 })
        const broken = await title.evaluate((element) => {
          const parts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
          const found: string[] = []
          while (parts.nextNode()) {
            const range = document.createRange()
            range.selectNodeContents(parts.currentNode)
            if (range.getClientRects().length > 1) found.push(range.toString())
          }
          return found
        })
        expect(broken, `words of ${path} that are broken at ${width} px`).toEqual([])
        const cut = await title.evaluate(
          (element) =>
            element.scrollHeight - element.clientHeight + element.scrollWidth - element.clientWidth,
        )
        expect(cut, `the title of ${path} at ${width} px`).toBe(0)
        await picture(`${inspector.store}-title-${path.split('?')[0]}-${width}`)
      }
    }
  })

  inspector.once('a timeline shows every attempt at any width, and covers none', async () => {
    const callId = await inspector.simulate({})
    const { server, rejecting } = inspector.stage
    const { deliveries } = server.service
    const find = async () => {
      const selection = { subject: `call:${callId}`, subscriptionId: rejecting.id }
      return (await deliveries.list('acme', selection)).items[0]
    }
    // The schedule has ten attempts. On a busy machine, the second one may be due before it is asked for.
    const retry = async () => {
      const { id = '', attempts = 0, status, dueAt } = (await find()) ?? {}
      const isPaused = status === 'pending' && attempts > 0 && (dueAt ?? 0) > Date.now()
      if (isPaused && attempts < 9) await deliveries.retry('acme', id)
      return attempts
    }
    await expect.poll(retry).toBe(9)
    for (const width of [1280, 768, 375]) {
      const { page, picture } = await inspector.open(`calls?organization=acme&id=${callId}&delivery=none`, {
        viewport: { width, height: 900 },
      })
      await page.locator('.next').first().waitFor()
      const attempts = await page.locator('.try', { hasText: '401' }).allInnerTexts()
      expect(attempts).toEqual(Array.from({ length: 9 }, (_, index) => `#${index + 1}\n401`))
      const measureHidden = () =>
        page.locator('.lanes').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      await expect.poll(measureHidden, { message: `what ${width} px do not show` }).toBe(0)
      const overlapping = await page.locator('.lanes').evaluate((lanes) => {
        const boxes = [...lanes.querySelectorAll('.try, .next, .flag, .now, .now span')].map((element) => ({
          name: `${element.className || element.localName} ${element.textContent}`,
          box: element.getBoundingClientRect(),
        }))
        return boxes.flatMap(({ name, box }, index) =>
          boxes
            .slice(index + 1)
            .filter((other) => !(name.startsWith('now') && other.name.startsWith('span')))
            .filter(
              (other) =>
                box.left < other.box.right &&
                other.box.left < box.right &&
                box.top < other.box.bottom &&
                other.box.top < box.bottom,
            )
            .map((other) => `${name} and ${other.name}`),
        )
      })
      expect(overlapping, `at ${width} px`).toEqual([])
      await page.locator('.now span').scrollIntoViewIfNeeded()
      await picture(`${inspector.store}-timeline-${width}`)
    }
  })

  inspector.once('a timeline says how to see the attempts that a phone has no space for', async () => {
    const callId = await inspector.simulate({})
    const { deliveries } = inspector.stage.server.service
    const list = async () => (await deliveries.list('acme', { subject: `call:${callId}` })).items
    await expect.poll(async () => (await list()).some(({ attempts }) => attempts > 0)).toBe(true)
    const { page, picture } = await inspector.open('', { viewport: { width: 375, height: 800 } })
    const hint = page.getByText('Scroll sideways')
    for (const count of [11, 14]) {
      await page.route('**/timeline?**', async (route) => {
        const response = await route.fetch()
        const timeline = await response.json()
        const entries = timeline.entries.filter(({ kind }: { kind: string }) => kind !== 'next_attempt')
        const first = entries.find(({ kind }: { kind: string }) => kind === 'attempt')
        const others = Array.from({ length: count - 1 }, (_, index) => ({
          ...first,
          attempt: { ...first.attempt, number: index + 2, durationMs: 9 },
        }))
        for (const each of timeline.deliveries) if (each.id === first.deliveryId) each.attempts = count
        await route.fulfill({ response, json: { ...timeline, entries: [...entries, ...others] } })
      })
      await visit(page, inspector.getUrl('calls?organization=acme'))
      await visit(page, inspector.getUrl(`calls?organization=acme&id=${callId}&delivery=none`))
      const last = page.getByTitle(`Attempt ${count}:`)
      await last.waitFor()
      const readRight = () => last.evaluate((element) => element.getBoundingClientRect().right)
      const hints = count === 11 ? [] : [`Scroll sideways to see all ${count} attempts.`]
      await expect.poll(() => hint.allInnerTexts()).toEqual(hints)
      await page.locator('.timeline').evaluate((element) => element.scrollIntoView())
      await picture(`${inspector.store}-${count}-attempts-375`)
      if (count > 11) await last.scrollIntoViewIfNeeded()
      await expect.poll(readRight, { message: `${count} attempts` }).toBeLessThan(375)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  test('a resend that fails again says why', async () => {
    const { rejecting } = inspector.stage
    await inspector.simulate({ customerNumber: '+15550188080' })
    const { page, picture } = await inspector.open(`subscriptions?organization=acme&id=${rejecting.id}`)
    await page.getByRole('button', { name: 'Resend failed here…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Resend [1-9]\d*$/ }).click()
    const link = dialog.getByRole('link', { name: 'Open' })
    const place = await link.boundingBox()
    await dialog
      .getByText(/^\d+ resent: 0 delivered, [1-9]\d* failed\. The endpoint found no valid signature\.$/)
      .waitFor()
    expect(await link.boundingBox(), 'stays in place when the results arrive').toEqual(place)
    await picture(`${inspector.store}-resent-in-vain`)
  })

  test('a delivery that waits leads to the one that it waits for, and offers no resend', async () => {
    await createGroup(inspector.stage.server.url, { groupId: 'waits' })
    const { deliveries, subscriptions } = inspector.stage.server.service
    const { id } = await subscriptions.create('acme', {
      ...{ channel: 'WHATSAPP', number: '+15550100001', url: inspector.stage.rejecting.url, events: 'all' },
    })
    await createGroup(inspector.stage.server.url, { groupId: 'waits-2' })
    await control(inspector.stage.server, 'POST /organizations/acme/participants', {
      ...{ groupId: 'waits-2', phone: '+15550199001', state: 'joined' },
    })
    const findWaiting = async () =>
      (await deliveries.list('acme', { subscriptionId: id, statuses: ['waiting'] })).items[0]?.id
    await expect.poll(findWaiting).toBeDefined()
    const { page } = await inspector.open(`deliveries?organization=acme&id=${await findWaiting()}`)
    const detail = page.getByRole('article')
    await detail.getByText('Waits for GROUP_CREATED').waitFor()
    expect(await detail.getByRole('button', { name: 'Resend' }).count()).toBe(0)
    await detail.getByRole('link', { name: 'Open the delivery of GROUP_CREATED' }).click()
    await detail.getByRole('button', { name: 'Attempt now' }).waitFor()
    await visit(page, inspector.getUrl('groups?organization=acme&id=waits-2'))
    const lines = page.getByRole('list', { name: 'Arrived at' }).getByRole('listitem')
    await lines
      .filter({ hasText: /not delivered: GROUP_PARTICIPANT_JOINED waits for GROUP_CREATED, which got 401/ })
      .waitFor()
  })

  inspector.once('what could not be loaded can be loaded again', async () => {
    const { page } = await inspector.open('')
    let isDown = true
    await page.route('**/organizations/acme/events?**', (route) =>
      isDown ? route.fulfill({ status: 503, json: { message: 'The store is down.' } }) : route.continue(),
    )
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByText('The store is down.').waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.rows .row').first().waitFor()
    await page.getByText('The store is down.').waitFor({ state: 'detached' })
  })

  test('failing deliveries omit those that were never tried', async () => {
    const { server, rejecting } = inspector.stage
    await inspector.simulate({ outcome: 'missed' })
    await server.service.subscriptions.update('acme', rejecting.id, { maxAttemptsPerSecond: 0.01 })
    // The first attempt may start at once, and the next one after 100 seconds.
    await inspector.simulate({ outcome: 'missed' })
    await inspector.simulate({ outcome: 'missed', customerNumber: '+15550188001' })
    const { page } = await inspector.open('calls?organization=acme')
    await page.locator('.rows .row').first().waitFor()
    await pressAtOnce(page, 'g', 'f')
    await page.locator('.row', { hasText: '401' }).first().waitFor()
    expect(await page.locator('.row', { hasText: '+15550188001' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Last response' }).selectOption('any')
    await page.locator('.row', { hasText: '+15550188001' }).filter({ hasText: 'pending' }).waitFor()
    await server.service.subscriptions.update('acme', rejecting.id, { maxAttemptsPerSecond: null })
  })

  test('counts what matches by endpoint before it resends', async () => {
    await inspector.simulate({ customerNumber: '+15550188002' })
    const { page, picture } = await inspector.open(
      'deliveries?organization=acme&name=CALL_INCOMING_INITIATED',
    )
    await page.getByRole('button', { name: 'Resend all matching deliveries…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Resend \d+/ }).waitFor()
    const counts = await dialog.locator('table .number').allInnerTexts()
    expect(counts.length).toBe(2)
    const total = counts.reduce((sum, count) => sum + Number(count), 0)
    await dialog.getByRole('button', { name: `Resend ${total}` }).waitFor()
    await picture(`${inspector.store}-resend-by-endpoint`)
  })

  inspector.once('says what has become of all that were resent, until none is pending', async () => {
    const { accepting, server } = inspector.stage
    const { deliveries, subscriptions } = server.service
    const target = { channel: 'PSTN', number: '+15550100002', url: accepting.url } as const
    const { id } = await subscriptions.create('acme', { ...target, events: ['CALL_INCOMING_INITIATED'] })
    onTestFinished(() => subscriptions.remove('acme', id))
    for (let calls = 0; calls < 3; calls++) await inspector.simulate({ outcome: 'missed' })
    const countDelivered = async () =>
      (await deliveries.list('acme', { subscriptionId: id, statuses: ['delivered'] })).items.length
    await expect.poll(countDelivered).toBe(3)
    await subscriptions.update('acme', id, { maxAttemptsPerSecond: 0.01 })
    const { page } = await inspector.open(`deliveries?organization=acme&subscription=${id}&status=delivered`)
    await page.getByRole('button', { name: 'Resend all matching deliveries…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Resend 3' }).click()
    await dialog
      .getByText(/^3 resent: (?:0 delivered, 0 failed, 3|1 delivered, 0 failed, 2) pending\.$/)
      .waitFor()
    await subscriptions.update('acme', id, { maxAttemptsPerSecond: null })
    await dialog.getByText('3 resent: 3 delivered, 0 failed.', { exact: true }).waitFor()
  })

  inspector.once('offers to resend what failed at the times that are shown', async () => {
    await inspector.simulate({ customerNumber: '+15550188003' })
    const { page, picture } = await inspector.open('deliveries?organization=acme')
    const dialog = page.getByRole('dialog', { name: /^Resend/ })
    const open = (scope = 'to all endpoints') =>
      page.getByRole('button', { name: `Resend failed ${scope}…` }).click()
    const period = dialog.getByRole('group', { name: 'Events of' })
    const readPeriod = () => period.locator('[aria-pressed=true]').innerText()
    const close = async () => {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await open()
    await page.getByRole('heading', { name: 'Resend to all endpoints' }).waitFor()
    await dialog.getByLabel(/^Failed or skipped deliveries: [1-9]/).waitFor()
    expect(await readPeriod()).toBe('any time')
    // It warns, but does not prevent the resend.
    await dialog
      .getByText(
        /^127\.0\.0\.1:\d+\/webhooks still fails: got 401 at \d\d:\d\d:\d\d\. Fix this first: what to do/,
      )
      .first()
      .waitFor()
    const resend = dialog.getByRole('button', { name: /^Resend [1-9]/, disabled: false })
    await resend.waitFor()
    expect(await resend.getAttribute('class')).not.toContain('primary')
    await dialog
      .getByRole('button', { name: /^what to do/ })
      .first()
      .click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('article').getByText('What to do', { exact: true }).waitFor()
    await page.goBack()
    await open()
    await period.getByRole('button', { name: 'the last hour' }).click()
    await dialog.getByLabel(/^Failed or skipped deliveries: [1-9]/).waitFor()
    await picture(`${inspector.store}-resend-still-failing`)
    await close()
    // An hour that is over, in which nothing failed.
    await visit(
      page,
      inspector.getUrl('deliveries?organization=acme&from=2026-01-01T10:00:00Z&before=2026-01-01T11:00:00Z'),
    )
    await open()
    expect(await readPeriod()).toBe('the range shown')
    await expect.poll(() => dialog.locator('.facts time').count()).toBe(2)
    await dialog.getByLabel('Failed or skipped deliveries: 0', { exact: true }).waitFor()
    await close()
    const { accepting } = inspector.stage
    await visit(page, inspector.getUrl(`subscriptions?organization=acme&id=${accepting.id}&window=day`))
    await open('here')
    await page.getByRole('heading', { name: `Resend to ${accepting.url.replace('http://', '')}` }).waitFor()
    expect(await readPeriod()).toBe('the last day')
    expect(await dialog.getByText('still fails').count()).toBe(0)
    await dialog.getByLabel('Also the delivered ones', { exact: true }).check()
    await dialog.getByLabel(/^Also the delivered ones: [1-9]/).waitFor()
    await close()

    // A count ends once its result is not needed.
    const path = '**/deliveries/resend'
    const untilCounting = () => page.waitForRequest(path)
    const untilEnded = () =>
      page.waitForEvent('requestfailed', (request) => request.url().endsWith('/deliveries/resend'))
    await page.route(path, () => {})
    await Promise.all([untilCounting(), open('here')])
    const anyTime = period.getByRole('button', { name: 'any time' })
    await Promise.all([untilEnded(), untilCounting(), anyTime.click()])
    expect(await readPeriod()).toBe('any time')
    await Promise.all([untilEnded(), close()])
    await page.unroute(path)

    // On phones, neither needs the filters to be open.
    await resize(page, { width: 375, height: 800 })
    await picture(`${inspector.store}-endpoint-375`)
    const readRight = () =>
      page
        .getByRole('button', { name: 'More actions' })
        .evaluate((menu) => menu.getBoundingClientRect().right)
    await expect.poll(readRight, { message: 'the buttons in one line' }).toBeLessThanOrEqual(375 - 8)
    await visit(page, inspector.getUrl('deliveries?organization=acme'))
    await picture(`${inspector.store}-deliveries-resend-375`)
    await open()
    await dialog.getByLabel(/^Failed or skipped deliveries: [1-9]/).waitFor()
    await picture(`${inspector.store}-resend-failed-375`)
    await close()
    await visit(page, inspector.getUrl('deliveries?organization=acme&response=400,401,403'))
    await page.getByRole('button', { name: 'Resend all matching deliveries…' }).click()
    await dialog.getByText('400, 401 or 403').waitFor()
  })

  inspector.once('an open row names its customer and its endpoint', async () => {
    await inspector.simulate({})
    const { page } = await inspector.open('deliveries?organization=acme')
    const row = page.locator('.row', { hasText: /\+\d{11}/ }).first()
    const customer = await row.locator('a').first().innerText()
    // Another delivery may be the first one by now.
    await page.locator('.row', { hasText: customer }).locator('.badge').first().click()
    await page.getByRole('article').waitFor()
    const opened = page.locator('.row[aria-selected=true]')
    expect(await opened.innerText()).toMatch(/→\s127\.0\.0\.1:\d+/)
    expect(await opened.innerText()).toContain(customer)
  })

  inspector.once('a row that is opened stays where it was, and returns there, in every list', async () => {
    await inspector.simulate({})
    const { server, accepting } = inspector.stage
    for (const name of ['first', 'second', 'third']) {
      await control(server, 'POST /organizations/acme/api-keys', { label: name })
      const { subscriptions } = server.service
      const target = { channel: 'PSTN', number: '+15550100002', events: ['CALL_MISSED'] } as const
      const { id } = await subscriptions.create('acme', { ...target, url: `${accepting.url}/${name}` })
      onTestFinished(() => subscriptions.remove('acme', id))
      await createGroup(server.url, { groupId: `asked-${name}` })
    }
    const { page } = await inspector.open('', { viewport: { width: 1280, height: 800 } })
    for (const view of ['deliveries', 'events', 'subscriptions', 'requests', 'api-keys']) {
      await visit(page, inspector.getUrl(`${view}?organization=acme`))
      const row = page.locator('.rows .row').nth(2)
      await row.hover()
      const place = await row.boundingBox()
      await row.click({ position: { x: 4, y: 10 } })
      await page.getByRole('article').waitFor()
      const readTop = async () => (await page.locator('.row[aria-selected=true]').boundingBox())?.y
      await expect.poll(readTop, { message: view }).toBe(place?.y)
      await page.getByRole('button', { name: 'Back to the list' }).click()
      await page.getByRole('article').waitFor({ state: 'detached' })
      await expect.poll(readTop, { message: `${view}, closed` }).toBe(place?.y)
    }
  })

  inspector.once('an attempt opens beside the timeline, in view, at 768 and 1280 px', async () => {
    const callId = await inspector.simulate({})
    const { page, problems } = await inspector.open(`calls?organization=acme&id=${callId}`)
    for (const width of [768, 1280]) {
      await resize(page, { width, height: 800 })
      await page.locator('.try').first().click()
      const delivery = page.getByRole('region', { name: 'Selected delivery' })
      await delivery.getByRole('tab', { name: 'Response' }).waitFor()
      const readBox = () => delivery.evaluate((element) => element.getBoundingClientRect().toJSON())
      await expect.poll(async () => (await readBox()).top, { message: `at ${width} px` }).toBeLessThan(500)
      await expect
        .poll(async () => (await readBox()).bottom, { message: `at ${width} px` })
        .toBeLessThanOrEqual(801)
      // Its title and its actions stay in view.
      await resize(page, { width, height: 400 })
      const readHeader = () =>
        delivery.evaluate((element) => {
          element.scrollTo(0, element.scrollHeight)
          const header = element.querySelector('header')?.getBoundingClientRect()
          const isInView = (header?.top ?? -1) >= element.getBoundingClientRect().top
          return { isScrolled: element.scrollTop > 0, isInView }
        })
      await expect
        .poll(readHeader, { message: `at ${width} px` })
        .toEqual({ isScrolled: true, isInView: true })
      await delivery.getByRole('button', { name: 'Close the delivery' }).click()
      await delivery.waitFor({ state: 'detached' })
    }
    expect(problems).toEqual([])
  })

  inspector.once('nothing is cut beside an open delivery', async () => {
    const { server, accepting } = inspector.stage
    const { subscriptions, participants } = server.service
    const whatsApp = { channel: 'WHATSAPP', number: '+15550100001', url: accepting.url } as const
    const { id } = await subscriptions.create('acme', whatsApp)
    onTestFinished(() => subscriptions.remove('acme', id))
    await createGroup(server.url, { groupId: 'long-names' })
    await participants.join('acme', { groupId: 'long-names', phone: '+15550194100' })
    const { page } = await inspector.open('groups?organization=acme&id=long-names')
    await resize(page, { width: 1280, height: 900 })
    await page.locator('.try').last().click()
    await page.getByRole('heading', { name: 'GROUP_PARTICIPANT_JOINED' }).waitFor()
    const parts = page.locator('.lane-label .name, .selected-delivery > header')
    await expect.poll(() => parts.count()).toBeGreaterThanOrEqual(3)
    const findCut = () =>
      parts.evaluateAll((all) => all.filter((part) => part.scrollWidth > part.clientWidth).length)
    await expect.poll(findCut).toBe(0)
  })

  inspector.once('every view has one heading of the first level', async () => {
    const callId = await inspector.simulate({})
    const { page } = await inspector.open('')
    const paths = [
      '',
      'deliveries',
      `calls?id=${callId}`,
      'customers',
      'api-keys',
      'events?organization=none',
    ]
    for (const path of paths) {
      await visit(page, inspector.getUrl(path))
      await page.locator('h1').waitFor()
      await expect.poll(() => page.locator('h1:visible').count(), { message: path }).toBe(1)
    }
  })

  inspector.once('the first Tab reaches a button that skips to the content', async () => {
    const { page } = await inspector.load('deliveries?organization=acme')
    await page.locator('.rows .row').first().waitFor()
    await page.keyboard.press('Tab')
    const skip = page.getByRole('button', { name: 'Skip to the content' })
    expect(await skip.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  })

  inspector.once('shows every fact of a record', async () => {
    const { server, accepting } = inspector.stage
    const { service } = server
    const description = 'Chairs for Ada'
    await createGroup(server.url, { groupId: 'facts', description })
    const numbers = { customerNumber: '+15550177001', agentNumber: '+15550177002' }
    const callId = await inspector.simulate({ ...numbers, direction: 'OUTGOING', durationInSeconds: 90 })
    const findDelivery = async () => {
      const filter = {
        subject: `call:${callId}`,
        subscriptionId: accepting.id,
        statuses: ['delivered' as const],
      }
      return (await service.deliveries.list('acme', filter)).items[0]
    }
    await expect.poll(findDelivery).toBeDefined()
    const { id = '', eventId = '' } = (await findDelivery()) ?? {}
    const subscription = await service.subscriptions.create('acme', {
      channel: 'PSTN',
      number: '+15550100002',
      url: 'http://127.0.0.1:1/facts',
      events: ['CALL_MISSED', 'CALL_ENDED'],
      headers: { 'x-token': 'a', 'x-team': 'b' },
      maxAttemptsPerSecond: 2,
    })
    await service.subscriptions.rotateSecret('acme', subscription.id)
    await service.subscriptions.update('acme', subscription.id, { enabled: false })
    const { body: requests } = await control(server, 'GET /requests?group=facts')
    const [{ requestId }] = requests.items
    const { body: key } = await control(server, 'POST /organizations/acme/api-keys', {
      label: 'facts',
      wabaNumbers: ['+15550100001'],
    })

    const time = expect.stringMatching(/\d\d:\d\d:\d\d/)
    const records = [
      [
        'calls',
        callId,
        {
          Customer: numbers.customerNumber,
          Number: '+15550100002',
          Agent: numbers.agentNumber,
          Kind: 'outgoing · PSTN',
          Duration: '1\u00a0m\u00a030\u00a0s',
        },
      ],
      [
        'groups',
        'facts',
        {
          'Group id': 'facts',
          Number: '+15550100001',
          Joining: 'auto approve',
          Description: description,
          'Invite link': expect.stringMatching(/^https:/),
          Created: time,
        },
      ],
      ['events', eventId, { About: numbers.customerNumber, Occurred: time, Channel: 'PSTN', Id: eventId }],
      [
        'deliveries',
        id,
        {
          Status: expect.stringMatching(/^delivered: /),
          Endpoint: accepting.url,
          About: numbers.customerNumber,
          Event: eventId,
          'webhook-id': 'same as the event id',
          Finished: time,
        },
      ],
      [
        'subscriptions',
        subscription.id,
        {
          URL: 'http://127.0.0.1:1/facts',
          Number: '+15550100002 · PSTN',
          Events: 'CALL_MISSED, CALL_ENDED',
          'Static headers': 'x-team, x-token',
          'Attempts per second': 'at most 2',
          Disabled: expect.any(String),
          'Old secret': expect.stringMatching(/^also signs until .*\d\d:\d\d:\d\d/),
          Id: subscription.id,
        },
      ],
      [
        'requests',
        requestId,
        {
          At: time,
          Took: expect.stringMatching(/^[\d.]+\sm?s$/),
          'API key': expect.any(String),
          From: '127.0.0.1',
          'User agent': 'node',
          Group: 'facts',
          'Request id': requestId,
        },
      ],
      [
        'api-keys',
        key.id,
        {
          'WhatsApp numbers': key.wabaNumbers.join(', '),
          'Last request': 'not among the last 10,000 requests',
          Requests: 'its requests',
          Fingerprint: key.fingerprint,
          Created: time,
          Id: key.id,
        },
      ],
    ] as const
    const { page, problems } = await inspector.open('')
    for (const [view, record, facts] of records) {
      await visit(page, inspector.getUrl(`${view}?organization=acme&id=${record}`))
      const list = page.locator('article .facts').first()
      await list.waitFor()
      const read = () =>
        list.evaluate((shown) =>
          Object.fromEntries(
            [...shown.querySelectorAll('div')].map((fact) => [
              fact.querySelector('dt')?.innerText,
              fact.querySelector('dd')?.innerText.trim(),
            ]),
          ),
        )
      await expect.poll(read, { message: view }).toEqual(facts)
    }
    expect(problems).toEqual([])
  })
})
