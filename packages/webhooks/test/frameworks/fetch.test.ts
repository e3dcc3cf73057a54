import { createAdaptorServer } from '@hono/node-server'
import { createReceiver, type Receiver, standardWebhooks, WebhookUsageError } from '@wabakit/webhooks'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { secret, signed, summary } from '../signed.ts'
import { frameworkCases, listen, parsedBodyCases, recording, type Start } from './framework-cases.ts'

const serve = (app: Hono) =>
  listen(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as never)

const start: Start = (receiver) => {
  const app = new Hono()
  app.post('/webhooks', (context) => receiver.handle(context.req.raw))
  return serve(app)
}

describe('Hono', () => {
  frameworkCases(start)

  describe('after the route has read the body', () => {
    parsedBodyCases((receiver) => {
      const app = new Hono()
      app.post('/webhooks', async (context) => {
        await context.req.json()
        return receiver.handle(context.req.raw)
      })
      return serve(app)
    })
  })

  it('passes on its execution context, whose waitUntil is used', async () => {
    const { receiver } = recording()
    const app = new Hono()
    app.post('/webhooks', (context) => receiver.handle(context))
    const work: Promise<unknown>[] = []
    const host = {
      waitUntil: (promise: Promise<unknown>) => void work.push(promise),
      passThroughOnException() {},
      props: {},
    }
    const response = await app.fetch(
      new Request('http://localhost/webhooks', await signed(summary)),
      {},
      host,
    )
    expect([response.status, work.length]).toEqual([200, 1])
  })
})

describe('Hono on Node.js, which has no execution context', () => {
  it('acknowledges before handling, and is stopped by stop()', async () => {
    const handling = Promise.withResolvers<void>()
    const events: unknown[] = []
    const receiver = createReceiver({
      verify: standardWebhooks({ secrets: [secret] }),
      ack: 'before',
      waitUntil: () => {},
    }).onAny(async (event) => {
      await handling.promise
      events.push(event)
    })
    const app = new Hono().post('/webhooks', (context) => receiver.handle(context))
    const url = await serve(app)
    expect((await fetch(url, await signed(summary))).status).toBe(200)
    expect(events).toEqual([])
    const stopped = receiver.stop()
    handling.resolve()
    await stopped
    expect(events).toEqual([summary])
  })
})

describe('a Next.js route handler', () => {
  // Next.js checks that `export const POST` takes a request, and a context with a promise of parameters.
  type RouteHandler = (
    request: Request,
    context: { params: Promise<Record<string, string>> },
  ) => Promise<Response>

  it('can be the handle function of a receiver', async () => {
    const { receiver, events } = recording()
    const route = ({ handle }: Receiver): { POST: RouteHandler } => ({ POST: handle })
    const { POST } = route(receiver)
    const request = new Request('http://localhost/api/webhooks', await signed(summary))
    expect((await POST(request, { params: Promise.resolve({}) })).status).toBe(200)
    expect(events).toEqual([summary])
  })
})

describe('the handle function of a receiver, as the route of a framework', () => {
  const url = 'http://localhost/webhooks'
  /** The arguments that frameworks pass to a route. */
  const routes: Record<string, (request: Request) => readonly [input: object, host?: object]> = {
    // RequestEvent of @sveltejs/kit 2.
    SvelteKit: (request) => [
      { request, url: new URL(url), params: {}, locals: {}, platform: undefined, cookies: {}, fetch },
    ],
    // ActionFunctionArgs of react-router 7, and of Remix 2.
    'React Router': (request) => [{ request, params: {}, context: {} }],
    // APIContext of astro 5.
    Astro: (request) => [{ request, url: new URL(url), params: {}, site: undefined, cookies: {} }],
    // EventContext of Cloudflare Pages Functions.
    'Cloudflare Pages': (request) => [{ request, env: {}, params: {}, waitUntil() {}, next() {} }],
    // H3Event of h3 2, which Nitro 3 uses. Its url is a URL.
    'h3 2': (request) => [{ req: request, url: new URL(url), context: {}, app: {} }],
    // H3Event of h3 1 on a platform with Fetch requests.
    'h3 1 with a Fetch request': (request) => [
      { web: { request }, node: { req: {}, res: {} }, method: 'POST', path: '/', headers: request.headers },
    ],
    'Next.js': (request) => [request, { params: Promise.resolve({}) }],
    Deno: (request) => [request, { remoteAddr: {}, completed: Promise.resolve() }],
    // A request from another realm, or from a polyfill.
    'a foreign Request': (request) => [
      {
        url: request.url,
        method: request.method,
        headers: request.headers,
        body: request.body,
        bodyUsed: false,
        signal: request.signal,
      },
    ],
  }

  it.each(Object.entries(routes))('handles what %s passes', async (_, pass) => {
    const { receiver, events } = recording()
    const [input, host] = pass(new Request(url, await signed(summary)))
    expect((await receiver.handle(input as Request, host)).status).toBe(200)
    expect(events).toEqual([summary])
  })

  it('uses the waitUntil of the object that holds the request', async () => {
    const { receiver } = recording()
    const waitUntil = vi.fn()
    const request = new Request(url, await signed(summary))
    await receiver.handle({ request, waitUntil } as { request: Request })
    expect(waitUntil).toHaveBeenCalledTimes(1)
  })

  class IncomingMessage {
    readonly url = '/webhooks'
    readonly method = 'POST'
    readonly headers = { host: 'localhost' }
  }
  const h3 = { node: { req: new IncomingMessage() }, method: 'POST', path: '/', headers: new Headers() }
  const strange: unknown[] = [
    new IncomingMessage(),
    h3,
    { body: '{}', headers: {} },
    {},
    null,
    undefined,
    'POST',
  ]

  it('responds 500 to an object without a prototype', async () => {
    const { receiver } = recording()
    expect((await receiver.handle(Object.create(null))).status).toBe(500)
  })

  it.each(strange)('responds 500 to %o, and reports what it was given', async (input) => {
    const { receiver, errors } = recording()
    const failures: unknown[] = []
    receiver.onError((_, failure) => failures.push(failure))
    const response = await receiver.handle(input as Request)
    expect(failures).toEqual([{ stage: 'request', headers: new Headers(), context: undefined }])
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: 'invalid_usage', message: 'There is no request.' },
    ])
    expect(errors).toEqual([expect.any(WebhookUsageError)])
    const { name } = Object.getPrototypeOf(Object(input)).constructor
    expect(errors).toMatchObject([{ message: expect.stringContaining(`not this ${name}`) }])
    expect(errors).toMatchObject([{ message: expect.stringMatching(/toNodeHandler.*toWebRequest/) }])
  })
})
