import { expect, test } from 'vitest'
import { onEachStore } from './each-store.ts'

onEachStore('the overview of the inspector', (inspector) => {
  test('leads from a failing endpoint to its cause, and resends everything once it works', async () => {
    const { accepting, rejecting } = inspector.stage
    for (let count = 0; count < 3; count++) await inspector.simulate({ outcome: 'missed' })
    const { page, problems, picture } = await inspector.open('')
    const endpoints = page.getByRole('region', { name: 'Endpoints' })
    const row = endpoints.locator('tr', { hasText: new URL(rejecting.url).host })

    // Which one, and since when? The worst endpoint is first.
    await row.getByText('failing', { exact: true }).waitFor({ timeout: 60_000 })
    await row.getByText('failing since').waitFor()
    expect(await endpoints.locator('tbody tr').first().innerText()).toContain(new URL(rejecting.url).host)
    await endpoints
      .locator('tr', { hasText: new URL(accepting.url).host })
      .getByText('working')
      .waitFor()
    await expect.poll(() => row.locator('[data-label=Failed]').innerText(), { timeout: 30_000 }).not.toBe('0')
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
    await health
      .getByRole('region', { name: 'Failures by cause' })
      .getByRole('link', { name: /attempts?$/ })
      .first()
      .click()
    await page.locator('.row', { hasText: '401' }).first().waitFor()
    await page.getByRole('button', { name: 'Resend all that match' }).click()
    await dialog.getByRole('button', { name: /^Resend all \d+ that match$/ }).click()
    await page.getByText(/\d+ resent\./).waitFor()
    const { deliveries } = inspector.stage.server.service
    const findUnfinished = async () => {
      const selection = {
        subscriptionId: rejecting.id,
        statuses: ['pending', 'attempting', 'waiting'],
      } as const
      return (await deliveries.list('acme', selection)).items.length
    }
    await expect.poll(findUnfinished, { timeout: 30_000 }).toBe(0)

    // The numbers count attempts that failed before. They still lead to the deliveries behind them.
    await page.goto(inspector.getUrl(`subscriptions?organization=acme&id=${rejecting.id}`))
    await causes.waitFor()
    const numbers = page.locator('article .tiles a, article .causes li > a:first-child')
    const targets = await numbers.evaluateAll((links) =>
      links
        .filter(({ textContent }) => /[1-9]/.test(textContent ?? ''))
        .map((link) => link.getAttribute('href') ?? ''),
    )
    expect(targets.length).toBeGreaterThan(1)
    for (const target of targets) {
      await page.goto(new URL(target, page.url()).href)
      await page.locator('.row').first().waitFor()
    }
    expect(problems).toEqual([])
  })

  test('every number leads to the list behind it, and each chart is also a table', async () => {
    await inspector.simulate({})
    const { page, problems } = await inspector.open('?organization=acme')
    const links = page.locator('.tiles a, .endpoints a')
    await page.locator('.endpoints a').first().waitFor()
    await page.locator('.chart').nth(1).waitFor()
    expect(await page.locator('.tile').count()).toBe(await page.locator('.tiles a').count())
    for (const href of await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))) {
      expect(href).toMatch(/inspector\/(?:deliveries|events|subscriptions)\?organization=acme/)
    }
    for (const period of ['Day', 'Week', 'Hour']) {
      await page.getByRole('button', { name: period, exact: true }).click()
      await expect.poll(() => page.url()).toContain(`window=${period.toLowerCase()}`)
    }
    await page.getByText('Events and attempts as a table').click()
    await expect.poll(() => page.locator('.chart').first().locator('tbody tr').count()).toBe(60)

    await page
      .locator('.plot svg')
      .first()
      .click({ position: { x: 400, y: 80 } })
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(page.url()).toMatch(/attemptedFrom=.*attemptedBefore=/)
    expect(problems).toEqual([])
  })

  test.each([375, 768, 1280, 1920])('fits at %i px, in light, dark and forced colors', async (width) => {
    const looks = [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { forcedColors: 'active' }] as const
    for (const look of looks) {
      const viewport = { width, height: 900 }
      const { page, picture } = await inspector.open('?organization=acme', { viewport, ...look })
      await page.locator('.endpoints a').first().waitFor()
      await page.locator('.chart .line').first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      const wide = await page
        .locator('.overview > .body')
        .evaluate((body) => body.scrollWidth - body.clientWidth)
      expect(wide).toBe(0)
      await picture(`${inspector.store}-overview-${width}-${Object.values(look)[0]}`)
    }
  })
})
