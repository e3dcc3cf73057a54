import { getRequestListener } from '@hono/node-server'
import { createReferenceServer, type ReferenceServer } from '@wabakit/core'
import { parseConfig } from '../config/parse-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { createDeliveryFetch } from '../delivery/delivery-fetch.ts'
import { createTransport } from '../delivery/transport.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createHttpServer } from './http-server.ts'
import { createLogger } from './logger.ts'
import { isLoopbackHost } from './loopback.ts'
import { openStore } from './open-store.ts'
import { createOperations } from './operations.ts'
import { createRequestHandler } from './request-handler.ts'

/** A server that listens. */
export type RunningServer = {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:4100`. */
  readonly url: string
  /** The service in process: everything that the control API can do, and more. */
  readonly service: ReferenceServer
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
}

const attemptTimeoutMs = 15_000

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Starts a server and resolves when it is ready to answer.
 *
 * @param config - settings; what is omitted has its default. `loadConfig` reads them from flags, variables and a file.
 * @throws ConfigError when a setting cannot be right.
 * @example
 * const server = await startServer({ port: 0, database: ':memory:' })
 * console.log(server.url)
 * await server.close()
 */
export const startServer = async (
  config: Partial<ServerConfig> = {},
  { logStream }: StartServerOptions = {},
): Promise<RunningServer> => {
  const settings = parseConfig({ values: config, sourceOf: () => 'startServer' })
  const log = createLogger({ ...settings, stream: logStream })
  const isLocal = isLoopbackHost(settings.host)
  const allowPrivateTargets = settings.allowPrivateTargets ?? isLocal
  const store = await openStore(settings.database)
  const transport = createTransport({ allowPrivateTargets })
  const metrics = createMetrics({
    backlogAgeMs: async () =>
      Math.max(0, Date.now() - ((await store.nextDueAt()) ?? Number.POSITIVE_INFINITY)),
  })
  const service = createReferenceServer({
    organizations: settings.organizations,
    store,
    fetch: createDeliveryFetch(transport, attemptTimeoutMs),
    delivery: {
      timeoutMs: attemptTimeoutMs,
      concurrency: settings.deliveryConcurrency,
      perSubscription: settings.deliveryConcurrencyPerSubscription,
    },
    auth: { header: settings.authHeader },
    allowLoopbackHttp: allowPrivateTargets,
    onError: (error) => {
      metrics.countError()
      log.error({ err: error }, 'background error')
    },
  })
  await service.ready()

  let closing: Promise<void> | undefined
  const operations = createOperations({ store, metrics, isClosing: () => closing !== undefined })
  const handle = createRequestHandler({
    api: service.fetch,
    operations,
    metrics,
    log,
    trustProxy: settings.trustProxy,
  })
  const listener = getRequestListener((request, { incoming }) => handle(request, incoming), {
    overrideGlobalObjects: false,
    hostname: settings.host,
  })
  const http = createHttpServer((request, response) => void listener(request, response), settings)
  const { port } = await http.listen(settings)
  service.dispatcher.start()
  log.info({ url: urlOf(settings.host, port) }, 'listening')

  const stop = async (): Promise<void> => {
    const graceMs = settings.shutdownGraceMs
    await Promise.all([http.close(graceMs), service.dispatcher.stop({ graceMs })])
    await transport.close()
    metrics.close()
    await store.close()
    log.info('stopped')
  }
  const close = (): Promise<void> => {
    closing ??= stop()
    return closing
  }
  return { url: urlOf(settings.host, port), service, close, [Symbol.asyncDispose]: close }
}
