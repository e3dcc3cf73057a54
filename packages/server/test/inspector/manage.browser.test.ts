import { createServer } from 'node:http'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { expect, test } from 'vitest'
import { control, createGroup } from '../fixture.ts'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import { onSqlite } from './each-store.ts'

onSqlite('managing with the inspector', (inspector) => {
  test('sets up an integration from nothing: an endpoint, its secret, a call, and an API key', async () => {
    const organization = `new-${inspector.store.toLowerCase()}`
    const { server } = inspector.stage
    await control(server, 'POST /organizations', { id: organization, pstnNumbers: ['+15550100005'] })
    let secret = `whsec_${Buffer.alloc(32).toString('base64')}`
    const received: string[] = []
    const endpoint = createServer((request, response) => {
      const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) })
      receiver.onError(() => {})
      receiver.on('CALL_AI_SUMMARY', ({ callId }) => {
        received.push(callId)
      })
      void toNodeHandler(receiver)(request, response)
    })
    const url = `${await listenOnFreePort(endpoint)}/webhooks`
    const { page, problems, picture } = await inspector.load(`?organization=${organization}`)
    const dialog = page.getByRole('dialog')
    const steps = page.getByRole('region', { name: 'First steps' })

    await steps.getByText('+15550100005').waitFor()
    expect(await steps.getByText(/^npx @wabakit\/server /).count()).toBe(3)
    await picture(`${inspector.store}-first-visit`)
    await steps.getByRole('button', { name: 'Subscribe an endpoint' }).click()
    await dialog.getByLabel('Number').selectOption('+15550100005 · PSTN')
    await dialog.getByLabel('URL').fill('ftp://nowhere')
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    // The scheme may be left out.
    const typed = url.slice('http://'.length)
    await dialog.getByLabel('URL').fill(typed)
    const [label, input] = await Promise.all(
      [dialog.locator('label', { hasText: 'URL' }), dialog.getByLabel('URL')].map((part) =>
        part.boundingBox(),
      ),
    )
    expect((input?.y ?? 0) - (label?.y ?? 0) - (label?.height ?? 0)).toBeGreaterThanOrEqual(4)
    await picture(`${inspector.store}-subscribe`)
    await dialog.getByRole('button', { name: 'Subscribe' }).click()
    await dialog.getByText('it is shown only here').waitFor()
    // What has to be done first has the focus.
    const copying = dialog.getByRole('button', { name: 'Copy the secret' })
    await expect.poll(() => copying.evaluate((button) => button === document.activeElement)).toBe(true)
    await dialog.getByRole('button', { name: 'Show' }).click()
    secret = await dialog.locator('code').innerText()
    // The next step is a test event, once the secret is copied.
    const next = dialog.getByRole('button', { name: 'Send a test event' })
    expect(await next.isDisabled()).toBe(true)
    const reason = dialog.locator('footer').getByText('Copy it first.')
    await reason.waitFor()
    const place = await next.boundingBox()
    await copying.click()
    await reason.waitFor({ state: 'detached' })
    expect(await next.boundingBox()).toEqual(place)
    await picture(`${inspector.store}-subscribed`)
    await next.click()
    await page.getByRole('dialog', { name: 'Send a test event' }).getByLabel('Payload').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('h2 .badge', { hasText: 'untried' }).waitFor()
    // There is nothing to resend, and nothing to chart, nor is there while it is disabled.
    const path = `/organizations/${organization}/subscriptions/${new URL(page.url()).searchParams.get('id')}`
    const article = page.getByRole('article')
    for (const state of ['untried', 'disabled', 'untried']) {
      await control(server, `PATCH ${path}`, { enabled: state !== 'disabled' })
      await page.reload()
      await page.locator('h2 .badge', { hasText: state }).waitFor()
      await article.getByText('This subscription has not matched an event yet.').waitFor()
      expect(await article.getByRole('button', { name: 'Resend failed here…' }).count()).toBe(0)
      expect(await article.locator('.tiles, .chart').count()).toBe(0)
    }

    // The same URL again would get each event twice. The form warns, but allows it.
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('The endpoint is untried.').waitFor()
    await page.locator('header').getByRole('button', { name: 'Subscribe an endpoint' }).click()
    await dialog.locator('[name=url]:focus').waitFor()
    await page.keyboard.type(typed)
    const warning = dialog.getByText('A subscription with this URL exists')
    await warning.waitFor()
    await picture(`${inspector.store}-subscribe-twice`)
    await dialog.getByLabel('Number').selectOption('health of the subscriptions · OPERATIONS')
    await warning.waitFor({ state: 'detached' })
    await dialog.getByLabel('Number').selectOption('+15550100005 · PSTN')
    expect(await dialog.getByRole('button', { name: 'Subscribe' }).isEnabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Open it' }).click()
    await page.locator('.detail').getByText(url).first().waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    await steps.getByRole('heading', { name: 'Subscribe an endpoint (done)' }).waitFor()
    await steps.getByRole('button', { name: 'Simulate a call' }).click()
    await dialog.getByRole('button', { name: 'Simulate the call' }).click()
    await page.getByRole('heading', { name: /^Call / }).waitFor()
    await expect.poll(() => received.length).toBe(1)

    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create an API key' }).first().click()
    await dialog.getByLabel('Label').fill('crm')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('button', { name: 'Show' }).click()
    const key = await dialog.locator('section code').innerText()
    await dialog.getByRole('button', { name: 'Copy the API key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const ask = () =>
      fetch(`${server.url}/v1/call/ai-summary?callId=none`, { headers: { authorization: key } })
    expect((await ask()).status).toBe(404)

    await page.locator('.row', { hasText: 'crm' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete the key crm' }).getByText('gets 401 immediately').waitFor()
    await dialog.getByRole('button', { name: 'Delete the key' }).click()
    await page.getByText('Deleted.').waitFor()
    expect((await ask()).status).toBe(401)
    expect(problems).toEqual([])
  })

  test('the first steps appear with the numbers of the organization, which would move what is below', async () => {
    const { page } = await inspector.load('deliveries?organization=empty')
    const answered = Promise.withResolvers<void>()
    await page.route('**/organizations?**', async (route) => {
      await answered.promise
      await route.continue()
    })
    const others = ['overview?**', 'overview/subscriptions?**', 'events?**'].map(async (path) =>
      (await page.waitForResponse(`**/organizations/empty/${path}`)).finished(),
    )
    await page.goto(inspector.getUrl('?organization=empty'))
    await Promise.all(others)
    const steps = page.getByRole('region', { name: 'First steps' })
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    )
    expect(await steps.count()).toBe(0)
    answered.resolve()
    await steps.getByText('+15550100009').waitFor()
  })

  test('edits, disables and removes a subscription, and says each time what that stops', async () => {
    const { server, accepting } = inspector.stage
    const { service } = server
    // Nothing listens there, so that a delivery stays unfinished.
    const number = { channel: 'WHATSAPP', number: '+15550100001', url: 'http://127.0.0.1:1/hook' } as const
    const { id } = await service.subscriptions.create('acme', {
      ...number,
      events: ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED'],
      headers: { 'x-token': 'old' },
      maxAttemptsPerSecond: 5,
    })
    const { url, events, headerNames, maxAttemptsPerSecond } =
      (await service.subscriptions.find('acme', id)) ?? {}
    await createGroup(server.url)
    const { page, problems, picture } = await inspector.open(`subscriptions?organization=acme&id=${id}`)
    const dialog = page.getByRole('dialog')
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: action }).click()
      await page.getByRole('dialog', { name: `${action} 127.0.0.1:1/hook`, exact: true }).waitFor()
      await dialog.getByText('1 delivery is unfinished.').waitFor()
      await dialog.locator('.form :focus').waitFor()
    }

    await choose('Edit')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const kept = { url, events, headerNames, maxAttemptsPerSecond, enabled: true }
    expect(await service.subscriptions.find('acme', id)).toMatchObject(kept)

    await choose('Edit')
    await dialog.getByText('Now x-token, whose values are never shown').waitFor()
    await dialog.getByLabel('GROUP_PARTICIPANT_JOINED').uncheck()
    await dialog.getByLabel('Attempts per second').fill('')
    await dialog.getByLabel('Static headers').fill('x-token: new\nx-team: crm')
    await dialog.getByLabel('Authorization').selectOption('Basic')
    await dialog.getByLabel('User name').fill('wabakit')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('is required for this authorization').waitFor()
    await dialog.getByLabel('Token or password').fill('a password')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Saved.').last().waitFor()
    await page.locator('[aria-label="More actions"]:focus').waitFor()
    expect(await service.subscriptions.find('acme', id)).toMatchObject({
      events: ['GROUP_CREATED'],
      headerNames: ['authorization', 'x-team', 'x-token'],
      maxAttemptsPerSecond: null,
    })

    await choose('Disable')
    await picture(`${inspector.store}-disable`)
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.locator('h2 .badge', { hasText: 'disabled' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Enable' }).click()
    await page.locator('h2 .badge', { hasText: 'untried' }).waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog', { name: 'Remove 127.0.0.1:1/hook' }).waitFor()
    await dialog.getByText('cannot be undone').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await service.subscriptions.find('acme', id)).toBeDefined()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Removed.').waitFor()
    expect(await service.subscriptions.find('acme', id)).toBeUndefined()
    expect(await service.subscriptions.find('acme', accepting.id)).toBeDefined()
    expect(problems).toEqual([])
  })

  test('sends any event as a test, with its sample and its schema', async () => {
    const { accepting } = inspector.stage
    const { page, problems, picture } = await inspector.open(
      `subscriptions?organization=acme&id=${accepting.id}`,
    )
    await page.getByRole('button', { name: 'Send a test event' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Event').selectOption('CALL_AI_SUMMARY')
    expect(await dialog.getByRole('textbox', { name: 'Payload' }).inputValue()).toContain('"recap"')
    await dialog.getByText('Schema of CALL_AI_SUMMARY').click()
    await dialog.getByText('"properties"').first().waitFor()
    await picture(`${inspector.store}-test-event`)
    await dialog.getByRole('button', { name: 'Sign and send' }).click()
    await page.getByText('Sent CALL_AI_SUMMARY to').waitFor()
    await page.locator('.row', { hasText: 'CALL_AI_SUMMARY' }).first().waitFor()
    expect(problems).toEqual([])
  })

  test('simulates with fields: a summary with points, from a number that exists', async () => {
    const { page, problems } = await inspector.open('calls?organization=acme')
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('channelNumber').selectOption('+15550100002 · PSTN')
    await dialog.getByLabel('summary.recap').fill('The customer wants twelve chairs.')
    await dialog.getByLabel('summary.keyPoints').fill('הלקוח רוצה כיסאות\nTwelve of them')
    await dialog.getByLabel('summary.nextSteps').fill(`Send the offer. ${'Very long. '.repeat(60)}`)
    await dialog.getByRole('button', { name: 'Simulate the call' }).click()

    const summary = page.getByRole('group', { name: 'Summary of the call' })
    await summary.getByText('The customer wants twelve chairs.').waitFor()
    const hebrew = summary.getByText('הלקוח רוצה כיסאות')
    expect(await hebrew.evaluate((point) => getComputedStyle(point).direction)).toBe('rtl')
    const step = summary.getByText('Send the offer.')
    const short = (await step.innerText()).length
    await step.getByRole('button', { name: 'More' }).click()
    expect((await step.innerText()).length).toBeGreaterThan(short + 100)
    expect(problems).toEqual([])
  })
})
