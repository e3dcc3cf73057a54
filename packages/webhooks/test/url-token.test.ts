import 'reflect-metadata'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { createReceiver, type Receiver, sqlInbox, urlToken } from '@wabakit/webhooks'
import { toFastifyPlugin } from '@wabakit/webhooks/fastify'
import { type LambdaEvent, toLambdaHandler } from '@wabakit/webhooks/lambda'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen, type Start } from './frameworks/framework-cases.ts'
import { joined } from './signed.ts'

const token = 'aaaa+bbbb/cccc=dddd'
const encoded = encodeURIComponent(token)

const post = {
  method: 'POST',
  body: JSON.stringify(joined),
  headers: { 'content-type': 'application/json' },
}

/** A receiver with an inbox that stores what `urlToken` accepts. */
const store = () => {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  const inbox = sqlInbox(database, { dialect: 'sqlite' })
  const errors: unknown[] = []
  const receiver = createReceiver({ verify: urlToken({ token: () => token }), inbox })
    .onAny(() => {})
    .onError((error) => errors.push(error))
  const dump = () => JSON.stringify(database.prepare('SELECT *, CAST(body AS TEXT) FROM wabakit_inbox').all())
  return { receiver: receiver as unknown as Receiver, inbox, errors, dump }
}

const startExpress =
  (...handlers: express.Handler[]): Start =>
  (receiver) => {
    const router = express.Router()
    router.post('/in', ...handlers, toNodeHandler(receiver))
    return listen(createServer(express().use('/hooks', router)), '/hooks/in')
  }

const startNest =
  (options: { bodyParser?: boolean; rawBody?: boolean }): Start =>
  async (receiver) => {
    const handler = toNodeHandler(receiver)
    class WebhookController {
      receive(...[request, response]: Parameters<typeof handler>) {
        return handler(request, response)
      }
    }
    const { prototype } = WebhookController
    Req()(prototype, 'receive', 0)
    Res()(prototype, 'receive', 1)
    Post()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {})
    Controller('in')(WebhookController)
    class App {}
    Module({ controllers: [WebhookController] })(App)
    const app = await NestFactory.create(App, { logger: false, forceCloseConnections: true, ...options })
    app.setGlobalPrefix('hooks')
    await app.listen(0, '127.0.0.1')
    onTestFinished(() => app.close())
    return `${await app.getUrl()}/hooks/in`
  }

const startFastify =
  (isPlugin: boolean): Start =>
  async (receiver) => {
    const rewriteUrl = ({ url = '' }) => url.replace(/^\/public.*/, '/hooks/in')
    const app = fastify({ forceCloseConnections: true, rewriteUrl })
    onTestFinished(() => app.close())
    if (isPlugin) app.register(toFastifyPlugin(receiver, { url: '/in' }), { prefix: '/hooks' })
    const handler = toNodeHandler(receiver)
    if (!isPlugin) app.post('/hooks/in', (request, reply) => handler(request, reply))
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/public`
  }

const startKoa =
  (isHolder: boolean): Start =>
  (receiver) => {
    const handler = toNodeHandler(receiver)
    const app = new Koa()
    app.use((context, next) => {
      // Koa keeps the URL as received in its own request only.
      context.url = isHolder ? '/rewritten' : `/rewritten${context.search}`
      return next()
    })
    app.use(async (context) => {
      context.respond = false
      await handler(isHolder ? context.request : context.req, context.res)
    })
    return listen(createServer(app.callback()), '/hooks')
  }

const servers: Record<string, Start> = {
  'node:http': (receiver) => listen(createServer(toNodeHandler(receiver))),
  Express: startExpress(),
  'Express, behind a parser': startExpress(express.json()),
  'Express, behind a rewrite': startExpress((request, _, next) => {
    request.url = '/'
    next()
  }),
  'NestJS without a parser': startNest({ bodyParser: false }),
  'NestJS with its defaults': startNest({}),
  'NestJS with rawBody': startNest({ rawBody: true }),
  'Fastify, behind a rewrite': startFastify(true),
  'Fastify with a parser, behind a rewrite': startFastify(false),
  'Koa with the request of node:http, behind a rewrite of the path': startKoa(false),
  'Koa with its own request, behind a rewrite': startKoa(true),
}

describe.each(Object.entries(servers))('urlToken on %s', (_, start) => {
  it('stores what has exactly one correct token in the URL as received, and nothing else', async () => {
    const { receiver, inbox, errors, dump } = store()
    const url = await start(receiver)
    const codes: unknown[] = []
    for (const query of [
      '',
      '?token=',
      `?token=${token}x`,
      `?token=${encoded}&token=${encoded}`,
      '?token=%ff',
    ]) {
      const response = await fetch(url + query, post)
      expect(response.status).toBe(401)
      codes.push((await response.json()).code)
    }
    expect(codes).toEqual(['missing_token', 'missing_token', 'wrong_token', 'wrong_token', 'wrong_token'])
    expect(await inbox.count()).toEqual({})
    for (const query of [`?token=${encoded}`, `?a=%20&token=${token}`])
      expect((await fetch(url + query, post)).status).toBe(200)
    expect(await inbox.count()).toEqual({ stored: 2 })
    expect(dump()).toContain('urlToken')
    expect(dump() + String(errors)).not.toMatch(/aaaa[+%]|token=/)
  })
})

const forms: Record<string, (values: readonly string[]) => LambdaEvent> = {
  'API Gateway, payload 1.0': (values) => ({
    queryStringParameters: { token: values.at(-1) },
    multiValueQueryStringParameters: { token: values },
  }),
  'API Gateway, payload 2.0': (values) => ({
    rawQueryString: values.map((value) => `token=${encodeURIComponent(value)}`).join('&'),
    queryStringParameters: { token: values.join(',') },
  }),
  'a load balancer with multi-value headers': (values) => ({
    requestContext: { elb: {} },
    multiValueQueryStringParameters: { token: values.map(encodeURIComponent) },
  }),
}

describe.each(Object.entries(forms))('urlToken on a Lambda behind %s', (_, toQuery) => {
  it('accepts exactly one correct token', async () => {
    const verify = urlToken({ token })
    const handler = toLambdaHandler(createReceiver({ verify }).onError(() => {}))
    const event = { httpMethod: 'POST', path: '/stage/hooks', headers: post.headers, body: post.body }
    const respond = async (...values: string[]) =>
      (await handler({ ...event, ...toQuery(values) })).statusCode
    expect(await respond(token)).toBe(200)
    for (const values of [[], [''], [`${token}x`], [token, token], [token.replace('+', ' ')], [encoded]])
      expect(await respond(...values)).toBe(401)
    expect((await handler({ ...event, body: JSON.parse(post.body), ...toQuery([token]) })).statusCode).toBe(
      200,
    )
  })

  it('takes a space for a space', async () => {
    const handler = toLambdaHandler(createReceiver({ verify: urlToken({ token: 'aaaa bbbb cccc dddd' }) }))
    const event = { httpMethod: 'POST', path: '/', headers: post.headers, body: post.body }
    expect((await handler({ ...event, ...toQuery(['aaaa bbbb cccc dddd']) })).statusCode).toBe(200)
  })
})

it('accepts a token from a load balancer without multi-value headers, which keeps the last of several', async () => {
  const handler = toLambdaHandler(createReceiver({ verify: urlToken({ token }) }).onError(() => {}))
  const event = { requestContext: { elb: {} }, httpMethod: 'POST', headers: post.headers, body: post.body }
  const respond = async (value: string) =>
    (await handler({ ...event, queryStringParameters: { token: value } })).statusCode
  expect([await respond(encoded), await respond('x')]).toEqual([200, 401])
})

it('accepts a token from a load balancer behind middleware that adds the parameters that the event does not have', async () => {
  const handler = toLambdaHandler(createReceiver({ verify: urlToken({ token }) }))
  const event = { requestContext: { elb: {} }, httpMethod: 'POST', headers: post.headers, body: post.body }
  const queryStringParameters = { token: encoded }
  const normalized = { ...event, queryStringParameters, multiValueQueryStringParameters: {} }
  expect((await handler(normalized)).statusCode).toBe(200)
})

it('accepts a token behind routes of Hono, with and without a parser', async () => {
  const receiver = createReceiver({ verify: urlToken({ token }) }).onError(() => {})
  const hooks = new Hono()
    .post('/in', (context) => receiver.handle(context))
    .post('/parsed', async (context) => {
      await context.req.json()
      return receiver.handle(context)
    })
  const app = new Hono().route('/hooks', hooks)
  for (const path of ['/hooks/in', '/hooks/parsed']) {
    expect((await app.request(`${path}?token=${encoded}`, post)).status).toBe(200)
    expect((await app.request(`${path}?token=${encoded}x`, post)).status).toBe(401)
  }
})
