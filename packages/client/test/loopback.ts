import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type SeenRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

/**
 * Tracks a server's connections and closes them when the test ends. `carrying` holds the open ones that have received
 * bytes: after an abort, Node's fetch opens another, unused connection and keeps it for a while.
 */
const track = (server: Server) => {
  const sockets = new Set<Socket>()
  const carrying = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => carrying.add(socket))
    socket.on('close', () => {
      sockets.delete(socket)
      carrying.delete(socket)
    })
  })
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  return { sockets, carrying }
}

/** Starts a real HTTP service for one test; `respond` is called for each request, with its number from 1. */
export const startService = async (
  respond: (response: ServerResponse, request: SeenRequest, number: number) => void,
) => {
  const requests: SeenRequest[] = []
  const server = createHttpServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() }
      respond(response, request, requests.push(request))
    })
  })
  const connections = track(server)
  return { url: await listen(server), requests, ...connections }
}

/** Starts a raw TCP server for one test, for responses that no HTTP server would send. `talk` gets each connection. */
export const startSockets = async (talk: (socket: Socket, number: number) => void) => {
  const received: string[] = []
  const server = createSocketServer((socket) => {
    const index = received.push('') - 1
    socket.on('data', (chunk) => {
      received[index] += chunk.toString()
    })
    talk(socket, index + 1)
  })
  const connections = track(server)
  return { url: await listen(server), received, ...connections }
}

/** Returns a URL on this machine where nothing listens. */
export const getRefusedUrl = async (): Promise<string> => {
  const server = createSocketServer()
  const url = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return url
}

/** Sends a JSON response. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
