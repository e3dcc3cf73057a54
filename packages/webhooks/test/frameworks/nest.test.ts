import 'reflect-metadata'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Receiver } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signed, summary } from '../signed.ts'
import { frameworkCases, parsedBodyCases, recording } from './framework-cases.ts'

const start =
  (options: { rawBody?: boolean; bodyParser?: boolean }) =>
  async (receiver: Receiver): Promise<string> => {
    const handler = toNodeHandler(receiver)
    class WebhookController {
      receive(...[request, response]: Parameters<typeof handler>) {
        return handler(request, response)
      }
    }
    // The decorators of a controller, written as calls.
    const { prototype } = WebhookController
    Req()(prototype, 'receive', 0)
    Res()(prototype, 'receive', 1)
    Post()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {})
    Controller('webhooks')(WebhookController)
    class App {}
    Module({ controllers: [WebhookController] })(App)

    const app = await NestFactory.create(App, { logger: false, forceCloseConnections: true, ...options })
    await app.listen(0, '127.0.0.1')
    onTestFinished(() => app.close())
    return `${await app.getUrl()}/webhooks`
  }

describe('NestJS 12 with bodyParser: false', () => {
  frameworkCases(start({ bodyParser: false }))
})

describe('NestJS 12 with rawBody: true', () => {
  it('receives a signed event and rejects a forged one', async () => {
    const { receiver, events } = recording()
    const url = await start({ rawBody: true })(receiver)
    const delivery = await signed(summary)
    expect((await fetch(url, delivery)).status).toBe(200)
    expect((await fetch(url, { ...delivery, body: delivery.body.replace('42', '43') })).status).toBe(401)
    expect(events).toEqual([summary])
  })
})

describe('NestJS 12 with its defaults', () => {
  parsedBodyCases(start({}))
})

// NestJS passes Fastify's request and reply. With rawBody: true, its parser keeps the bytes in the request.
describe('NestJS on Fastify', () => {
  const startFastify = async (receiver: Receiver, options: { rawBody?: boolean } = {}) => {
    const app = fastify({ forceCloseConnections: true })
    onTestFinished(() => app.close())
    if (options.rawBody) {
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
        Object.assign(request, { rawBody: body })
        done(null, JSON.parse(String(body)))
      })
    }
    const handler = toNodeHandler(receiver)
    app.post('/webhooks', (request, reply) => handler(request, reply))
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
  }

  it('receives a signed event and rejects a forged one with rawBody: true', async () => {
    const { receiver, events } = recording()
    const url = await startFastify(receiver, { rawBody: true })
    const delivery = await signed(summary)
    expect((await fetch(url, delivery)).status).toBe(200)
    expect((await fetch(url, { ...delivery, body: delivery.body.replace('42', '43') })).status).toBe(401)
    expect(events).toEqual([summary])
  })

  describe('without rawBody', () => {
    parsedBodyCases(startFastify)
  })
})
