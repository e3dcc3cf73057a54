import { createServer } from 'node:http'
import { toNodeHandler } from '@wabakit/webhooks/node'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { signed, summary } from '../signed.ts'
import { frameworkCases, listen, parsedBodyCases, recording, type Start } from './framework-cases.ts'
import { malformedCases } from './malformed-cases.ts'

const start =
  (...parsers: express.Handler[]): Start =>
  (receiver) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.post('/webhooks', toNodeHandler(receiver))
    return listen(createServer(app))
  }

describe('Express 5', () => {
  frameworkCases(start())
  // Express itself responds 404 to a URL that it cannot parse.
  malformedCases(
    (receiver) => {
      const app = express()
      app.use(toNodeHandler(receiver))
      return listen(createServer(app))
    },
    { alsoAllowed: [404] },
  )

  it('may parse the bodies of its other routes', async () => {
    const { receiver, events } = recording()
    const app = express()
    app.post('/webhooks', toNodeHandler(receiver))
    app.use(express.json())
    const url = await listen(createServer(app))
    expect((await fetch(url, await signed(summary))).status).toBe(200)
    expect(events).toEqual([summary])
  })
})

describe('Express 5 behind express.json()', () => {
  parsedBodyCases(start(express.json()))
})

describe.each([
  ['express.raw()', express.raw({ type: '*/*' })],
  ['express.text()', express.text({ type: '*/*' })],
  [
    'express.json() that keeps the bytes as rawBody',
    express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
  ],
])('Express 5 behind %s', (_, parser) => {
  it('receives a signed event and rejects a forged one', async () => {
    const { receiver, events } = recording()
    const url = await start(parser)(receiver)
    const delivery = await signed(summary)
    expect((await fetch(url, delivery)).status).toBe(200)
    expect((await fetch(url, { ...delivery, body: delivery.body.replace('42', '43') })).status).toBe(401)
    expect(events).toEqual([summary])
  })
})
