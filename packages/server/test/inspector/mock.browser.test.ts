import { createMock } from '@wabakit/mock'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasChromium, launchBrowser, openPage } from './browser.ts'

describe.skipIf(!hasChromium)('the inspector of a mock', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  const start = async () => {
    const mock = await createMock({ port: 0, seed: 7 })
    onTestFinished(mock.close)
    return mock
  }
  const open = (mock: { url: string }, view = '') =>
    openPage(browser, { url: `${mock.url}/_wabakit/inspector/${view}` })

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
})
