import { endpoints } from '@wabakit/contract'
import { type HttpHandler, HttpResponse, http } from 'msw'
import type { MockTenant } from './tenant/tenant.ts'

/** What handlers need of a mock or a tenant. */
export type MockedService = Pick<MockTenant, 'fetch' | 'url'>

/**
 * msw handlers that answer the public API under a base URL of your choice; for `setupServer` in Node and
 * `setupWorker` in browsers.
 *
 * @param mock - the mock, which finds its tenants by their keys, or one tenant.
 * @param baseUrl - what the application under test has as `baseUrl`; a path prefix and a trailing slash are fine.
 * @example
 * const server = setupServer(...mockHandlers(mock, 'https://api.example.com'))
 */
export const mockHandlers = (mock: MockedService, baseUrl: string): HttpHandler[] => {
  const base = baseUrl.replace(/\/+$/, '')
  return Object.values(endpoints).map(({ path }) =>
    http.all(`${base}${path}`, async ({ request }) => {
      const { search } = new URL(request.url)
      try {
        return await mock.fetch(new Request(`${mock.url}${path}${search}`, request))
      } catch {
        // The one way in which msw lets a request fail. Of an aborted one nobody hears any more.
        return HttpResponse.error()
      }
    }),
  )
}
