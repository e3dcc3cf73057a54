import { createServer } from 'node:http'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { describe, expect, it } from 'vitest'
import { signed, summary } from '../signed.ts'
import { frameworkCases, listen, parsedBodyCases, recording, sendRaw } from './framework-cases.ts'

describe('toNodeHandler on node:http', () => {
  frameworkCases((receiver) => listen(createServer(toNodeHandler(receiver))))

  it('answers 405 to what is not POST', async () => {
    const url = await listen(createServer(toNodeHandler(recording().receiver)))
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('gives up the connection of a body that it left unread', async () => {
    const { receiver } = recording()
    const url = await listen(createServer(toNodeHandler(receiver)))
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    expect(await sendRaw(url, headers, () => {})).toEqual({ status: 401, connection: 'close' })
  })

  it('takes any request target', async () => {
    const { receiver } = recording()
    const seen: string[] = []
    const handler = toNodeHandler({
      handle: (request) => {
        seen.push(new URL(request.url).pathname)
        return receiver.handle(request)
      },
    })
    const url = new URL(
      await listen(
        createServer((request, response) => {
          request.url = request.headers['x-target'] as string
          return handler(request, response)
        }),
      ),
    )
    for (const target of ['/a?b=c', '//', '*', 'http://[', '/%']) {
      const { headers, ...delivery } = await signed(summary)
      expect((await fetch(url, { ...delivery, headers: { ...headers, 'x-target': target } })).status).toBe(
        200,
      )
    }
    expect(seen[0]).toBe('/a')
  })

  it('tells handlers that the sender hung up', async () => {
    const { receiver } = recording()
    const hungUp = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    receiver.onAny(async (_, { signal }) => {
      started.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      hungUp.resolve()
    })
    const url = await listen(createServer(toNodeHandler(receiver)))
    const sender = new AbortController()
    const sent = fetch(url, { ...(await signed(summary)), signal: sender.signal })
    await started.promise
    sender.abort()
    await expect(sent).rejects.toThrow()
    await hungUp.promise
  })
})

describe('toNodeHandler after something has read the stream', () => {
  parsedBodyCases((receiver) => {
    const handler = toNodeHandler(receiver)
    return listen(
      createServer(async (request, response) => {
        for await (const _ of request);
        return handler(request, response)
      }),
    )
  })
})
