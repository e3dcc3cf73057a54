import { createIds, type ReferenceServer } from '@wabakit/core'
import { parseConfig } from '../config/parse-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { createHttpServer } from '../http/http-server.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { checkConfig } from './check-config.ts'
import { type Demo, ensureDemo } from './demo.ts'
import { createLogger } from './logger.ts'
import { openStore } from './open-store.ts'
import { createRuntime } from './runtime.ts'

/** A server that is listening. */
export type RunningServer = {
  /** The base URL, without a trailing slash: `http://127.0.0.1:4100`, for example. */
  readonly url: string
  /** The service in process, which can do everything that the control API can do. */
  readonly service: ReferenceServer
  /** The demo organization; `undefined` when there are other organizations in the store or in the configuration. */
  readonly demo: Demo | undefined
  /**
   * Stops the server. It accepts no more requests and claims no more deliveries. Running ones may finish within
   * `shutdownGraceMs`; after that, deliveries are released. Then the store is closed. Further calls return the same
   * promise.
   */
  close(): Promise<void>
  /** Calls `close`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Further options for {@link startServer}. */
export type StartServerOptions = {
  /**
   * Receives the log.
   * @default process.stderr
   */
  readonly logStream?: NodeJS.WritableStream | undefined
  /**
   * Whether nothing else runs in this process. The server then replaces the global `Request` and `Response` with the
   * lighter ones of `@hono/node-server`, which makes a request about a third cheaper.
   * @default false
   */
  readonly ownsProcess?: boolean | undefined
}

/**
 * Starts a server and resolves when it accepts requests.
 *
 * @param config - the settings. Omitted ones have their defaults; `loadConfig` reads them from flags, environment
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
  { logStream, ownsProcess = false }: StartServerOptions = {},
): Promise<RunningServer> => {
  const settings = parseConfig(config, () => 'startServer')
  checkConfig(settings)
  const log = createLogger({ ...settings, stream: logStream })
  const onError = (error: unknown): void => {
    metrics.countError()
    log.error({ err: error }, 'error')
  }
  const opened = await openStore(settings.database, { onError, onWarning: (message) => log.warn(message) })
  const metrics = createMetrics(opened.store)
  const ids = createIds({ clock: { now: Date.now }, random: Math.random })
  const requestId = (): string => ids('req')
  const runtime = createRuntime({ settings, opened, metrics, log, requestId, onError })
  const { service, handler } = runtime
  const http = createHttpServer({ settings, handler, requestId, ownsProcess })

  const stop = async (): Promise<void> => {
    const graceMs = settings.shutdownGraceMs
    await Promise.all([http.close(graceMs), runtime.stop(graceMs)])
    await runtime.close()
    metrics.close()
    log.info('stopped')
  }
  let stopping: Promise<void> | undefined
  const close = (): Promise<void> => {
    stopping ??= stop()
    return stopping
  }

  try {
    await service.ready()
    const isDemo = settings.organizations.length === 0 && settings.role !== 'worker'
    const demo = isDemo ? await ensureDemo(service, settings) : undefined
    const url = await http.listen()
    runtime.start()
    log.info({ url }, 'listening')
    return { url, service, demo, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
