import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { createReceiver, type Receiver, staticHeader } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { NodeRequest } from '../../src/node-request.ts'
import { getStatus, sendBytes } from '../malformed-requests.ts'
import { signed, summary } from '../signed.ts'
import {
  frameworkCases,
  listen,
  parsedBodyCases,
  recording,
  refusedBodyCases,
  sendRaw,
} from './framework-cases.ts'
import { malformedCases } from './malformed-cases.ts'

describe('toNodeHandler on node:http', () => {
  frameworkCases((receiver) => listen(createServer(toNodeHandler(receiver))))
  refusedBodyCases((receiver) => listen(createServer(toNodeHandler(receiver))))

  malformedCases((receiver) => listen(createServer(toNodeHandler(receiver))))

  it('responds 405 to methods other than POST', async () => {
    const url = await listen(createServer(toNodeHandler(recording().receiver)))
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('closes the connection if the body was not read', async () => {
    const { receiver } = recording()
    const url = await listen(createServer(toNodeHandler(receiver)))
    const headers = { 'content-type': 'application/json', 'content-length': '1000' }
    expect(await sendRaw(url, headers, () => {})).toEqual({ status: 401, connection: 'close' })
  })

  it('keeps the connection open if the body was read', async () => {
    const url = await listen(createServer(toNodeHandler(recording().receiver)))
    const response = await fetch(url, await signed(summary))
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'keep-alive'])
  })

  it('takes the chunks of a body that the receiver does not read yet, each of which node:http would keep', async () => {
    const verify = staticHeader({ header: 'x-token', value: () => new Promise(() => {}) })
    const handle = toNodeHandler(createReceiver({ verify }))
    let incoming: IncomingMessage | undefined
    const server = createServer((request, response) => {
      incoming = request
      void handle(request, response)
    })
    const { port } = new URL(await listen(server))
    const socket = connectTcp(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const head = 'POST / HTTP/1.1\r\nhost: a\r\nx-token: b\r\ntransfer-encoding: chunked\r\n\r\n'
    const sent = head + '1\r\nx\r\n'.repeat(20_000)
    socket.write(sent)
    await expect.poll(() => incoming?.socket.bytesRead).toBe(sent.length)
    expect(incoming?.readableLength).toBe(0)
  })

  it('handles requests of HTTP/2, whose headers include the method and the path', async () => {
    const { receiver, events } = recording()
    const handler = toNodeHandler(receiver) as unknown as Parameters<typeof createHttp2Server>[1]
    const server = createHttp2Server({}, handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect(`http://127.0.0.1:${Object(server.address()).port}`)
    onTestFinished(() => {
      client.close()
      server.close()
    })
    const { body, headers } = await signed(summary)
    const stream = client.request({ ...headers, ':method': 'POST', ':path': '/webhooks' })
    stream.end(body)
    const [response] = await once(stream, 'response')
    expect([response[':status'], events]).toEqual([200, [summary]])
  })

  it('explains that other code has begun to read the body', async () => {
    const { receiver, errors } = recording()
    const handler = toNodeHandler(receiver)
    const url = await listen(
      createServer((request, response) => {
        request.once('data', () => {
          request.pause()
          void handler(request, response)
        })
      }),
    )
    const { headers, body } = await signed({ ...summary, pad: 'p'.repeat(500_000) })
    const response = await fetch(url, { method: 'POST', headers, body })
    expect([response.status, errors]).toMatchObject([400, [{ code: 'body_was_parsed' }]])
  })

  it('accepts any request target that can be a URL, without its credentials', async () => {
    const { receiver } = recording()
    const seen: string[] = []
    const handler = toNodeHandler({
      handle: (request) => {
        seen.push(request.url)
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
    const targets = ['/a?b=c', '//', '//user:password@host/', '*', '/%', 'http://user:password@h/a']
    for (const target of targets) {
      const { headers, ...delivery } = await signed(summary)
      expect((await fetch(url, { ...delivery, headers: { ...headers, 'x-target': target } })).status).toBe(
        200,
      )
    }
    expect(seen).toEqual([
      'http://localhost/a?b=c',
      'http://localhost//',
      'http://localhost//user:password@host/',
      'http://localhost/*',
      'http://localhost/%',
      'http://h/a',
    ])
  })

  it('aborts the signal of handlers when the sender hangs up', async () => {
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

describe('toNodeHandler never rejects', () => {
  /** Returns the response after changing the request, the response and the receiver before the handler runs. */
  const send = async (
    {
      receiver = recording().receiver,
      change = () => {},
    }: {
      receiver?: Pick<Receiver, 'handle'>
      change?: (request: NodeRequest, response: ServerResponse) => void
    },
    bytes = 'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
  ) => {
    const settled = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      change(request, response)
      toNodeHandler(receiver)(request, response).then(settled.resolve, settled.reject)
    })
    const status = getStatus(await sendBytes(Number(new URL(await listen(server)).port), bytes))
    await settled.promise
    return status
  }
  const silence = () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    return log
  }

  it('when a getter of the body throws', async () => {
    const change = (request: NodeRequest) => {
      const get = () => {
        throw new Error('Invalid JSON')
      }
      Object.defineProperty(request, 'body', { get })
    }
    expect(await send({ change })).toBe(400)
  })

  it('and does not read a getter of the body if the bytes were kept', async () => {
    const { receiver, events } = recording()
    const { body, headers } = await signed(summary)
    const change = (request: NodeRequest) => {
      const get = () => {
        throw new Error('Invalid JSON')
      }
      Object.assign(request.headers, headers)
      Object.defineProperty(request, 'body', { get })
      Object.assign(request, { rawBody: Buffer.from(body) })
    }
    expect(await send({ receiver, change })).toBe(200)
    expect(events).toEqual([summary])
  })

  it('when Fetch rejects a header that Node or a middleware accepted', async () => {
    for (const [name, value] of [
      ['x y', 'z'],
      ['x', 'a\0b'],
      ['x', '€'],
    ] as const) {
      const change = (request: NodeRequest) => void Object.assign(request.headers, { [name]: value })
      expect(await send({ change })).toBe(400)
    }
  })

  it('when the receiver rejects', async () => {
    const log = silence()
    const receiver = { handle: () => Promise.reject(new Error('not ours')) }
    expect(await send({ receiver })).toBe(500)
    expect(log).toHaveBeenCalledTimes(1)
  })

  it('when the response cannot be written', async () => {
    const log = silence()
    const receiver = { handle: async () => Response.error() }
    expect(await send({ receiver })).toBeUndefined()
    expect(log).toHaveBeenCalledTimes(1)
  })

  it('when something else has already responded, and leaves that response alone', async () => {
    const log = silence()
    const change = (_: NodeRequest, response: ServerResponse) => void response.writeHead(504).end()
    expect(await send({ change })).toBe(504)
    expect(log).not.toHaveBeenCalled()
  })

  it('when the connection is closed before the response', async () => {
    const change = (_: NodeRequest, response: ServerResponse) => void response.destroy()
    expect(await send({ change })).toBeUndefined()
    const closed = Promise.withResolvers<void>()
    const receiver = {
      handle: async () => {
        await closed.promise
        return new Response('{}', { status: 500 })
      },
    }
    const closeEarly = (request: NodeRequest, response: ServerResponse) => {
      response.once('close', closed.resolve)
      request.socket.destroy()
    }
    expect(await send({ receiver, change: closeEarly })).toBeUndefined()
  })

  it('when the sender hangs up while sending the body', async () => {
    const { receiver, errors } = recording()
    const { headers } = await signed(summary)
    const head = Object.entries({ ...headers, host: 'h', 'content-length': '1000' })
    const bytes = `POST / HTTP/1.1\r\n${head.map((each) => each.join(': ')).join('\r\n')}\r\n\r\n{`
    const change = (request: NodeRequest) => void setImmediate(() => request.socket.destroy())
    expect(await send({ receiver, change }, bytes)).toBeUndefined()
    expect(errors).toMatchObject([{ code: 'body_unreadable' }])
  })
})
