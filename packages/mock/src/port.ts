import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ConnectionInfo } from '@wabakit/core'

/** Responds to a request; rejects to reset the connection. */
type Handler = (request: Request, connection: ConnectionInfo) => Promise<Response>

/** An open port. */
export type OpenPort = {
  /** Without a trailing slash. */
  readonly url: string
  close(): Promise<void>
}

const toRequest = (incoming: IncomingMessage, origin: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const { method = 'GET', url = '/' } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {}
  return new Request(new URL(url, origin), { method, headers, signal, ...body })
}

const write = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  for await (const chunk of response.body ?? []) outgoing.write(chunk)
  outgoing.end()
}

/** Listens on a port of `host`, 0 for a free one, until it is closed. */
export const listen = async (
  handle: Handler,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<OpenPort> => {
  let origin = ''
  const server = createServer(async (incoming, outgoing) => {
    const aborted = new AbortController()
    outgoing.once('close', () => aborted.abort())
    try {
      const { remoteAddress } = incoming.socket
      await write(await handle(toRequest(incoming, origin, aborted.signal), { remoteAddress }), outgoing)
    } catch {
      // A fault, or the client has disconnected.
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
