import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMock } from '@wabakit/mock'
import type { Browser } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { takeBlocks } from '../../../../tools/code-blocks.ts'
import { hasChromium, launchBrowser, openPage, shareBrowser } from './browser.ts'

describe.skipIf(!hasChromium)('the inspector of a mock', () => {
  const start = async () => {
    const mock = await createMock({ port: 0, seed: 7 })
    onTestFinished(mock.close)
    return mock
  }
  const open = (mock: { url: string }, view = '') =>
    openPage({ url: `${mock.url}/_wabakit/inspector/${view}` })

  test('shows the attempt that a receiver refused, without endpoints that no test has added', async () => {
    const mock = await start()
    await mock.subscribe({ receiver: () => new Response('Too bad.', { status: 500 }), channel: 'PSTN' })
    await mock.simulateCall({ channel: 'PSTN', summary: false })
    await expect.poll(() => mock.deliveries.length).toBeGreaterThan(0)
    const { page, problems, picture } = await open(mock, 'deliveries')
    await page.locator('.row', { hasText: '500' }).first().waitFor()
    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await page.getByText('receiver-1.invalid').first().waitFor()
    expect(await page.getByText('inbox.invalid').count()).toBe(0)
    await picture('mock-subscriptions')
    expect(problems).toEqual([])
  })

  test('shows a pending wait with its reason, and moves the clock to what is due', async () => {
    const mock = await start()
    await mock.simulateCall({ summary: { after: '30s' } })
    const waiting = mock.waitForEvent('CALL_AI_SUMMARY', {}, { timeoutMs: Number.POSITIVE_INFINITY })
    const { page, problems, picture } = await open(mock)
    await page.getByRole('link', { name: 'Test' }).click()
    const waits = page.getByRole('region', { name: 'Pending waits' })
    await waits.getByText('waitForEvent CALL_AI_SUMMARY').waitFor()
    await waits.getByText('Events so far:').waitFor()
    await picture('mock-test')
    await page.getByRole('button', { name: 'Move the clock there' }).click()
    await waiting
    await waits.getByText('No test is waiting.').waitFor()
    await page.getByText('Nothing is due later on the clock.').waitFor()
    expect(problems).toEqual([])
  })

  test('shows the faults that are set and that struck, of this tenant alone', async () => {
    const mock = await start()
    const other = mock.tenant()
    other.faults.next('groups.create', { status: 503 })
    mock.faults.deliveries.drop('CALL_ENDED')
    mock.faults.deliveries.tamper('CALL_MISSED', { part: 'body' })
    await mock.simulateCall({ summary: false })
    await expect.poll(() => mock.deliveries.filter(({ faults }) => faults.includes('drop'))).toHaveLength(1)
    const { page, problems, picture } = await open(mock, `mock?organization=${mock.organizationId}`)
    await page.getByRole('region', { name: 'Faults that struck' }).getByText('drop: CALL_ENDED').waitFor()
    const set = page.getByRole('region', { name: 'Faults that are set' })
    await set.getByText('tamper').waitFor()
    await picture('mock-faults')
    expect(await set.getByText('groups.create').count()).toBe(0)
    await set.getByRole('button', { name: 'Remove' }).click()
    await set.getByText('No fault is set.').waitFor()
    expect(problems).toEqual([])
  })

  test('shows what went over the wire for an attempt that a fault changed', async () => {
    const mock = await start()
    const bodies: string[] = []
    const receiver = async (request: Request) => {
      bodies.push(await request.text())
      return new Response(null, { status: bodies.length === 1 ? 401 : 204 })
    }
    const to = await mock.subscribe({ receiver, channel: 'PSTN', events: ['CALL_ENDED'] })
    mock.faults.deliveries.tamper('CALL_ENDED', { part: 'body', to })
    await mock.simulateCall({ channel: 'PSTN', summary: false })
    await mock.clock.advance('10m')
    const { page, problems, picture } = await open(mock, 'deliveries')
    await page.locator('.row', { hasText: 'CALL_ENDED' }).click()
    await page.getByRole('region', { name: 'Attempts' }).getByText('401').click()
    await page.getByText('Faults: tamper.').waitFor()
    await page.getByRole('tab', { name: 'Signature' }).click()
    await page.getByText('tampered', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByText('Exactly what was sent. Faults: tamper.').waitFor()
    await picture('mock-wire')
    expect(problems).toEqual([])
  })
})

describe.skipIf(!hasChromium)('a page that is not of this machine', () => {
  /** Lets such a page request something from a mock. Resolves to the status or the error, and to what the console shows. */
  const request = async (browser: Browser) => {
    const mock = await createMock({ port: 0 })
    onTestFinished(mock.close)
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    const shown: string[] = []
    page.on('console', (message) => shown.push(message.text()))
    await page.route('http://app.example/', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await page.goto('http://app.example/')
    const url = `${mock.url}/v1/call/ai-summary?callId=c`
    const result = await page.evaluate((to) => fetch(to).then(({ status }) => status, String), url)
    return { result, shown }
  }

  test('cannot call a mock, and Chromium says why, as the guide shows', async () => {
    const [block] = takeBlocks(import.meta.filename, 1)
    const { result, shown } = await request(await shareBrowser())
    expect(result).toMatch(/TypeError/)
    // The message may arrive after the result.
    await expect.poll(() => shown.join('\n')).toContain(block?.code.trim().replace('… ', ''))
  })

  test('can call a mock if Chromium is started as the guide says', async () => {
    const guide = readFileSync(resolve(import.meta.dirname, '../../../../docs/reference/mock.md'), 'utf8')
    const [flag = ''] = /--disable-features=\w+/.exec(guide) ?? []
    const browser = await launchBrowser(flag)
    onTestFinished(() => browser.close())
    expect(await request(browser)).toMatchObject({ result: 401 })
  })
})
