import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup } from '../fixture.ts'
import { resize, visit } from './browser.ts'
import { onOneStore } from './each-store.ts'

onOneStore('finding with the inspector', (inspector) => {
  const customerNumber = inspector.store === 'SQLite' ? '+15550177001' : '+15550177002'

  test('answers a customer who misses a summary: find the number, see why, resend it', async () => {
    const callId = await inspector.simulate({ customerNumber })
    await inspector.simulate({ customerNumber, outcome: 'missed' })
    const { server, accepting } = inspector.stage
    const whatsApp = { channel: 'WHATSAPP', number: '+15550100001', url: accepting.url } as const
    const { id } = await server.service.subscriptions.create('acme', whatsApp)
    onTestFinished(() => server.service.subscriptions.remove('acme', id))
    for (const groupId of ['first', 'second'].map((name) => `${name}-group-of-${inspector.store}`)) {
      await createGroup(server.url, { groupId })
      await server.service.participants.join('acme', { groupId, phone: customerNumber })
    }
    const unfinished = { subscriptionId: id, statuses: ['pending', 'attempting', 'waiting'] } as const
    const countUnfinished = async () =>
      (await server.service.deliveries.list('acme', unfinished)).items.length
    await expect.poll(countUnfinished).toBe(0)
    const { page, problems, picture } = await inspector.open('events?organization=acme')
    await page.locator('.rows .row').first().waitFor()

    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog')
    const { y: top } = (await dialog.boundingBox()) ?? {}
    await dialog.getByRole('combobox').fill(customerNumber)
    // The customer comes first, however the number is written.
    for (const dialed of ['+1 (555) 017-700', '001 555 017 700', '155501770'].map(
      (text) => text + customerNumber.slice(`+${text.replace(/\D/g, '').replace(/^0+/, '')}`.length),
    )) {
      await dialog.getByRole('combobox').fill(dialed)
      const first = dialog.getByRole('option').first()
      await first.getByText(customerNumber, { exact: true }).waitFor()
      expect(await first.innerText(), dialed).toMatch(/^customer\s.*\scalls with their summaries/s)
    }
    await picture(`${inspector.store}-find`)
    expect((await dialog.boundingBox())?.y, 'the dialog stays where it is while the user types').toBe(top)
    await dialog
      .getByRole('option', { name: /^customer/ })
      .first()
      .click()

    await page.getByRole('heading', { name: `Customer ${customerNumber}` }).waitFor()
    const calls = page.getByRole('region', { name: 'Calls' })
    await calls.getByRole('article').nth(1).waitFor()
    expect(await calls.getByText('No summary.').count()).toBe(1)
    await calls.getByRole('group', { name: 'Summary of the call' }).waitFor()
    await page.getByRole('region', { name: 'Deliveries' }).getByText('CALL_AI_SUMMARY').waitFor()
    const cards = page.getByRole('region', { name: 'Groups' }).getByRole('article')
    await cards.nth(1).getByText('delivered at').waitFor()
    for (const width of [375, 1440]) {
      await resize(page, { width, height: 900 })
      const boxes = await cards.evaluateAll((all) =>
        all.flatMap((card) => [...card.children].map((line) => line.getBoundingClientRect().toJSON())),
      )
      const overlapping = boxes.filter(({ top }, index) => top < (boxes[index - 1]?.bottom ?? 0))
      expect(overlapping, `lines of groups that overlap at ${width} px`).toEqual([])
    }
    await picture(`${inspector.store}-customer`)
    await calls.getByRole('link', { name: 'See why' }).click()
    await page.getByText('No summary: the call was missed.').waitFor()

    // Without a text, what was opened last comes first, then the commands.
    await page.keyboard.press('Control+K')
    await dialog.getByRole('option').nth(1).waitFor()
    expect(await dialog.getByRole('option').first().innerText()).toContain(customerNumber)
    expect(await dialog.getByRole('option').nth(1).innerText()).toContain('Overview')
    await dialog.getByRole('combobox').fill('delive')
    await expect.poll(() => dialog.getByRole('option', { name: /^view/ }).count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    // Enter also works before there is a result.
    const pressed = Promise.withResolvers<void>()
    await page.route('**/search?**', async (route) => {
      await pressed.promise
      await route.continue()
    })
    await dialog.getByRole('combobox').fill(callId)
    await page.keyboard.press('Enter')
    pressed.resolve()
    await page.getByRole('heading', { name: `Call ${callId}` }).waitFor()
    // Another organization has other records.
    await visit(page, inspector.getUrl('events?organization=empty'))
    await page.keyboard.press('Control+k')
    expect(await dialog.getByRole('option').first().innerText()).toContain('Overview')
    expect(problems).toEqual([])
  })

  inspector.once('names the keys that open the search as the keyboard does', async () => {
    const { page } = await inspector.load('events?organization=empty')
    const button = page.getByRole('button', { name: 'Find' })
    for (const [platform, keys] of [
      ['Linux x86_64', 'Ctrl K'],
      ['MacIntel', '⌘K'],
    ]) {
      await page.addInitScript(
        `Object.defineProperty(navigator, 'platform', { value: '${platform}', configurable: true })`,
      )
      await page.reload()
      await button.getByText(`${keys}`, { exact: true }).waitFor()
    }
  })

  test('erases a customer only after counting what that deletes', async () => {
    const { server } = inspector.stage
    const number = `${customerNumber.slice(0, -1)}9`
    const callId = await inspector.simulate({ customerNumber: number })
    const { page, problems, picture } = await inspector.open('calls?organization=acme')
    const palette = page.getByRole('dialog', { name: 'Find anything' })
    await page.getByRole('button', { name: 'Find' }).click()
    await palette.getByRole('combobox').fill(number)
    await palette
      .getByRole('option', { name: /^customer/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Erase' }).click()
    const dialog = page.getByRole('dialog', { name: `Erase ${number}` })
    await expect.poll(() => dialog.locator('.facts').innerText()).toMatch(/Calls, with their summaries\s+1/)
    expect(await server.service.calls.find('acme', callId)).toBeDefined()
    await picture(`${inspector.store}-erase`)

    await dialog.getByRole('button', { name: 'Erase' }).click()
    await page.getByText('Erased.').waitFor()
    expect(await server.service.calls.find('acme', callId)).toBeUndefined()
    await page.keyboard.press('Control+k')
    await palette.getByRole('option').first().waitFor()
    expect(await palette.innerText()).not.toContain(number)
    expect(problems).toEqual([])
  })

  test('shows the members of a group, and finds groups by a member', async () => {
    const { server } = inspector.stage
    const groupId = `members-${inspector.store}`
    const refusing = {
      channel: 'WHATSAPP',
      number: '+15550100001',
      url: 'http://127.0.0.1:9/hooks',
      events: 'all',
    }
    const { body: subscription } = await control(server, 'POST /organizations/acme/subscriptions', refusing)
    await createGroup(server.url, { groupId, subject: 'Members' })
    const phones = Array.from({ length: 120 }, (_, index) => `+1555016${1000 + index}`)
    for (const phone of phones) {
      await control(server, 'POST /organizations/acme/participants', { groupId, phone, state: 'joined' })
    }
    await control(server, 'POST /organizations/acme/participants', {
      groupId,
      phone: phones[3],
      state: 'left',
    })
    const { page, problems, picture } = await inspector.open(`groups?organization=acme&id=${groupId}`)
    await page.getByText('Members (100 or more)').click()
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('Members (120)').waitFor()
    const left = page.locator('.members tr', { hasText: phones[3] ?? '' })
    expect(await left.innerText()).toMatch(/left\s+.*\d\d:\d\d/)
    await page.getByText('Members (120)').click()
    // The timeline does not grow with the number of members.
    await page.getByRole('link', { name: /^\d+ more$/ }).waitFor()
    const height = await page.locator('.timeline').evaluate((timeline) => timeline.clientHeight)
    expect(height).toBeLessThan(1_500)
    // Of all deliveries to the endpoint, one fails. The others wait for it.
    const lane = page.getByRole('region', { name: 'Endpoint http://127.0.0.1:9/hooks' })
    await lane.getByText('122 deliveries, 1 with a problem').waitFor()
    await lane.getByText('GROUP_CREATED', { exact: true }).waitFor()
    await picture(`${inspector.store}-members`)
    await resize(page, { width: 375, height: 800 })
    const { x, width } = (await lane.getByRole('button', { name: 'Show all' }).boundingBox()) ?? {}
    expect(Number(x) + Number(width)).toBeLessThan(375)
    await control(server, `DELETE /organizations/acme/subscriptions/${subscription.id}`)

    await visit(page, inspector.getUrl(`groups?organization=acme&participant=%2B${phones[7]?.slice(1)}`))
    await page.locator('.row', { hasText: groupId }).waitFor()
    expect(await page.locator('.rows .row').count()).toBe(1)
    expect(problems).toEqual([])
  })

  test('lists API requests with who sent them and why they were refused, and shows the bodies', async () => {
    const { server } = inspector.stage
    const wrong = { authorization: 'not-a-valid-key-at-all', 'user-agent': 'crm/7' }
    await createGroup(server.url, {}, wrong)
    await createGroup(server.url, { groupId: 'to-find', subject: 'A subject to find' })
    await createGroup(server.url, {}, { authorization: '' })
    await createGroup(server.url, { groupId: 'to-find', subject: 'Another' })
    const { page, problems, picture } = await inspector.open('requests?organization=acme', {
      viewport: { width: 1280, height: 800 },
    })
    const row = (text: RegExp) => page.locator('.rows .row', { hasText: text }).first()
    for (const width of [1280, 375]) {
      await resize(page, { width, height: 800 })
      for (const cause of [/wrong key [0-9a-f]{8}/, /no key/, /group_id_conflict/]) {
        const text = () => row(cause).innerText()
        await expect.poll(text).toMatch(/\/whatsapp\/wa-group\/create.*127\.0\.0\.1/s)
      }
      await picture(`${inspector.store}-requests-${width}`)
      const cut = await page
        .locator('html, .table, .rows .row:has-text("401") > *')
        .evaluateAll((all) =>
          all.filter((each) => each.scrollWidth > each.clientWidth).map(({ textContent }) => textContent),
        )
      expect(cut, `cut at ${width} px`).toEqual([])
    }
    await resize(page, { width: 1440, height: 900 })
    await row(/^200/).locator('.open').click()
    await page.getByRole('region', { name: 'Request body' }).getByText('A subject to find').waitFor()
    await page.getByRole('region', { name: 'Response body' }).waitFor()
    await picture(`${inspector.store}-request`)
    await visit(page, inspector.getUrl('requests?organization=acme&unidentified=only'))
    await row(/crm\/7/)
      .locator('.open')
      .click()
    await page
      .getByText(/^no key has the fingerprint [0-9a-f]{8}: send one that is valid, or create one$/)
      .waitFor()
    expect(await page.locator('.rows .row', { hasText: /^200/ }).count()).toBe(0)
    expect(problems).toEqual([])
  })

  inspector.once(
    'offers to create a key if a request without a valid one was sent before there is any',
    async () => {
      await createGroup(inspector.stage.server.url, {}, { authorization: 'not-a-valid-key-either' })
      const { page, problems } = await inspector.open('requests?organization=empty')
      await page.locator('.rows .row', { hasText: 'wrong key' }).first().locator('.open').click()
      const why = page.getByRole('article', { name: 'API request' })
      await why.getByText(/^there is no key yet: create one$/).waitFor()
      await why.getByRole('button', { name: 'create one' }).click()
      await page
        .getByRole('dialog', { name: 'Create an API key' })
        .getByRole('button', { name: 'Create' })
        .click()
      const created = page.getByRole('dialog', { name: 'API key created' })
      await created.getByRole('button', { name: 'Copy the API key' }).click()
      await created.getByRole('button', { name: 'Done' }).click()
      await why.getByText(/^no key has the fingerprint/).waitFor()
      expect(problems).toEqual([])
    },
  )
})
