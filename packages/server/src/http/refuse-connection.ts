import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestRefusedError } from '@wabakit/core'
import { createParserRefusal, formatRefusal } from '@wabakit/core/hosting'

type ConnectionRefusalOptions = {
  /** Responses that are not finished yet. */
  readonly running: ReadonlySet<ServerResponse>
  readonly createRequestId: () => string
  /** Receives each refusal for counting and logging. */
  readonly onRefused: (refusal: { readonly status: number; readonly requestId: string }) => void
}

/** Responds to the events of node:http that have no response object: `clientError` and `connect`. */
export type ConnectionRefusal = {
  /** Refuses a request that the HTTP parser rejected, and closes the connection. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void
  /** Refuses to be a proxy. */
  connect(socket: Duplex): void
}

export const createConnectionRefusal = (options: ConnectionRefusalOptions): ConnectionRefusal => {
  const refuse = (refusal: RequestRefusedError, socket: Duplex): void => {
    socket.on('error', () => {})
    const pending = [...options.running].filter(({ req }) => req.socket === socket)
    const last = pending.at(-1)
    if (last?.req.complete === true) {
      // The invalid data follows valid requests. A refusal now could be mistaken for the response to one of them.
      last.shouldKeepAlive = false
      return
    }
    if (!socket.writable || pending.length > 1 || last?.headersSent === true) {
      socket.destroy()
      return
    }
    const requestId = options.createRequestId()
    socket.end(formatRefusal(refusal, requestId), () => socket.destroy())
    options.onRefused({ status: refusal.status, requestId })
  }
  return {
    clientError: (error, socket) => refuse(createParserRefusal(error.code), socket),
    connect: (socket) => {
      const message = 'This server is not a proxy: it does not support CONNECT.'
      refuse(
        new RequestRefusedError('method_not_allowed', message, { headers: { allow: 'GET, POST' } }),
        socket,
      )
    },
  }
}
