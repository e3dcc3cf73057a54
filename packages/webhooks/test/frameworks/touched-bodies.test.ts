import { createServer, type IncomingMessage } from 'node:http'
import { buffer as consume } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { bearerAuth, createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { secret, signed, summary } from '../signed.ts'
import { listen } from './framework-cases.ts'

/** What code before the receiver does to a request. */
type Touch = (request: IncomingMessage & { body?: unknown; rawBody?: unknown }) => unknown

const verifiers = {
  signature: standardWebhooks({ secrets: [secret] }),
  token: bearerAuth({ token: 't0ken' }),
}

const start = async (verify: keyof typeof verifiers, touch: Touch) => {
  const events: unknown[] = []
  const receiver = createReceiver({ verify: verifiers[verify] })
    .onAny((event) => events.push(event))
    .onError(() => {})
  const handler = toNodeHandler(receiver)
  const server = createServer(async (request, response) => {
    await touch(request)
    await handler(request, response)
  })
  return { events, url: await listen(server) }
}

describe.each(Object.keys(verifiers) as (keyof typeof verifiers)[])('with a %s, a body', (verify) => {
  const deliver = async (touch: Touch, compress = false) => {
    const { events, url } = await start(verify, touch)
    const { body, headers } = await signed(summary, { headers: { authorization: 'Bearer t0ken' } })
    const encoded = compress ? { 'content-encoding': 'gzip' } : {}
    const response = await fetch(url, {
      method: 'POST',
      body: compress ? gzipSync(body) : body,
      headers: { ...headers, ...encoded },
    })
    return { status: response.status, text: await response.text(), events }
  }

  it.each<[string, Touch]>([
    ['is decoded as UTF-8', (request) => request.setEncoding('utf8')],
    ['is decoded as Latin-1', (request) => request.setEncoding('latin1')],
    ['is decoded as base64', (request) => request.setEncoding('base64')],
    ['has a listener for its end', (request) => request.on('end', () => {})],
    ['was paused', (request) => request.pause()],
    ['was kept as bytes', async (request) => Object.assign(request, { rawBody: await consume(request) })],
    [
      'was kept as text',
      async (request) => Object.assign(request, { rawBody: String(await consume(request)) }),
    ],
    [
      'was replaced by its bytes',
      async (request) => Object.assign(request, { body: await consume(request) }),
    ],
  ])('that %s before is received', async (_, touch) => {
    expect(await deliver(touch)).toEqual({ status: 200, text: '', events: [summary] })
  })

  it('that was decompressed before is received if its bytes are kept', async () => {
    const inflate: Touch = async (request) => {
      request.rawBody = await consume(request.pipe(createGunzip()))
    }
    expect(await deliver(inflate, true)).toEqual({ status: 200, text: '', events: [summary] })
  })

  it('that is compressed gets a 415 that says so', async () => {
    const { status, text, events } = await deliver(() => {}, true)
    expect([status, events]).toEqual([415, []])
    expect(text).toMatch(/is compressed. Decompress it before the receiver/)
  })

  it.each<[string, Touch, boolean]>([
    ['was consumed', consume, false],
    ['has a listener for its data', (request) => request.on('data', () => {}), false],
    ['was discarded', (request) => new Promise((resolve) => request.resume().on('end', resolve)), false],
    ['was decompressed by a pipe', (request) => void consume(request.pipe(createGunzip())), true],
    [
      'is being listened to',
      async (request) => {
        const read = new Promise((resolve) => request.once('data', resolve))
        await read
        await setImmediate()
      },
      false,
    ],
  ])('that %s before gets a 400 with the remedy', async (_, touch, compress) => {
    const { status, text, events } = await deliver(async (request) => {
      await touch(request)
      while (!request.readableDidRead) await setImmediate()
    }, compress)
    expect([status, events]).toEqual([400, []])
    expect(text).toMatch(/Mount the receiver before any body parser/)
  })
})

it('is received behind express.json(), which has decompressed it, with a token', async () => {
  const events: unknown[] = []
  const receiver = createReceiver({ verify: verifiers.token }).onAny((event) => events.push(event))
  const app = express().use(express.json()).post('/webhooks', toNodeHandler(receiver))
  const headers = {
    authorization: 'Bearer t0ken',
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  }
  const body = gzipSync(JSON.stringify(summary))
  expect((await fetch(await listen(createServer(app)), { method: 'POST', body, headers })).status).toBe(200)
  expect(events).toEqual([summary])
})

it.each([' ', '\n', '\r\n\t'])(
  'that begins with %j is received if it was decompressed before',
  async (space) => {
    const receiver = createReceiver({ verify: verifiers.token }).onAny(() => {})
    const headers = {
      authorization: 'Bearer t0ken',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    }
    const body = `${space}${JSON.stringify(summary)}`
    const request = new Request('https://receiver.example', { method: 'POST', body, headers })
    expect((await receiver.handle(request)).status).toBe(200)
  },
)
