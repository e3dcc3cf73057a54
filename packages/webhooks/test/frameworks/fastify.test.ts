import { toFastifyPlugin } from '@wabakit/webhooks/fastify'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { getStatus, sendBytes } from '../malformed-requests.ts'
import { signed, summary } from '../signed.ts'
import { frameworkCases, recording, refusedBodyCases, type Start, sendRaw } from './framework-cases.ts'
import { malformedCases } from './malformed-cases.ts'

const start: Start = async (receiver) => {
  const app = fastify({ forceCloseConnections: true })
  app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })
  onTestFinished(() => app.close())
  return `${await app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`
}

describe('Fastify 5', () => {
  frameworkCases(start)
  refusedBodyCases(start)
  // Fastify itself rejects paths with invalid percent-encoding (400), methods that it does not route (404) and malformed
  // content types (415).
  malformedCases(
    async (receiver) => {
      const app = fastify({ forceCloseConnections: true })
      app.register(toFastifyPlugin(receiver, { url: '*' }))
      onTestFinished(() => app.close())
      return app.listen({ port: 0, host: '127.0.0.1' })
    },
    { alsoAllowed: [400, 404, 415] },
  )

  it('responds 405 to methods other than POST', async () => {
    const url = await start(recording().receiver)
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await fetch(url, { method })).status).toBe(405)
    const trace = 'TRACE /webhooks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
    expect(getStatus(await sendBytes(Number(new URL(url).port), trace))).toBe(405)
  })

  it('closes the connection if the body was not read', async () => {
    const { receiver } = recording()
    const url = await start(receiver)
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    expect(await sendRaw(url, headers, () => {})).toEqual({ status: 401, connection: 'close' })
  })

  it('keeps the connection open if the body was read, with and without a final slash', async () => {
    const url = await start(recording().receiver)
    for (const each of [url, `${url}/`]) {
      const response = await fetch(each, await signed(summary))
      expect([response.status, response.headers.get('connection')]).toEqual([200, 'keep-alive'])
    }
  })

  it('rejects options that do not exist', async () => {
    const app = fastify()
    const options = { path: '/webhooks' } as object
    app.register(toFastifyPlugin(recording().receiver, options))
    await expect(app.ready()).rejects.toThrow('an option of toFastifyPlugin()')
  })

  it('does not change the parsers of other routes', async () => {
    const app = fastify()
    onTestFinished(() => app.close())
    app.register(toFastifyPlugin(recording().receiver, { url: '/webhooks' }))
    app.post('/other', async (request) => request.body)
    const headers = { 'content-type': 'application/json' }
    const other = await app.inject({ method: 'POST', url: '/other', payload: '{"a":1}', headers })
    expect(other.json()).toEqual({ a: 1 })
  })

  it('receives what app.inject() sends', async () => {
    const { receiver, events } = recording()
    const app = fastify()
    onTestFinished(() => app.close())
    app.register(toFastifyPlugin(receiver, { url: '/webhooks' }))
    const { body, headers } = await signed(summary)
    const response = await app.inject({ method: 'POST', url: '/webhooks', payload: body, headers })
    expect([response.statusCode, events]).toEqual([200, [summary]])
  })
})
