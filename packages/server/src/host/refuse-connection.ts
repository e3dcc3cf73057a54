import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestRefusedError } from '@wabakit/core'
import { createParserRefusal, formatRefusal } from '@wabakit/core/hosting'

/** What {@link createConnectionRefusal} works with. */
export type ConnectionRefusalContext = {
  /** Responses that are not finished yet. */
  readonly running: ReadonlySet<ServerResponse>
  readonly requestId: () => string
  /** Gets each refusal, to count and log it. */
  readonly onRefused: (refusal: { readonly status: number; readonly requestId: string }) => void
}

/** Answers what node:http hands over without a response object: `clientError` and `connect`. */
export type ConnectionRefusal = {
  /** Answers a request that the parser gave up on, and closes the connection. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void
  /** Refuses to be a proxy. */
  connect(socket: Duplex): void
}

/** Creates the refusals of a server's connections. */
export const createConnectionRefusal = (context: ConnectionRefusalContext): ConnectionRefusal => {
  const refuse = (refusal: RequestRefusedError, socket: Duplex): void => {
    socket.on('error', () => {})
    const before = [...context.running].filter(({ req }) => req.socket === socket)
    const last = before.at(-1)
    if (last?.req.complete === true) {
      // What is wrong came after good requests, whose responses must not be mistaken for this one.
      last.shouldKeepAlive = false
      return
    }
    if (!socket.writable || before.length > 1 || last?.headersSent === true) {
      socket.destroy()
      return
    }
    const requestId = context.requestId()
    socket.end(formatRefusal(refusal, requestId), () => socket.destroy())
    context.onRefused({ status: refusal.status, requestId })
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
