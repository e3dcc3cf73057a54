import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { control, createGroup, start } from '../fixture.ts'
import { hasChromium, openPage, pressAtOnce, resize, visit } from './browser.ts'
import { onSqlite } from './each-store.ts'

const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>'

onSqlite('the inspector', (inspector) => {
  const { store, open, simulate } = inspector

  test('explains what to do while there is nothing to show', async () => {
    const { page, problems, picture } = await open('events?organization=empty')
    for (const view of ['Deliveries', 'Calls', 'Groups', 'Subscriptions', 'API requests', 'Events']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.locator('h1', { hasText: view }).waitFor()
      await page.locator('.commands code').nth(1).waitFor()
      for (const command of await page.locator('.commands code').allInnerTexts()) {
        expect(command, view).toContain(new URL(page.url()).origin)
      }
      expect(await page.getByRole('search').count(), `filters of ${view}`).toBe(0)
    }
    await picture(`${store}-empty`)
    expect(problems).toEqual([])
  })

  test('shows why an endpoint rejects a webhook, and resends it, using only the page', async () => {
    await simulate({ outcome: 'missed', callId: `first-${store}` })
    const { page, problems, picture } = await open('deliveries')
    await page.locator('.rows .row').first().waitFor()

    await pressAtOnce(page, 'g', 'f')
    await page.locator('.badge', { hasText: 'pending' }).first().waitFor()
    await picture(`${store}-walk-1-failing`)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText('The endpoint found no valid signature.').first().waitFor()
    await picture(`${store}-walk-2-why`)
    // A second attempt fails immediately, and the next is minutes away, so that only the key can resend it.
    const { deliveries } = inspector.stage.server.service
    const findRejected = async () => {
      const { items } = await deliveries.list('acme', { subscriptionId: inspector.stage.rejecting.id })
      return items[0]
    }
    await deliveries.retry('acme', (await findRejected())?.id ?? '')
    await expect.poll(async () => (await findRejected())?.failures).toBe(2)
    await page.getByRole('link', { name: 'Open the subscription' }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    await page.getByText('The current secret also signs until').waitFor()
    await picture(`${store}-walk-3-question`)
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    const secret = page.getByRole('region', { name: 'New secret' })
    await secret.waitFor()
    expect(await page.locator('body').innerText()).not.toContain('whsec_')
    await secret.getByRole('button', { name: 'Show' }).click()
    const shown = await secret.locator('code').innerText()
    await picture(`${store}-walk-3-secret`)
    await secret.getByRole('button', { name: 'Copy the secret' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await pressAtOnce(page, 'g', 'f')
    await page.locator('.row .badge', { hasText: 'pending' }).first().waitFor()
    inspector.stage.setSecret(shown)
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await page.getByText('Resent.').waitFor()
    await visit(page, inspector.getUrl(`calls?organization=acme&id=first-${store}`))
    await page.locator('.try.good', { hasText: '200' }).nth(1).waitFor()
    await picture(`${store}-walk-4-delivered`)

    expect(problems).toEqual([])
  })

  test('shows an attempt in full, and two side by side', async () => {
    const { page, problems } = await open(
      `deliveries?organization=acme&text=first-${store}&subscription=${inspector.stage.rejecting.id}`,
    )
    await page.locator('.rows .row').first().click()
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByText('webhook-signature').waitFor()
    await page.getByText('"CALL_INCOMING_INITIATED"').waitFor()
    await page.getByRole('button', { name: 'Raw' }).click()
    await page.getByText('{"event":"CALL_INCOMING_INITIATED"').waitFor()
    await page.getByRole('tab', { name: 'Signature' }).click()
    await page.getByText('HMAC-SHA256').waitFor()
    await page.getByText('verifies now').waitFor()
    await page.getByText('Identical to the original request').waitFor()
    await page.getByRole('button', { name: /^#1/ }).click()
    await page.getByText('secret replaced').waitFor()
    await page.getByRole('tab', { name: 'Compare' }).click()
    await page.locator('.compare .differs', { hasText: 'Status' }).waitFor()
    await resize(page, { width: 375, height: 800 })
    const lines = await page.getByRole('rowheader', { name: 'Response' }).evaluate((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getClientRects().length
    })
    expect(lines, 'lines of a heading').toBe(1)
    expect(problems).toEqual([])
  })

  test('draws the timeline of a call, with attempts, lanes and the reasons for waiting', async () => {
    const callId = await simulate({ summary: { after: '1h' } })
    const { page, problems, picture } = await open(`calls?organization=acme&id=${callId}`)
    await page.locator('.try.good').nth(2).waitFor()
    expect(await page.locator('.flag').allInnerTexts()).toContain('CALL_ENDED')
    expect(await page.locator('.now').count()).toBe(1)
    await page.getByRole('button', { name: 'Elapsed' }).click()
    await page.locator('.tick', { hasText: '+0 ms' }).waitFor()
    const width = await page.locator('.lane-rows').evaluate(({ clientWidth }) => clientWidth)
    const zoomIn = page.getByRole('button', { name: 'Zoom in' })
    const place = await zoomIn.boundingBox()
    await zoomIn.click()
    await expect
      .poll(() => page.locator('.lane-rows').evaluate(({ clientWidth }) => clientWidth))
      .toBeGreaterThan(width)
    expect(await zoomIn.boundingBox(), 'stays under the pointer').toEqual(place)
    await page.getByRole('button', { name: 'Fit' }).click()
    await picture(`${store}-timeline`)
    expect(problems).toEqual([])
  })

  test('exports a timeline as a page without scripts', async () => {
    const { page } = await open(`calls?organization=acme&id=first-${store}`)
    await page.locator('.try').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as HTML file' }).click()
    const html = await readFile(await (await download).path(), 'utf8')
    expect(html.includes('<script')).toBe(false)
    expect(html.includes('CALL_INCOMING_INITIATED')).toBe(true)
  })

  test('keeps filters in the URL, updates lists live, and can be paused', async () => {
    const { page, problems } = await open('events?organization=acme')
    await page.getByRole('combobox', { name: 'Event' }).selectOption('CALL_OUTGOING_INITIATED')
    await page.getByText('No matches').waitFor()
    expect(page.url()).toContain('name=CALL_OUTGOING_INITIATED')
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await simulate({ direction: 'OUTGOING', outcome: 'missed' })
    await page.locator('.rows .row').first().waitFor()
    await page.keyboard.press('p')
    await simulate({ direction: 'OUTGOING', outcome: 'missed' })
    await page.getByText('1 new', { exact: true }).waitFor()
    await page.getByText('Paused', { exact: true }).waitFor()
    expect(await page.locator('.rows .row').count()).toBe(1)
    await page.keyboard.press('p')
    await page.locator('.rows .row').nth(1).waitFor()
    await page.keyboard.press('/')
    // A user who pauses after a space continues typing after it.
    await page.keyboard.type('no such ')
    await expect.poll(() => page.url()).toMatch(/text=no\+such$/)
    await page.keyboard.type('text')
    await expect.poll(() => page.url()).toMatch(/text=no\+such\+text$/)
    await page.getByText('No matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect.poll(() => page.url()).toMatch(/events\?organization=acme$/)
    // Back undoes one filter after the other.
    for (const url of [
      /text=no\+such\+text$/,
      /name=CALL_OUTGOING_INITIATED$/,
      /events\?organization=acme$/,
    ]) {
      await page.goBack()
      await expect.poll(() => page.url()).toMatch(url)
    }
    await expect.poll(() => page.getByRole('combobox', { name: 'Event' }).inputValue()).toBe('')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv.split('\r\n')[0]).toBe('id,name,subject,channel,occurredAt,payload')
    expect(csv).toContain('CALL_OUTGOING_INITIATED')
    expect(problems).toEqual([])
  })

  test('indicates that it is searching while it examines older records', async () => {
    const { page } = await open('events?organization=acme')
    const older = Promise.withResolvers<void>()
    // The server's response when the newest 20,000 events do not match.
    await page.route(/\/events\?.*text=rarest/, async (route) => {
      if (!route.request().url().includes('cursor'))
        return route.fulfill({ json: { items: [], nextCursor: '1' } })
      await older.promise
      return route.continue()
    })
    await page.getByRole('searchbox').fill('rarest')
    await page.getByText('Searching older records… 0 found so far').waitFor()
    expect(await page.getByText('No matches').count()).toBe(0)
    older.resolve()
    await page.getByText('No matches').waitFor()
    expect(await page.getByText('Searching older records').count()).toBe(0)
  })

  test('sends test events and edited ones, disables, enables, and plays calls, steps and faults', async () => {
    const { page, problems } = await open(
      `subscriptions?organization=acme&id=${inspector.stage.accepting.id}`,
    )
    for (const name of ['Disable', 'Enable']) {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
      if (name === 'Disable') {
        const dialog = page.getByRole('dialog')
        await dialog.getByText(/deliver(?:y is|ies are) unfinished\./).waitFor()
        await dialog.getByRole('button', { name: 'Disable' }).click()
      }
      await page.getByText(`${name}d.`).waitFor()
      // The list row and the menu are updated immediately, without an event.
      const row = page.locator('.row[aria-selected=true]')
      await row.locator('.badge', { hasText: name === 'Disable' ? 'disabled' : 'untried' }).waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page
        .getByRole('menuitem', { name: name === 'Disable' ? 'Enable' : 'Disable', exact: true })
        .waitFor()
      await page.keyboard.press('Escape')
    }
    await page.keyboard.press('n')
    await page.getByLabel('outcome').selectOption('rejected')
    await page.getByRole('button', { name: 'Simulate the call' }).click()
    await page.locator('h2 .badge', { hasText: 'rejected' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByRole('button', { name: 'Fault' }).click()
    await page.locator('#field-endpoint').selectOption('groups.create')
    await page.locator('#field-status').fill('503')
    await page.getByRole('button', { name: 'Inject the fault' }).click()
    await page.getByText('The next requests to this endpoint will fail').waitFor()
    await page
      .getByRole('region', { name: 'Faults that are set' })
      .getByText('endpoint groups.create · status 503 · remaining 1')
      .waitFor()
    expect((await createGroup(inspector.stage.server.url)).status).toBe(503)
    await page.keyboard.press('Escape')

    await pressAtOnce(page, 'g', 'd')
    await page.locator('.rows .row').first().waitFor()
    for (const key of ['j', 'e']) await page.keyboard.press(key)
    await page
      .getByRole('dialog')
      .getByLabel('Payload')
      .fill('{"event":"CALL_INCOMING_INITIATED","edited":true}')
    await page.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText('Sent CALL_INCOMING_INITIATED to').waitFor()
    await page.locator('.rows .row').first().waitFor()
    expect(problems).toEqual([])
  })

  test('copies a delivery as curl, as a fixture and as a test', async () => {
    const { page } = await open('deliveries?organization=acme&status=delivered')
    await page.locator('.rows .row').first().click()
    const copied = async (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await page.locator('.attempt').waitFor()
    await page.keyboard.press('c')
    await expect.poll(copied).toMatch(/^curl 'http:.*-H 'webhook-signature: v1,.*--data-raw '\{/s)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy as vitest test' }).click()
    await expect.poll(copied).toContain("from 'wabakit/mock'")
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy as JSON fixture' }).click()
    await expect.poll(copied).toMatch(/^\{\n {2}"event"/)
  })

  test('shows hostile names and payloads as text', async () => {
    expect(
      (await createGroup(inspector.stage.server.url, { groupId: 'team', subject: hostile })).status,
    ).toBe(200)
    await control(inspector.stage.server, 'POST /organizations/acme/participants', {
      groupId: 'team',
      phone: '+15550199001',
      state: 'joined',
    })
    const { page, problems, picture } = await open('')
    for (const path of ['groups', 'groups?id=team', 'events?group=team']) {
      await visit(page, inspector.getUrl(path))
      await page.getByText('onerror').filter({ visible: true }).first().waitFor()
      expect(await page.locator('main img').count()).toBe(0)
      expect(problems).toEqual([])
      if (path === 'groups') await picture(`${store}-hostile`)
    }
  })

  test('masks personal data, and keeps doing so', async () => {
    const { page } = await open('calls?organization=acme')
    const customer = page.locator('.rows .row').first().locator('.open')
    expect(await customer.innerText()).toMatch(/^\+\d{11}$/)
    await page.keyboard.press('m')
    await expect.poll(() => customer.innerText()).toMatch(/^\*\*\*\d\d$/)
    await page.reload()
    await customer.waitFor()
    expect(await customer.innerText()).toMatch(/^\*\*\*\d\d$/)
    await page.locator('.rows .row').first().click()
    await page.locator('.timeline').waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/\+1(?!555010000)\d{10}/)
  })

  test('shows the last column of every list at any width', async () => {
    const { page } = await open('calls?organization=acme')
    for (const view of ['Calls', 'Deliveries', 'Events', 'Groups', 'Subscriptions', 'API requests']) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.locator('h1', { hasText: view }).waitFor()
      await page.locator('.rows .row').first().waitFor()
      for (const width of [1041, 1024, 768]) {
        await resize(page, { width, height: 800 })
        // The columns follow in the next frame.
        const last = page.locator('.head .row > :last-child')
        const readRight = () => last.evaluate((cell) => cell.getBoundingClientRect().right)
        await expect.poll(readRight, { message: `${view} at ${width} px` }).toBeLessThanOrEqual(width)
      }
    }
  })
})

test.skipIf(!hasChromium)('asks for the control token, and forgets it when the tab is closed', async () => {
  const token = 'a-token-of-some-length'
  const server = await start({ controlToken: token })
  const { page, picture } = await openPage({ url: `${server.url}/_wabakit/inspector/events` })
  await page.getByText('The server requires its control token.').waitFor()
  await page.getByLabel('Control token').fill('not-the-right-token')
  await page.keyboard.press('Enter')
  await page.getByText("This is not the server's control token.").waitFor()
  await picture('login')
  await page.getByLabel('Control token').fill(token)
  await page.keyboard.press('Enter')
  await page.getByText('Nothing has happened yet').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(token)

  // A form survives that the token changes before it is sent: the server refuses the old one.
  await page.goto(`${server.url}/_wabakit/inspector/subscriptions`)
  await page.getByRole('button', { name: 'Subscribe an endpoint' }).first().click()
  const form = page.getByRole('dialog', { name: 'Subscribe an endpoint' })
  await form.getByLabel('URL').fill('http://127.0.0.1:9/kept')
  await page.route('**/organizations/*/subscriptions', (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer of-an-earlier-time' } }),
  )
  await form.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByText('The server no longer accepts the token that you logged in with.').waitFor()
  await page.unroute('**/organizations/*/subscriptions')
  await page.getByLabel('Control token').fill(token)
  await page.keyboard.press('Enter')
  expect(await form.getByLabel('URL').inputValue()).toBe('http://127.0.0.1:9/kept')
  await form.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('dialog', { name: 'Subscribed' }).waitFor()

  const other = await page.context().newPage()
  onTestFinished(() => other.close())
  await other.goto(page.url())
  await other.getByLabel('Control token').fill(token)
  await other.keyboard.press('Enter')
  await other.getByRole('button', { name: 'Log out' }).click()
  await other.getByText('You have logged out.').waitFor()
  await other.keyboard.press('Control+k')
  expect(await other.getByRole('dialog', { name: 'Find anything' }).count()).toBe(0)
})
