import { createClient } from '@wabakit/client'
import { createMock } from '@wabakit/mock'
import { mockHandlers } from '@wabakit/mock/msw'
import { setupServer } from 'msw/node'
import { expect, test, vi } from 'vitest'
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

test('keeps method, headers and body where Request copies its options, as in the jsdom environment of vitest', async () => {
  const OriginalRequest = globalThis.Request
  class CopyingRequest extends OriginalRequest {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(input, { ...init })
    }
  }
  await using mock = await createMock()
  const server = setupServer(...mockHandlers(mock, baseUrl))
  server.listen()
  vi.stubGlobal('Request', CopyingRequest)
  try {
    const client = createClient({ baseUrl, apiKey: mock.apiKey })
    await client.groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
    expect(mock.requests).toMatchObject([{ method: 'POST', body: { subject: 'Order 1042' }, status: 200 }])
  } finally {
    vi.unstubAllGlobals()
    server.close()
  }
})
