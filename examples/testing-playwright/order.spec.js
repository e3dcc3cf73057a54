import { expect, test } from './fixtures.js'

const createGroup = async (page, subject) => {
  await page.getByLabel('Subject').fill(subject)
  await page.getByRole('button', { name: 'Create group' }).click()
}

test('a team member creates a group and sees the summary of a call', async ({ page, app, mock }) => {
  await page.goto(app.url)
  await createGroup(page, 'Order 1042')
  await mock.waitForDelivery('GROUP_CREATED', { groupName: 'Order 1042' })

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants <b>a refund</b>.', after: '30s' } })
  await mock.clock.advance('30s')
  expect(mock).toHaveReceivedEvent('CALL_AI_SUMMARY', { callId })

  await page.reload()
  await expect(page.getByRole('listitem')).toHaveText(['Group Order 1042', 'Call: Wants <b>a refund</b>.'])
})

test('a webhook that arrives twice is shown once', async ({ page, app, mock }) => {
  mock.faults.deliveries.duplicate('GROUP_CREATED')
  await page.goto(app.url)
  await createGroup(page, 'Order 1042')
  await mock.clock.advance(0)
  const attempts = mock.deliveries.filter(({ to }) => to.startsWith(app.url))
  expect(attempts.map(({ status }) => status)).toEqual([200, 200])

  await page.reload()
  await expect(page.getByRole('listitem')).toHaveText(['Group Order 1042'])
})

test('the page shows why a group could not be created', async ({ page, app, mock }) => {
  mock.faults.next('groups.create', { code: 'integration_disabled' })
  await page.goto(app.url)
  await createGroup(page, 'Order 1042')

  await expect(page.getByRole('alert')).toContainText('No group was created')
  await mock.expectNoEvent('GROUP_CREATED')
})
