import { createAdaptorServer } from '@hono/node-server'
import type { Receiver } from '@wabakit/webhooks'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { signed, summary } from '../signed.ts'
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
    app.post('/webhooks', (context) => receiver.handle(context.req.raw, context.executionCtx))
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
