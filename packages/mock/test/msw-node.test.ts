import { createClient } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { mockHandlers } from '@wabakit/mock/msw'
import { setupServer } from 'msw/node'
import { runCases } from './run-cases.ts'

const baseUrl = 'https://api.example.com/prefix'

runCases(async () => {
  const mock = await createMock()
  const server = setupServer(...mockHandlers(mock, `${baseUrl}/`))
  server.listen({ onUnhandledFrame: 'error' })
  return {
    form: {
      mock,
      baseUrl,
      fetch,
      client: ({ apiKey, clock } = mock, options) => createClient({ baseUrl, apiKey, clock, ...options }),
    },
    close: async () => {
      server.close()
      await mock.close()
    },
  }
})
