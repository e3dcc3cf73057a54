import { getRequestListener } from '@hono/node-server'
import { createIds, type ReferenceServer } from '@wabakit/core'
import { parseConfig } from '../config/parse-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { checkExposure } from './check-exposure.ts'
import { checkRole } from './check-role.ts'
import { type Demo, ensureDemo } from './demo.ts'
import { createHttpServer } from './http-server.ts'
import { listenError } from './listen-error.ts'
import { createLogger } from './logger.ts'
import { openStore } from './open-store.ts'
import { normalizeTarget } from './request-target.ts'
import { createRuntime } from './runtime.ts'

/** A server that listens. */
export type RunningServer = {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:4100`. */
  readonly url: string
  /** The service in process: everything that the control API can do, and more. */
  readonly service: ReferenceServer
  /** The organization for a start; none in a store that has others, or is to have them (`organizations`). */
  readonly demo: Demo | undefined
  /**
   * Stops it: nothing new is accepted or claimed, what runs may finish within `shutdownGraceMs`, deliveries that do not
   * are released, and the store is closed. May be called more than once.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Further options of {@link startServer}. */
export type StartServerOptions = {
  /**
   * Receives the log.
   * @default process.stderr
   */
  readonly logStream?: NodeJS.WritableStream | undefined
  /**
   * Whether the process is the server's alone. It then replaces the process's `Request` and `Response` by lighter ones
   * (those of `@hono/node-server`), with which a request costs a third less.
   * @default false
   */
  readonly ownsProcess?: boolean | undefined
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Starts a server and resolves when it is ready to answer.
 *
 * @param config - settings; what is omitted has its default. `loadConfig` reads them from flags, variables and a file.
 * @param options - where to log, and whose the process is.
 * @throws ConfigError when a setting cannot be right, or the server cannot listen where it says.
 * @example
 * const server = await startServer({ port: 0, database: ':memory:' })
 * console.log(server.url)
 * await server.close()
 */
export const startServer = async (
  config: Partial<ServerConfig> = {},
  { logStream, ownsProcess = false }: StartServerOptions = {},
): Promise<RunningServer> => {
  const settings = parseConfig({ values: config, sourceOf: () => 'startServer' })
  checkExposure(settings)
  checkRole(settings)
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
  const listener = getRequestListener((request, { incoming }) => handler.handle(request, incoming), {
    overrideGlobalObjects: ownsProcess,
    hostname: settings.host,
    errorHandler: handler.refuse,
  })
  const http = createHttpServer(
    (request, response) => {
      // A target that cannot be used is left empty, which the listener refuses.
      if (!normalizeTarget(request)) request.url = '*'
      void listener(request, response)
    },
    { ...settings, requestId, onRefused: handler.record },
  )

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
    const demo = isDemo ? await ensureDemo({ service, webhookUrl: settings.webhookUrl }) : undefined
    const { port } = await http.listen(settings)
    const url = urlOf(settings.host, port)
    runtime.start()
    log.info({ url }, 'listening')
    return { url, service, demo, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw listenError(error, settings)
  }
}
