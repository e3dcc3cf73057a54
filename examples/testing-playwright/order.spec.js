import { test as base, expect } from '@playwright/test'
import { createMock } from 'wabakit/mock'
import { startApp } from './app.js'

const test = base.extend({
  mock: async ({ browserName: _ }, use) => {
    const mock = await createMock({ port: 0 })
    await use(mock)
    await mock.close()
  },
  app: async ({ mock }, use) => {
    const { url: baseUrl, apiKey, wabaNumber, secret } = mock
    const app = await startApp({ baseUrl, apiKey, wabaNumber, secret })
    await mock.subscribe({ url: `${app.url}/webhooks` })
    await use(app)
    await app.close()
  },
})

test('a team member creates a group and sees the summary of a call', async ({ page, app, mock }) => {
  await page.goto(app.url)
  await page.getByLabel('Subject').fill('Order 1042')
  await page.getByRole('button', { name: 'Create group' }).click()
  await mock.waitForDelivery('GROUP_CREATED', { groupName: 'Order 1042' })

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })

  await page.reload()
  await expect(page.getByRole('listitem')).toHaveText(['Group Order 1042', 'Call: Wants a refund.'])
})
