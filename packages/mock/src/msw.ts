import { endpoints } from '@wabakit/contract'
import { type HttpHandler, HttpResponse, http } from 'msw'
import type { MockTenant } from './tenant/tenant.ts'

/** The part of a mock or tenant that the handlers need. @inline */
type MockedService = Pick<MockTenant, 'fetch' | 'url'>

/**
 * Creates msw handlers for the public API, for `setupServer` in Node and `setupWorker` in browsers.
 *
 * @param mock - the mock, which finds its tenants by their keys, or a single tenant.
 * @param baseUrl - the `baseUrl` of the application under test; may have a path prefix and a trailing slash.
 * @example
 * const server = setupServer(...mockHandlers(mock, 'https://api.example.com'))
 */
export const mockHandlers = (mock: MockedService, baseUrl: string): HttpHandler[] => {
  const base = baseUrl.replace(/\/+$/, '')
  return Object.values(endpoints).map(({ path }) =>
    http.all(`${base}${path}`, async ({ request }) => {
      const { search } = new URL(request.url)
      const { method, headers, signal } = request
      try {
        const body = await request.arrayBuffer()
        // Passes the options one by one, because copying a Request can lose its getters, as in vitest's jsdom.
        const init = { method, headers, signal, ...(body.byteLength > 0 && { body }) }
        return await mock.fetch(new Request(`${mock.url}${path}${search}`, init))
      } catch {
        // This is the only way to make a request fail in msw.
        return HttpResponse.error()
      }
    }),
  )
}
