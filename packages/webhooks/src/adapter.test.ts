import { describe, expect, it, vi } from 'vitest'
import { respond, toUrl } from './adapter.ts'

describe('the target of a request', () => {
  it.each([
    ['/a?b=c', 'http://localhost/a?b=c'],
    ['//host/a', 'http://localhost//host/a'],
    ['https://user:password@host/a', 'https://host/a'],
    ['*', 'http://localhost/*'],
  ])('%s is the URL %s', (target, url) => {
    expect(toUrl(target, 'http://localhost')).toBe(url)
  })

  it.each(['ftp://host/', 'xhttp://host/', 'httpx://host/', 'mailto:a@b', 'http://', 'http://a b/'])(
    '%s is malformed',
    (target) => {
      expect(() => toUrl(target, 'http://localhost')).toThrow(
        expect.objectContaining({
          code: 'malformed_request',
          message: 'The request target must be a path or an HTTP URL.',
        }),
      )
    },
  )
})

describe('an adapter', () => {
  const request = new Request('http://localhost')

  it('responds with 400 to a request that cannot be read', async () => {
    const response = await respond(
      () => Promise.reject(new TypeError('hunter2')),
      async () => new Response(),
    )
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'malformed_request', message: 'The headers or the body of the request cannot be read.' },
    ])
  })

  it('responds with 500 and logs the error if the receiver rejects', async () => {
    using log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const error = new Error('hunter2')
    const response = await respond(
      () => request,
      () => Promise.reject(error),
    )
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('hunter2')])
    expect(log.mock.calls).toEqual([['The handle function of a webhook receiver failed.', error]])
  })
})
