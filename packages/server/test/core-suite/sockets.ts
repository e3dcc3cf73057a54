import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createIds, memoryStore, type ReferenceServer } from '@wabakit/core'
import { Agent, request as sendRequest } from 'undici'
import type { Receive, Stage } from '../../../core/test/suite/stage.ts'
import { parseConfig } from '../../src/config/settings.ts'
import { createTransport } from '../../src/delivery/transport.ts'
import { createHttpServer } from '../../src/http/http-server.ts'
import { createRequestHandler } from '../../src/http/request-handler.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createLogger } from '../../src/serve/logger.ts'

const toHeaders = ({ rawHeaders }: IncomingMessage): Headers => {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

/** What waits for a delivery. `fail` takes what the endpoint throws. */
type Awaited = { readonly receive: Receive; fail(error: unknown): void }

/** Starts an endpoint. Each delivery has a path of its own, which leads to the function that receives it. */
const startEndpoint = async () => {
  const awaited = new Map<string, Awaited>()
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const delivery = awaited.get(request.url ?? '')
    if (request.method !== 'POST' || delivery === undefined) throw new Error('Not a delivery.')
    const read = async function* () {
      try {
        const received = await delivery.receive(toHeaders(request), body)
        response.writeHead(received.status, Object.fromEntries(received.headers))
        yield* received.body ?? []
      } catch (error) {
        delivery.fail(error)
        throw error
      }
    }
    await pipeline(read(), response)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The endpoint has no port.')
  const url = `http://127.0.0.1:${address.port}`
  const transport = createTransport({ allowPrivateTargets: true })
  await transport.load()
  let count = 0
  const deliver: Stage['deliver'] = async (request, receive) => {
    const path = `/${++count}`
    let failure: unknown
    const fail = (error: unknown): void => {
      failure = error
    }
    awaited.set(path, { receive, fail })
    try {
      const { status, headers, body } = await transport.fetch(url + path, request)
      return { status, headers, body }
    } catch (error) {
      // An error that the endpoint throws stands for a request that did not arrive.
      throw failure ?? error
    } finally {
      awaited.delete(path)
    }
  }
  return {
    deliver,
    close: async (): Promise<void> => {
      await transport.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Starts an HTTP server in front of any number of reference servers, which the Host header tells apart. */
const startFront = async () => {
  const servers = new Map<string, ReferenceServer>()
  const find = (headers: { get(name: string): string | null }): ReferenceServer => {
    const server = servers.get(headers.get('host') ?? '')
    if (server === undefined) throw new Error('No such server.')
    return server
  }
  const settings = parseConfig({ port: 0, trustProxy: 1, drainMs: 0 }, () => 'the suite')
  const createRequestId = createIds({ clock: Date, random: Math.random }).bind(undefined, 'req')
  const log = await createLogger({ logLevel: 'silent' })
  const metrics = createMetrics({ store: memoryStore(), clock: Date })
  const handler = createRequestHandler({
    api: {
      fetch: (request, options) => find(request.headers).fetch(request, options),
      respond: (request, options) => find(request.headers).respond(request, options),
      control: async () => new Response(null, { status: 404 }),
      faults: undefined,
      logSent: async () => {},
      isLive: false,
      isControlOpen: false,
    },
    pages: new Map(),
    metrics,
    log,
    createRequestId,
    trustProxy: 1,
    onError: (error) => console.error(error),
  })
  const http = createHttpServer({ settings, handler, createRequestId })
  const url = await http.listen()
  const client = new Agent()
  let count = 0
  const serve: Stage['serve'] = (server) => {
    const host = `s${++count}.test`
    servers.set(host, server)
    return async ({ method, url: asked, headers, body }, remoteAddress) => {
      const { pathname, search } = new URL(asked)
      const sent = await sendRequest(url + pathname + search, {
        dispatcher: client,
        method,
        headers: {
          ...Object.fromEntries(headers),
          host,
          ...(remoteAddress !== undefined && { 'x-forwarded-for': remoteAddress }),
        },
        body: body === null ? null : new Uint8Array(await new Response(body).arrayBuffer()),
      })
      const received = new Headers()
      for (const [name, value] of Object.entries(sent.headers)) received.append(name, String(value))
      return new Response(await sent.body.arrayBuffer(), { status: sent.statusCode, headers: received })
    }
  }
  return {
    serve,
    close: async (): Promise<void> => {
      await client.destroy()
      await http.close(0)
      metrics.close()
    },
  }
}

/** Creates a stage on which requests and deliveries take real connections. */
export const createSocketStage = async (openStore: Stage['openStore']) => {
  const [front, endpoint] = [await startFront(), await startEndpoint()]
  const { serve } = front
  const { deliver } = endpoint
  const close = async (): Promise<void> => {
    await Promise.all([front.close(), endpoint.close()])
  }
  return { openStore, serve, deliver, close }
}
