import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test as base, expect as baseExpect } from '@playwright/test'
import { createMock } from 'wabakit/mock'
import { matchers } from 'wabakit/mock/matchers'

const token = 'example-token-of-16-bytes'

/** Starts the application in a process of its own. The first line that it prints is its URL. */
const startApp = async ({ url, apiKey, wabaNumber }) => {
  const app = spawn(process.execPath, ['app.js'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      WABAKIT_BASE_URL: url,
      WABAKIT_API_KEY: apiKey,
      WABAKIT_WABA_NUMBER: wabaNumber,
      WEBHOOK_TOKEN: token,
    },
  })
  const exited = once(app, 'exit')
  const { value } = await createInterface({ input: app.stdout })[Symbol.asyncIterator]().next()
  if (value === undefined) throw new Error('The application ended before it listened.')
  return {
    url: value,
    stop: async () => {
      app.kill()
      await exited
    },
  }
}

export const expect = baseExpect.extend(matchers)

export const test = base.extend({
  mock: async ({ browserName: _ }, use) => {
    const mock = await createMock({ port: 0, webhookAuth: { urlToken: token } })
    await use(mock)
    try {
      mock.faults.assertUsed()
    } finally {
      await mock.close()
    }
  },
  app: async ({ mock }, use) => {
    const app = await startApp(mock)
    await mock.subscribe({ url: `${app.url}/webhooks` })
    await use(app)
    await app.stop()
  },
})
