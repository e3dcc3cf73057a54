import { Socket } from 'node:net'
import { NameNotResolvedError, resolver } from '@wabakit/webhooks/names'

/** The fraction of the time to connect after which a lookup of the host's name fails. */
const lookupShare = 0.8

/**
 * Creates a socket that `pg` connects. Unlike others, it resolves its host's name without a thread, so the database can be
 * found while lookups of other names occupy all threads. Closing the socket ends the lookup.
 *
 * @param connectTimeoutMs - maximum time to connect, in milliseconds. The lookup fails earlier, so that the error says that the name
 *   was not resolved.
 */
export const createSocket = (connectTimeoutMs: number): Socket => {
  const limitMs = connectTimeoutMs * lookupShare
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const connectByName = (port: number, host: string): Socket => {
    const ended = new AbortController()
    const timer = setTimeout(
      () => ended.abort(new NameNotResolvedError(host, { code: 'ETIMEOUT', limitMs })),
      limitMs,
    )
    const end = (): void => {
      clearTimeout(timer)
      ended.abort()
    }
    socket.once('connect', end).once('close', end)
    return connect({ port, host, lookup: resolver.createLookup(ended.signal) })
  }
  // Without a host, `pg` passes the path of a Unix socket.
  return Object.assign(socket, {
    connect: (port: number | string, host?: string) =>
      typeof port === 'string' || host === undefined ? connect(String(port)) : connectByName(port, host),
  })
}
