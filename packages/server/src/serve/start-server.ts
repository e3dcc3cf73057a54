import { createIds, type ReferenceServer } from '@wabakit/core'
import { ConfigError } from '../config/config-error.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { parseConfig } from '../config/settings.ts'
import { checkAddress } from '../http/listen-error.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { DatabaseOpenError } from '../stores/errors.ts'
import { isStorageError } from '../stores/write-check.ts'
import { checkConfig, createConfigured, getExposure } from './check-config.ts'
import { createErrorLog } from './error-log.ts'
import { createLogger } from './logger.ts'
import { formatDatabase, openStore } from './open-store.ts'
import { type Demo, ensureDemo, ensureOperator } from './own-organizations.ts'

/** A server that is listening. */
export type RunningServer = {
  /** The base URL without a trailing slash, such as `http://127.0.0.1:4100`. */
  readonly url: string
  /** The service in this process, which the public API and the control API use. */
  readonly service: ReferenceServer
  /**
   * The demo organization; `undefined` if the configuration names organizations, the store has others and not this one,
   * the process only delivers, or other machines can reach the server.
   */
  readonly demo: Demo | undefined
  /**
   * Prepares a stop, for `drainMs`: requests are still served, but `/readyz` returns 503, and each response closes its
   * connection, so that a load balancer sends no more requests. Resolves when it is time to call `close`.
   */
  drain(): Promise<void>
  /**
   * Stops the server. It accepts no more connections, except those that wait already, and starts no more attempts. Live streams
   * end at once, and attempts to endpoints whose last attempt failed are released at once. Other requests and attempts may
   * finish within `shutdownGraceMs` (10 s by default); after that, connections are closed, and attempts released. A released
   * attempt does not count, and is repeated later. Then the store is closed. Further calls return the same promise.
   */
  close(): Promise<void>
  /** Calls `close`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Additional options for {@link startServer}. @inline */
type StartServerOptions = {
  /**
   * Receives the log.
   * @default process.stderr
   */
  readonly logStream?: NodeJS.WritableStream | undefined
  /**
   * The file descriptor of a socket that listens on `host` and `port` already, such as the 3 that systemd passes. If another
   * process keeps it open, connections wait while the server restarts, instead of being refused.
   */
  readonly fd?: number | undefined
}

/** Returns a DatabaseOpenError for a database failure, and any other error unchanged. */
const toStartError = (error: unknown, { database }: ServerConfig): unknown =>
  isStorageError(error)
    ? new DatabaseOpenError(formatDatabase(database), error.message, { cause: error })
    : error

/**
 * Starts a server and resolves when it accepts requests.
 *
 * @param config - the settings, with defaults for omitted ones. `loadConfig` reads them from flags, environment
 *   variables and a file.
 * @throws ConfigError when a setting is invalid, or when the server cannot listen on the configured host and port.
 * @throws DatabaseOpenError, DatabaseVersionError or DatabaseInUseError when the database cannot be opened.
 * @example
 * const server = await startServer({ port: 0, database: ':memory:' })
 * console.log(server.url)
 * await server.close()
 */
export const startServer = async (
  config: Partial<ServerConfig> = {},
  { logStream, fd }: StartServerOptions = {},
): Promise<RunningServer> => {
  const settings = parseConfig(config, () => 'startServer')
  await checkConfig(settings)
  const log = await createLogger({ ...settings, stream: logStream })
  const errors = createErrorLog(log)
  let metrics: Metrics | undefined
  const onError = (error: unknown): void => {
    metrics?.errors.inc()
    errors.write(error)
  }
  if (fd === undefined) await checkAddress(settings)
  else if (!Number.isInteger(fd) || fd < 0) {
    const message = `must be the number of a file descriptor, such as 3, not ${JSON.stringify(fd)}.`
    throw new ConfigError([{ key: 'fd', source: 'startServer', message }])
  }
  const opened = await openStore(settings.database, {
    onError,
    onWarning: (message) => log.warn(message),
  }).catch((error: unknown) => {
    throw toStartError(error, settings)
  })
  // Opens the database first, because the shards of a crashed process become free a fixed time after that.
  const [{ createMetrics }, { createRuntime }, { createHttpServer }, live] = await Promise.all([
    import('../metrics/metrics.ts'),
    import('./runtime.ts'),
    import('../http/http-server.ts'),
    settings.profile === 'live' ? import('@wabakit/core/live') : undefined,
  ])
  metrics = createMetrics(opened)
  const ids = createIds({ clock: opened.clock, random: Math.random })
  const createRequestId = (): string => ids('req')
  const runtime = createRuntime({ settings, opened, metrics, live, log, createRequestId, onError })
  const { service, handler } = runtime
  const http = createHttpServer({ settings, fd, handler, createRequestId })

  const stop = async (): Promise<void> => {
    const graceMs = settings.shutdownGraceMs
    // At the same time, because `http.close` waits for the live streams, which `runtime.stop` ends. It also stops the
    // dispatcher: `stop` in core's `delivery/under-way.ts` releases the attempts.
    await Promise.all([http.close(graceMs), runtime.stop(graceMs)])
    await runtime.close()
    metrics?.close()
    errors.close()
    log.info('stopped')
  }
  const { drainMs = settings.trustProxy > 0 && settings.role !== 'worker' ? 10_000 : 0 } = settings
  let drainTimer: NodeJS.Timeout | undefined
  const drained = Promise.withResolvers<void>()
  const drain = (): Promise<void> => {
    if (drainMs === 0 || stopping !== undefined) return Promise.resolve()
    runtime.drain()
    http.drain()
    log.info({ drainMs }, 'draining')
    drainTimer ??= setTimeout(drained.resolve, drainMs)
    return drained.promise
  }
  let stopping: Promise<void> | undefined
  const close = (): Promise<void> => {
    clearTimeout(drainTimer)
    drained.resolve()
    stopping ??= stop()
    return stopping
  }

  try {
    await createConfigured({ key: 'organizations', source: 'the database' }, service.ready)
    const url = await http.listen()
    const { organizations, role } = settings
    const isDemo = organizations.length === 0 && role !== 'worker' && getExposure(settings) === undefined
    await ensureOperator({ service, store: opened.store }, settings)
    // This is the last step that can fail, because it creates an API key that is shown only once.
    const demo = isDemo ? await ensureDemo(service, settings) : undefined
    if (settings.webhookUrl !== undefined && demo === undefined) {
      log.warn(
        'webhookUrl has no effect: this server has no demo organization. Create a subscription instead.',
      )
    }
    runtime.start()
    log.info({ url }, 'listening')
    return { url, service, demo, drain, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw toStartError(error, settings)
  }
}
