import { createStream } from './create-stream.ts'

/** The part of a request or a socket of Node.js whose data is dropped. */
type Source = {
  readonly destroyed: boolean
  resume(): unknown
  once(name: 'end' | 'close', listener: () => void): unknown
}

type Incoming = Source & { readonly complete: boolean }

/** The part of a socket that is written. */
type Socket = Source & {
  removeAllListeners(name: 'data'): unknown
  on(name: 'data', listener: () => void): unknown
  end(text: string): unknown
  destroy(): unknown
}

/** The part of node:http's ServerResponse that is written. */
type Outgoing = {
  shouldKeepAlive?: boolean
  writeHead(
    status: number,
    headers: Record<string, string | number>,
  ): { end(body: string | Uint8Array): unknown }
  flushHeaders(): void
  write(body: Uint8Array): unknown
  end(): unknown
}

type Content = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | Uint8Array
}

/** Maximum time, in milliseconds, to read the rest of a request after its response. */
const lingerMs = 2_000

/** Maximum number of requests and sockets that are read after their response at the same time. */
const maxLingering = 100

const publishCut = (): void =>
  globalThis.process?.getBuiltinModule?.('node:diagnostics_channel').channel('wabakit.cut').publish({})

/** Live streams are not held, because they have no length. */
const isLive = (headers: Headers): boolean => headers.get('content-type') === 'text/event-stream'

/**
 * Ends responses that were sent before their request had arrived, such as a 401: reads what still arrives, and keeps nothing
 * of it. Closing a socket with unread data resets the connection. A proxy that is still sending the request then
 * responds with 502, and sends nothing more to this server for a while: one stranger with a large body could take the
 * server down for all clients.
 *
 * The response is sent at once, with its length, so that no client waits for its end. It ends with the request, or after
 * 2 seconds. Beyond 100 such requests at a time, further connections are closed at once, and `onCut` is called; by default, it publishes a
 * message on the diagnostics channel `wabakit.cut`.
 */
export const createLinger = (onCut: () => void = publishCut) => {
  let lingering = 0

  /** Reads and drops the data of a request or socket. Resolves when the connection may be closed. */
  const drop = async (source: Source): Promise<void> => {
    if (source.destroyed) return
    if (lingering === maxLingering) return onCut()
    lingering += 1
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, lingerMs)
      source.once('end', resolve)
      source.once('close', resolve)
      source.resume()
    })
    clearTimeout(timer)
    lingering -= 1
  }

  return {
    /** Sends the last response on a socket whose request has no response object. */
    sendLast: (socket: Socket, response: string): void => {
      socket.end(response)
      // Detaches node:http's parser, which would report each further chunk.
      socket.removeAllListeners('data')
      socket.on('data', () => {})
      void drop(socket).then(() => socket.destroy())
    },
    /** Sends a response. */
    send: (
      { incoming, outgoing }: { readonly incoming: Incoming; readonly outgoing: Outgoing },
      { status, headers, body }: Content,
    ): void => {
      if (incoming.complete) {
        outgoing.writeHead(status, headers).end(body)
        return
      }
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      // The rest of the request may never be read, so the connection cannot carry another one.
      outgoing.shouldKeepAlive = false
      outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
      outgoing.flushHeaders()
      outgoing.write(bytes)
      void drop(incoming).then(() => outgoing.end())
    },
    /** Returns the response for a framework that sends it, with a body that ends in time. */
    hold: async (incoming: Incoming, response: Response): Promise<Response> => {
      if (incoming.complete || response.body === null || isLive(response.headers)) return response
      const bytes = new Uint8Array(await response.arrayBuffer())
      const headers = new Headers(response.headers)
      headers.set('connection', 'close')
      headers.set('content-length', String(bytes.length))
      let wasSent = false
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        if (!wasSent && bytes.length > 0) {
          wasSent = true
          return controller.enqueue(bytes)
        }
        await drop(incoming)
        controller.close()
      }
      return new Response(createStream({ pull }), { status: response.status, headers })
    },
  }
}
