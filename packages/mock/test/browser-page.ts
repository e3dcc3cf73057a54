import { createClient } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { mockHandlers } from '@wabakit/mock/msw'
import { setupWorker } from 'msw/browser'
import { cases } from './cases.ts'

const baseUrl = 'https://api.example.com/prefix'

const run = async (): Promise<Record<string, string>> => {
  const outcomes: Record<string, string> = {}
  const worker = setupWorker()
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' })
  for (const [name, check] of Object.entries(cases)) {
    const mock = await createMock()
    worker.resetHandlers(...mockHandlers(mock, baseUrl))
    try {
      await check({
        mock,
        baseUrl,
        fetch: (url, init) => fetch(url, init),
        client: ({ apiKey, clock } = mock, options) => createClient({ baseUrl, apiKey, clock, ...options }),
      })
      outcomes[name] = 'passed'
    } catch (error) {
      outcomes[name] = String(error)
    }
    await mock.close()
  }
  return outcomes
}

Object.assign(window, { outcomes: run() })
