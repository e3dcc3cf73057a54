import { createClient } from '@wabakit/client'
import { expect, onTestFinished, test } from 'vitest'
import { acme, start } from '../fixture.ts'
import { hasProxy, startReverseProxy } from '../reverse-proxy.ts'
import { hasChromium, openPage } from './browser.ts'

test.skipIf(!hasChromium || !hasProxy('nginx'))(
  'page and API work behind a proxy that removes a prefix from the path',
  async () => {
    const controlToken = 'a-token-of-some-length'
    const server = await start({ trustProxy: 1, controlToken })
    const proxy = await startReverseProxy('nginx', {
      servers: [server.url],
      location: '/whatsapp/service/',
    })
    onTestFinished(proxy.close)
    const prefix = `${proxy.url}/whatsapp/service`
    const client = createClient({ baseUrl: prefix, apiKey: acme.apiKeys[0]?.key ?? '' })
    await client.groups.create({ wabaNumber: '+15550100001', subject: 'Prefixed' })

    const { page, problems } = await openPage({ url: `${prefix}/_wabakit/inspector` })
    await page.getByLabel('Control token').fill(controlToken)
    await page.keyboard.press('Enter')
    for (const path of [undefined, '/_wabakit/inspector/groups/', '/_wabakit/inspector/events']) {
      if (path !== undefined) await page.goto(prefix + path)
      await page.getByRole('link', { name: 'Groups' }).click()
      await page.getByText('Prefixed').first().waitFor()
      expect(new URL(page.url()).pathname).toBe('/whatsapp/service/_wabakit/inspector/groups')
      await page.getByRole('link', { name: 'Events' }).click()
      await page.getByText('Live', { exact: true }).waitFor()
    }
    expect(problems).toEqual([])
  },
)
