import type { Server } from 'node:http'
// Not the globals, because fake timers of a test replace them, and the server would never stop.
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers'
import { waitAtMost } from './time-limit.ts'
import { assertAboveZero, assertZeroOrMore } from './usage.ts'

/** Options for {@link stopServer}. */
export type StopServerOptions = {
  /** The receiver that the server's handlers use. */
  readonly receiver: { stop(options?: { readonly maxMs?: number | undefined }): Promise<void> }
  /**
   * Total time, in milliseconds. An inbox may take 2 seconds more, or longer if its database does not respond. Keep the sum
   * below the time after which the platform sends SIGKILL.
   * @default 10_000
   */
  readonly maxMs?: number | undefined
  /**
   * Time before that, in milliseconds, in which requests are still served and each response closes its connection. Let
   * your readiness check fail first, and set this above the time in which your load balancer notices it.
   * @default 0
   */
  readonly drainMs?: number | undefined
}

/** Accepts the connections that wait in the queue of the listening socket, which would be reset with it. */
const acceptWaiting = async (server: Server): Promise<void> => {
  let accepted = true
  const onConnection = (): void => {
    accepted = true
  }
  server.on('connection', onConnection)
  // Each turn of the event loop accepts one connection. The limit keeps new connections from postponing the stop forever.
  for (let turn = 0; accepted && turn < 1_000; turn++) {
    accepted = false
    // Waits for two turns, because the first connection may be accepted a turn later.
    for (let count = 0; count < 2; count++) await new Promise((resolve) => setImmediate(resolve))
  }
  server.off('connection', onConnection)
}

/**
 * Stops a server of node:http or Express, and then its receiver: accepts no more connections, lets running
 * requests finish, closes each connection after its response, stops the receiver, and closes all remaining
 * connections after `maxMs`. Close the database afterwards. `server.close()` alone would wait for busy
 * keep-alive connections as long as they send requests.
 *
 * @throws RangeError when `maxMs` is not above 0, or `drainMs` is below 0.
 * @example
 * process.once('SIGTERM', async () => {
 *   await stopServer(server, { receiver })
 *   await pool.end()
 * })
 */
export const stopServer = async (
  server: Server,
  { receiver, maxMs = 10_000, drainMs = 0 }: StopServerOptions,
): Promise<void> => {
  assertAboveZero('maxMs', maxMs)
  assertZeroOrMore('drainMs', drainMs)
  const getLeftMs = (): number => Math.max(1, maxMs - (performance.now() - startedAt))
  // Runs before the other listeners, which may respond synchronously.
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  await new Promise((resolve) => setTimeout(resolve, drainMs))
  await acceptWaiting(server)
  const startedAt = performance.now()
  // `close` would also close connections whose request is on its way.
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  Reflect.deleteProperty(server, 'closeIdleConnections')
  // A connection whose request began before the stop is not closed after its response, so this closes it when it is idle. An
  // immediate runs after the event loop has read what has arrived, so a connection with a new request is not idle any more.
  const closing = setInterval(() => setImmediate(() => server.closeIdleConnections()), 50)
  const limit = setTimeout(() => server.closeAllConnections(), maxMs)
  try {
    // Requests to other routes may take longer, so this waits for at most half of the time: the receiver
    // needs the other half for its handlers.
    await waitAtMost(maxMs / 2, () => closed)
    await receiver.stop({ maxMs: getLeftMs() })
    await waitAtMost(getLeftMs(), () => closed)
  } finally {
    clearInterval(closing)
    clearTimeout(limit)
    server.closeAllConnections()
  }
}
