import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { json } from 'node:stream/consumers'
import {
  basicAuth,
  bearerAuth,
  createReceiver,
  type DeliveryContext,
  type Receiver,
  type ReceiverOptions,
  sqlInbox,
  standardWebhooks,
  staticHeader,
  unsigned,
} from '@wabakit/webhooks'
import { toLambdaHandler } from '@wabakit/webhooks/lambda'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from './frameworks/framework-cases.ts'
import { joined, secret, signed } from './signed.ts'

const credentials = { authorization: 'Bearer t0ken', 'x-token': 't0ken' }
const body = JSON.stringify(joined)
const post = { method: 'POST', body, headers: { ...credentials, 'content-type': 'application/json' } }

/** A receiver that records its events with their contexts. */
const record = (options: Partial<ReceiverOptions> = {}) => {
  const seen: [event: unknown, context: Pick<DeliveryContext, 'bodyWasParsed' | 'rawBody'>][] = []
  const receiver = createReceiver({ verify: bearerAuth({ token: 't0ken' }), ...options })
    .onAny((event, context) => seen.push([event, context]))
    .onUnknown((event, context) => seen.push([event, context]))
    .onError(() => {})
  return { receiver, seen }
}

const startExpress = (receiver: Receiver, ...parsers: express.Handler[]): Promise<string> => {
  const app = express()
  for (const parser of parsers) app.use(parser)
  app.post('/webhooks', toNodeHandler(receiver))
  return listen(createServer(app))
}

const cycle: { self?: unknown } = {}
cycle.self = cycle

describe('a body that was parsed before', () => {
  it.each<[string, ReceiverOptions['verify']]>([
    ['staticHeader', staticHeader({ header: 'x-token', value: 't0ken' })],
    ['bearerAuth', bearerAuth({ token: 't0ken' })],
    ['basicAuth', basicAuth({ username: 'u', password: 'p' })],
    ['unsigned', unsigned()],
    ['a function that ignores the body', Object.assign(() => true, { ignoresBody: true })],
  ])('is accepted by %s, and its context says so', async (name, verify) => {
    const { receiver, seen } = record({ verify })
    const url = await startExpress(receiver, express.json())
    const basic = name === 'basicAuth' && { authorization: `Basic ${btoa('u:p')}` }
    const response = await fetch(url, { ...post, headers: { ...post.headers, ...basic } })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(seen).toMatchObject([[joined, { bodyWasParsed: true, rawBody: new TextEncoder().encode(body) }]])
  })

  it.each<[string, ReceiverOptions['verify']]>([
    ['standardWebhooks', standardWebhooks({ secrets: [secret] })],
    ['a function', () => true],
  ])('is refused by %s, with the hook that keeps its bytes', async (_, verify) => {
    const url = await startExpress(record({ verify }).receiver, express.json())
    const response = await fetch(url, await signed(joined))
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      code: 'body_was_parsed',
      message: expect.stringContaining('express.json({ verify: (request, _, bytes) =>'),
    })
  })

  it('is stored in an inbox, with one warning of the webhooks that the parser refuses', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    const database = new DatabaseSync(':memory:')
    onTestFinished(() => database.close())
    const inbox = sqlInbox(database, { dialect: 'sqlite' })
    const receiver = createReceiver({ verify: bearerAuth({ token: 't0ken' }), inbox })
    const url = await startExpress(receiver, express.json())
    const direct = await startExpress(receiver)

    expect((await fetch(direct, post)).status).toBe(200)
    expect(warn).not.toHaveBeenCalled()
    for (let delivery = 0; delivery < 2; delivery += 1) expect((await fetch(url, post)).status).toBe(200)
    expect((await fetch(url, { ...post, body: 'x'.repeat(200_000) })).status).toBe(413)
    expect(await inbox.count()).toEqual({ stored: 3 })
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Mount the receiver before any body parser.')]])
  })

  it('is not used if its bytes are there', async () => {
    const keep = express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) })
    const { receiver, seen } = record()
    const spaced = body.replace('{', '{ ')
    expect((await fetch(await startExpress(receiver, keep), { ...post, body: spaced })).status).toBe(200)
    expect(seen).toMatchObject([
      [joined, { bodyWasParsed: false, rawBody: new TextEncoder().encode(spaced) }],
    ])
  })

  it('is handled however deeply it is nested', async () => {
    const { receiver, seen } = record()
    const url = await startExpress(receiver, express.json())
    const deep = `{"event":"NEW_EVENT","x":${'{"0":'.repeat(5_000)}1${'}'.repeat(5_000)}}`
    expect((await fetch(url, { ...post, body: deep })).status).toBe(200)
    expect(new TextDecoder().decode(seen[0]?.[1].rawBody)).toBe(deep)
  })

  it('is limited by its serialization', async () => {
    const { receiver } = record({ maxBodyBytes: body.length })
    const url = await startExpress(receiver, express.json())
    expect((await fetch(url, { ...post, body: `${body}   ` })).status).toBe(200)
    expect((await fetch(url, { ...post, body: body.replace('g-1', 'g-10') })).status).toBe(413)
  })

  it.each<[string, unknown]>([
    ['a cycle', cycle],
    ['a bigint', { count: 1n }],
    ['a function', () => {}],
  ])('gets a 400 if it cannot be serialized: %s', async (_, parsed) => {
    const replace: express.Handler = (request, _response, next) => {
      request.body = parsed
      next()
    }
    const url = await startExpress(record().receiver, express.json(), replace)
    const response = await fetch(url, post)
    expect(response.status).toBe(400)
    expect((await response.json()).code).toMatch(/body_unreadable|body_was_parsed/)
  })

  it('is read from the stream if nothing has read it, whatever the framework has put in its place', async () => {
    const { receiver, seen } = record()
    const assume: express.Handler = (request, _, next) => {
      request.body = { event: 'FORGED' }
      next()
    }
    expect((await fetch(await startExpress(receiver, assume), post)).status).toBe(200)
    expect(seen).toMatchObject([[joined, { bodyWasParsed: false }]])
  })

  it.each<[string, express.Handler, Record<string, string>, number]>([
    [
      'express.urlencoded() of a form',
      express.urlencoded(),
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
    ],
    ['express.urlencoded() of JSON', express.urlencoded({ type: () => true }), {}, 400],
    [
      'express.urlencoded() of JSON, extended',
      express.urlencoded({ type: () => true, extended: true }),
      {},
      400,
    ],
    [
      'express.json() of another type',
      express.json({ type: () => true }),
      { 'content-type': 'text/plain' },
      415,
    ],
    [
      'middleware that keeps nothing',
      (request, _, next) => void request.resume().on('end', () => next()),
      {},
      400,
    ],
  ])('is refused after %s', async (_, parser, headers, status) => {
    const { receiver, seen } = record()
    const url = await startExpress(receiver, parser)
    const response = await fetch(url, { ...post, headers: { ...post.headers, ...headers } })
    expect(response.status).toBe(status)
    const { message } = await response.json()
    expect(message).toMatch(status === 415 ? /body format JSON/ : /Mount the receiver before any body parser/)
    expect(seen).toEqual([])
  })

  it('is accepted from middleware of a Lambda function', async () => {
    const { receiver, seen } = record()
    const event = { httpMethod: 'POST', path: '/', headers: post.headers, body: JSON.parse(body) }
    expect(await toLambdaHandler(receiver)(event)).toMatchObject({ statusCode: 200 })
    expect(seen).toMatchObject([[joined, { bodyWasParsed: true }]])
  })

  it('is refused without a content type, which is not taken for that of text', async () => {
    const event = { httpMethod: 'POST', path: '/', headers: credentials, body: JSON.parse(body) }
    const { statusCode, body: refusal } = await toLambdaHandler(record().receiver)(event)
    expect([statusCode, JSON.parse(refusal).code]).toEqual([400, 'body_was_parsed'])
  })

  it('is accepted from a Koa request, which body parsers extend', async () => {
    const { receiver, seen } = record()
    const handler = toNodeHandler(receiver)
    const app = new Koa().use(async ({ request, res }) => {
      const parsed: unknown = await json(request.req)
      await handler(Object.assign(request, { body: parsed }), res)
    })
    expect((await fetch(await listen(createServer(app.callback())), post)).status).toBe(200)
    expect(seen).toMatchObject([[joined, { bodyWasParsed: true }]])
  })

  it('is accepted from the context of Elysia', async () => {
    const { receiver, seen } = record()
    const request = new Request('http://localhost', post)
    const context = { request, body: await request.json() }
    expect((await receiver.handle(context)).status).toBe(200)
    expect(seen).toMatchObject([[joined, { bodyWasParsed: true }]])
  })

  it.each(['json', 'text', 'arrayBuffer'] as const)(
    'is accepted from the context of Hono after %s()',
    async (read) => {
      const { receiver, seen } = record()
      const app = new Hono().post('/', async (context) => {
        await context.req[read]()
        return receiver.handle(context)
      })
      expect((await app.request('/', post)).status).toBe(200)
      expect(seen).toMatchObject([[joined, { bodyWasParsed: true }]])
    },
  )
})
