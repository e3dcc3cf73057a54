import { getRequestListener } from '@hono/node-server'
import { createReferenceServer, type RateLimitOptions, type ReferenceServer } from '@wabakit/core'
import manifest from '../../package.json' with { type: 'json' }
import { parseConfig } from '../config/parse-config.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { createControlApi } from '../control/control-api.ts'
import { createLiveStream } from '../control/live-stream.ts'
import { createDeliveryFetch } from '../delivery/delivery-fetch.ts'
import { createTransport } from '../delivery/transport.ts'
import { createFaults } from '../faults/faults.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createSimulation } from '../simulation/simulation.ts'
import { checkExposure } from './check-exposure.ts'
import { type Demo, ensureDemo } from './demo.ts'
import { createHttpServer } from './http-server.ts'
import { createLogger } from './logger.ts'
import { isLoopbackHost } from './loopback.ts'
import { observeService } from './observe-service.ts'
import { openStore } from './open-store.ts'
import { createOperations } from './operations.ts'
import { createRequestHandler } from './request-handler.ts'
import { startRetention } from './retention.ts'

/** A server that listens. */
export type RunningServer = {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:4100`. */
  readonly url: string
  /** The service in process: everything that the control API can do, and more. */
  readonly service: ReferenceServer
  /** The organization for a start; none when `organizations` names some. */
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
}

const attemptTimeoutMs = 15_000
const minute = 60_000
const day = 86_400_000

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const limitOf = (requests: number) => (requests === 0 ? false : { requests, perMs: minute })

const rateLimitsOf = (settings: ServerConfig): RateLimitOptions => ({
  organization: limitOf(settings.rateLimitPerOrganization),
  key: limitOf(settings.rateLimitPerKey),
  ip: limitOf(settings.rateLimitPerAddress),
})

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
  checkExposure(settings)
  const log = createLogger({ ...settings, stream: logStream })
  const allowPrivateTargets = settings.allowPrivateTargets ?? isLoopbackHost(settings.host)
  const store = await openStore(settings.database)
  const transport = createTransport({ allowPrivateTargets })
  const metrics = createMetrics({
    backlogAgeMs: async () =>
      Math.max(0, Date.now() - ((await store.nextDueAt()) ?? Number.POSITIVE_INFINITY)),
  })
  const onError = (error: unknown): void => {
    metrics.countError()
    log.error({ err: error }, 'error')
  }
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
    rateLimit: rateLimitsOf(settings),
    allowLoopbackHttp: allowPrivateTargets,
    onError,
  })
  observeService({ service, metrics, log })
  await service.ready()
  const demo =
    settings.organizations.length > 0
      ? undefined
      : await ensureDemo({ service, webhookUrl: settings.webhookUrl })

  let closing: Promise<void> | undefined
  const faults = settings.mock ? createFaults() : undefined
  const simulation = createSimulation({ service, onError })
  const live = createLiveStream({ service })
  const { controlToken: token, publicUrl, trustProxy } = settings
  const handle = createRequestHandler({
    api: service.fetch,
    control: createControlApi({
      service,
      simulation,
      live,
      faults,
      guard: { token, publicUrl },
      version: manifest.version,
      onError,
    }),
    operations: createOperations({ store, metrics, isClosing: () => closing !== undefined }),
    faults,
    metrics,
    log,
    trustProxy,
  })
  const listener = getRequestListener((request, { incoming }) => handle(request, incoming), {
    overrideGlobalObjects: false,
    hostname: settings.host,
  })
  const http = createHttpServer((request, response) => void listener(request, response), settings)
  const { port } = await http.listen(settings)
  service.dispatcher.start()
  const stopRetention = startRetention({ store, keptMs: settings.retentionDays * day, onError })
  const url = urlOf(settings.host, port)
  log.info({ url }, 'listening')

  const stop = async (): Promise<void> => {
    const graceMs = settings.shutdownGraceMs
    live.close()
    simulation.close()
    await Promise.all([http.close(graceMs), service.dispatcher.stop({ graceMs }), stopRetention()])
    await transport.close()
    metrics.close()
    await store.close()
    log.info('stopped')
  }
  const close = (): Promise<void> => {
    closing ??= stop()
    return closing
  }
  return { url, service, demo, close, [Symbol.asyncDispose]: close }
}
