import { createServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import {
  basicAuth,
  createReceiver,
  memoryDedupe,
  type Receiver,
  standardWebhooks,
  staticHeader,
  type Verifier,
} from '@wabakit/webhooks'
import { toFastifyPlugin } from '@wabakit/webhooks/fastify'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test, vi } from 'vitest'
import { type Endpoint, listen, previousSecret, secret, startEndpoint } from './endpoint.ts'
import { examine, listFindings } from './examine.ts'

vi.setConfig({ maxConcurrency: 12, testTimeout: 60_000 })

/** A receiver of wabakit that writes a line for each event. */
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

const serveFetch = ({ handle }: Pick<Receiver, 'handle'>, effects: string[]): Promise<Endpoint> => {
  const app = new Hono()
  app.post('/webhooks', (context) => handle(context.req.raw))
  return listen(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as never, effects)
}

const onHono = (): Promise<Endpoint> => {
  const { receiver, effects } = createRecording()
  return serveFetch(receiver, effects)
}

/** What people write with a signing library alone: Express, the raw body, and a unique constraint. */
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

/** Tries one webhook object per secret, as the libraries know one secret each. */
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

/** Svix verifies and leaves the parsing to its caller. */
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

const endpoints: Record<string, { start(): Promise<Endpoint>; options?: Parameters<typeof examine>[1] }> = {
  'node:http': { start: () => onNode() },
  'Express 5': { start: () => onExpress() },
  'Express 5 behind express.raw()': { start: () => onExpress(express.raw({ type: '*/*', limit: '1mb' })) },
  'Fastify 5': { start: onFastify },
  'Koa 3': { start: onKoa },
  Hono: { start: onHono },
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

describe.concurrent('a correct endpoint raises no alarm', () => {
  test.each(Object.entries(endpoints))('%s', async (_, { start, options }) => {
    await using endpoint = await start()
    const report = await examine(endpoint, options)
    expect(listFindings(report).fail).toEqual([])
    expect(report.verdict).toBe('pass')
    const unclear = report.checks.filter(({ verdict }) => verdict === 'inconclusive')
    expect(unclear.map(({ id, observed }) => `${id}: ${observed}`)).toEqual([])
  })
})
