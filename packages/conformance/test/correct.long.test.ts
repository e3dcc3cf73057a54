import 'reflect-metadata'
import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { createAdaptorServer } from '@hono/node-server'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import {
  basicAuth,
  createReceiver,
  memoryDedupe,
  sqlInbox,
  standardWebhooks,
  staticHeader,
  type Verifier,
} from '@wabakit/webhooks'
import { toFastifyPlugin } from '@wabakit/webhooks/fastify'
import { type LambdaEvent, toLambdaHandler } from '@wabakit/webhooks/lambda'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test, vi } from 'vitest'
import { isMatrix } from '../../server/test/programs.ts'
import { type Endpoint, listen, previousSecret, secret, startEndpoint } from './endpoint.ts'
import { examine, listFindings } from './examine.ts'

vi.setConfig({ maxConcurrency: 6, testTimeout: 1_200_000 })

/** Creates a wabakit receiver that records a line for each event. */
const createRecording = (verify: Verifier = standardWebhooks({ secrets: [secret, previousSecret] })) => {
  const effects: string[] = []
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() }).onAny((event) => {
    effects.push(`${event.event} ${'callId' in event ? event.callId : event.groupId}`)
  })
  return { receiver, effects }
}

const onNode = (verify?: Verifier): Promise<Endpoint> => {
  const { receiver, effects } = createRecording(verify)
  return listen(createServer(toNodeHandler(receiver)), effects)
}

/** Handles events after the response. */
const onInbox = async (): Promise<Endpoint> => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE effects (effect text)')
  const receiver = createReceiver({
    verify: standardWebhooks({ secrets: [secret, previousSecret] }),
    inbox: sqlInbox(database, { onParked: () => {} }),
  }).onAny((event, { atCompletion }) => {
    const effect = `${event.event} ${'callId' in event ? event.callId : event.groupId}`
    atCompletion((given) => given.prepare('INSERT INTO effects VALUES (?)').run(effect))
  })
  receiver.start()
  const endpoint = await listen(createServer(toNodeHandler(receiver)))
  return {
    url: endpoint.url,
    get effects() {
      return database
        .prepare('SELECT effect FROM effects')
        .all()
        .map(({ effect }) => `${effect}`)
    },
    [Symbol.asyncDispose]: async () => {
      await endpoint[Symbol.asyncDispose]()
      await receiver.stop()
      database.close()
    },
  }
}

const onExpress = (...parsers: express.Handler[]): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const app = express().set('env', 'production')
  app.post('/webhooks', ...parsers, toNodeHandler(receiver))
  return listen(createServer(app), effects)
}

const onFastify = async (): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const app = fastify({ forceCloseConnections: true })
  app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
  return { url, effects, [Symbol.asyncDispose]: () => app.close() }
}

const onKoa = (): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const app = new Koa()
  app.silent = true
  app.use((context) => {
    context.respond = false
    return toNodeHandler(receiver)(context.req, context.res)
  })
  return listen(createServer(app.callback()), effects)
}

/** Serves a Fetch handler. */
const serveFetch = (fetch: (request: Request) => Response | Promise<Response>, effects: string[]) =>
  listen(createAdaptorServer({ fetch, overrideGlobalObjects: false }) as never, effects)

const onHono = (): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const app = new Hono()
  app.post('/webhooks', (c) => receiver.handle(c.req.raw))
  return serveFetch(async (request) => app.fetch(request), effects)
}

const onNest = async (): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const handler = toNodeHandler(receiver)
  class WebhookController {
    receive(...[request, response]: Parameters<typeof handler>) {
      return handler(request, response)
    }
  }
  // The controller's decorators, written as calls.
  const { prototype } = WebhookController
  Req()(prototype, 'receive', 0)
  Res()(prototype, 'receive', 1)
  Post()(prototype, 'receive', Object.getOwnPropertyDescriptor(prototype, 'receive') ?? {})
  Controller('webhooks')(WebhookController)
  class App {}
  Module({ controllers: [WebhookController] })(App)
  const app = await NestFactory.create(App, { logger: false, forceCloseConnections: true, bodyParser: false })
  await app.listen(0, '127.0.0.1')
  return { url: `${await app.getUrl()}/webhooks`, effects, [Symbol.asyncDispose]: () => app.close() }
}

/** The events into which AWS gateways convert a request. */
const lambdaEvents: Record<string, (request: IncomingMessage, body: Buffer) => LambdaEvent> = {
  'API Gateway, payload 1.0': ({ method, url, headers, headersDistinct }, body) => ({
    httpMethod: method,
    path: url,
    headers: takeLast(headers),
    multiValueHeaders: headersDistinct,
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  'API Gateway, payload 2.0': ({ method = '', url, headersDistinct }, body) => ({
    rawPath: url,
    rawQueryString: '',
    headers: joinAll(headersDistinct),
    requestContext: { http: { method } },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  'a function URL': ({ method = '', url, headersDistinct }, body) => ({
    rawPath: url,
    rawQueryString: '',
    headers: joinAll(headersDistinct),
    requestContext: { http: { method } },
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
  'a load balancer': ({ method, url, headersDistinct }, body) => ({
    httpMethod: method,
    path: url,
    multiValueHeaders: headersDistinct,
    body: body.toString('base64'),
    isBase64Encoded: true,
  }),
}

const takeLast = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().at(-1) ?? '']))

const joinAll = (headers: IncomingMessage['headersDistinct']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values?.join(',') ?? '']))

const onLambda = (name: string): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  const handler = toLambdaHandler(receiver)
  const server = createServer(async (request, response) => {
    try {
      const event = lambdaEvents[name]?.(request, await buffer(request))
      const { statusCode, headers, body } = await handler(event ?? {})
      response.writeHead(statusCode, headers).end(body)
    } catch {
      // The sender hung up, so the gateway does not invoke the function.
      response.destroy()
    }
  })
  return listen(server, effects)
}

/** A typical endpoint with only a signing library: Express, the raw body, and a unique constraint. */
const onLibrary = (verify: (body: Buffer, headers: Record<string, string>) => unknown): Promise<Endpoint> => {
  const effects: string[] = []
  const seen = new Set<string>()
  const app = express().set('env', 'production')
  app.post('/webhooks', express.raw({ type: '*/*', limit: '1mb' }), (request, response) => {
    let event: unknown
    try {
      event = verify(request.body, request.headers as Record<string, string>)
    } catch {
      return void response.status(400).json({ error: 'invalid webhook' })
    }
    if (typeof event !== 'object' || event === null || Array.isArray(event)) {
      return void response.status(400).json({ error: 'no event' })
    }
    const id = String(request.headers['webhook-id'])
    if (!seen.has(id)) {
      seen.add(id)
      const { event: name, callId, groupId } = event as Record<string, unknown>
      effects.push(`${name} ${callId ?? groupId}`)
    }
    response.sendStatus(204)
  })
  app.use(((_error, _request, response, _next) => {
    response.sendStatus(400)
  }) as express.ErrorRequestHandler)
  return listen(createServer(app), effects)
}

/** Tries one webhook object per secret, because the libraries take a single secret. */
const verifyWithAny =
  (webhooks: readonly { verify(body: string, headers: Record<string, string>): unknown }[]) =>
  (body: Buffer, headers: Record<string, string>): unknown => {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    let reason: unknown
    for (const webhook of webhooks) {
      try {
        return webhook.verify(text, headers)
      } catch (error) {
        reason = error
      }
    }
    throw reason
  }

/** Svix verifies and leaves parsing to the caller. */
const createSvix = (key: string) => {
  const webhook = new SvixWebhook(key)
  return {
    verify: (body: string, headers: Record<string, string>): unknown => {
      webhook.verify(body, headers)
      return JSON.parse(body)
    },
  }
}

const secrets = [secret, previousSecret]
const credentials = { 'x-webhook-token': 'a token of the sender' }
const basic = { authorization: `Basic ${Buffer.from('vendor:correct horse battery').toString('base64')}` }
const unsignedOptions = { secret: undefined, previousSecret: undefined }

type Correct = { start(): Promise<Endpoint>; options?: Parameters<typeof examine>[1] }

const endpoints: Record<string, Correct> = {
  'node:http': { start: () => onNode() },
  'an inbox': { start: onInbox },
  'Express 5': { start: () => onExpress() },
  'Express 5 behind express.raw()': { start: () => onExpress(express.raw({ type: '*/*', limit: '1mb' })) },
  'Fastify 5': { start: onFastify },
  'Koa 3': { start: onKoa },
  Hono: { start: onHono },
  'NestJS 12': { start: onNest },
  ...Object.fromEntries(
    Object.keys(lambdaEvents).map((name): [string, Correct] => [
      `the handler of the README in a Lambda, called as by ${name}`,
      { start: () => onLambda(name) },
    ]),
  ),
  'no library at all': { start: () => startEndpoint() },
  'standardwebhooks alone': {
    start: () => onLibrary(verifyWithAny(secrets.map((each) => new Webhook(each)))),
  },
  'svix alone': { start: () => onLibrary(verifyWithAny(secrets.map(createSvix))) },
  'a static header': {
    start: () => onNode(staticHeader({ header: 'x-webhook-token', value: credentials['x-webhook-token'] })),
    options: { ...unsignedOptions, headers: credentials },
  },
  'basic authentication': {
    start: () => onNode(basicAuth({ username: 'vendor', password: 'correct horse battery' })),
    options: { ...unsignedOptions, headers: basic },
  },
}

/**
 * One of each kind. `doctor.isolated.test.ts` examines one on `node:http`. The others differ in the server or framework, which the
 * tests of the adapters cover, too, or in the library that verifies.
 */
const usual = ['an inbox', 'no library at all', 'basic authentication']

describe.concurrent('a correct endpoint raises no alarm', () => {
  test.each(Object.entries(endpoints).filter(([name]) => isMatrix || usual.includes(name)))(
    '%s',
    async (_, { start, options }) => {
      await using endpoint = await start()
      const report = await examine(endpoint, options)
      expect(listFindings(report).fail).toEqual([])
      expect(report.verdict).toBe('pass')
      // An endpoint may keep one record of a call or a group, which these checks cannot tell from a loss.
      const ambiguous = ['handles-identical-events', 'handles-each-participant']
      const unclear = report.checks.filter(
        ({ verdict, id }) => verdict === 'inconclusive' && !ambiguous.includes(id),
      )
      expect(unclear.map(({ id, observed }) => `${id}: ${observed}`)).toEqual([])
    },
  )
})
