import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ConnectionInfo } from '@wabakit/core'

/** Answers a request; rejects to reset the connection. */
type Handler = (request: Request, connection: ConnectionInfo) => Promise<Response>

/** Where to listen. */
export type PortOptions = {
  /** 0 for a free one. */
  readonly port: number
  readonly host: string
}

/** An open port. */
export type OpenPort = {
  /** Without a trailing slash. */
  readonly url: string
  close(): Promise<void>
}

const toRequest = (incoming: IncomingMessage, origin: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const each of value ?? []) headers.append(name, each)
  }
  const { method = 'GET', url = '/' } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {}
  return new Request(new URL(url, origin), { method, headers, signal, ...body })
}

const write = async (answer: Response, response: ServerResponse): Promise<void> => {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
}

/** Listens on a port until it is closed. */
export const listen = async (handle: Handler, { port, host }: PortOptions): Promise<OpenPort> => {
  let origin = ''
  const server = createServer(async (incoming, response) => {
    const hangUp = new AbortController()
    response.once('close', () => hangUp.abort())
    try {
      const { remoteAddress } = incoming.socket
      const answer = await handle(toRequest(incoming, origin, hangUp.signal), { remoteAddress })
      await write(answer, response)
    } catch {
      // A fault, or a client that is gone: either way the connection ends here.
      incoming.socket.resetAndDestroy()
    }
  })
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  return {
    url: origin,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
