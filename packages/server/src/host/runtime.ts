import {
  createReferenceServer,
  memoryTokenBuckets,
  type RateLimitOptions,
  type ReferenceServer,
} from '@wabakit/core'
import { createRateLimits } from '@wabakit/core/hosting'
import { createApiFaults } from '@wabakit/core/simulation'
import manifest from '../../package.json' with { type: 'json' }
import type { ServerConfig } from '../config/server-config.ts'
import { createControlApi } from '../control/control-api.ts'
import { showLiveAttempt } from '../control/live-attempt.ts'
import { createLiveStream } from '../control/live-stream.ts'
import { createDeliveryFetch } from '../delivery/delivery-fetch.ts'
import { createTransport } from '../delivery/transport.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createSimulation } from '../simulation/create-simulation.ts'
import type { Logger } from './logger.ts'
import { isLoopbackHost } from './loopback.ts'
import { observeService } from './observe-service.ts'
import type { OpenedStore } from './open-store.ts'
import { createOperations } from './operations.ts'
import { createRequestHandler, type RequestHandler } from './request-handler.ts'
import { startRetention } from './retention.ts'
import { createTokenCheck, type TokenCheck } from './token-check.ts'

/** What {@link createRuntime} works with. */
export type RuntimeContext = {
  readonly settings: ServerConfig
  readonly opened: OpenedStore
  readonly metrics: Metrics
  readonly log: Logger
  readonly requestId: () => string
  /** Gets what went wrong where nobody could be told. */
  readonly onError: (error: unknown) => void
}

/** A server without its port. */
export type Runtime = {
  readonly service: ReferenceServer
  readonly handler: RequestHandler
  /** Begins to deliver and to remove what is old. */
  start(): void
  /**
   * Stops what runs beside the requests: streams end, deliveries are not claimed any more, and those that run are
   * released after the grace. Requests can still be answered.
   *
   * @param graceMs - in milliseconds.
   */
  stop(graceMs: number): Promise<void>
  /** Gives everything back, the store too. */
  close(): Promise<void>
}

const attemptTimeoutMs = 15_000
const minute = 60_000
const day = 86_400_000

const limitOf = (requests: number) => (requests === 0 ? false : { requests, perMs: minute })

const rateLimitsOf = (settings: ServerConfig, opened: OpenedStore): RateLimitOptions => ({
  buckets: opened.buckets ?? memoryTokenBuckets(),
  organization: limitOf(settings.rateLimitPerOrganization),
  key: limitOf(settings.rateLimitPerKey),
  ip: limitOf(settings.rateLimitPerAddress),
})

/** Puts the parts of a server together. */
export const createRuntime = (context: RuntimeContext): Runtime => {
  const { settings, opened, metrics, log, requestId, onError } = context
  const { store, attempts } = opened
  const rateLimit = rateLimitsOf(settings, opened)
  const limits = createRateLimits({ ...rateLimit, organization: false, key: false }, { now: Date.now })
  const tokenCheckOf = (token: string | undefined, name: string): TokenCheck | undefined =>
    token === undefined ? undefined : createTokenCheck({ token, name, limits })
  const allowPrivateTargets = settings.allowPrivateTargets ?? isLoopbackHost(settings.host)
  const transport = createTransport({ allowPrivateTargets })
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
    rateLimit,
    allowLoopbackHttp: allowPrivateTargets,
    onError,
  })
  observeService({ service, metrics, log })

  const faults = settings.mock ? createApiFaults(Math.random) : undefined
  const simulation = createSimulation({ service, onError })
  const live = createLiveStream({ service, store, otherAttempts: attempts, onError })
  const guard = {
    checkToken: tokenCheckOf(settings.controlToken, 'control token'),
    publicUrl: settings.publicUrl,
  }
  const control = createControlApi({
    service,
    simulation,
    live,
    faults,
    guard,
    version: manifest.version,
    onError,
  })
  let isStopping = false
  const operations = createOperations({
    store,
    metrics,
    checkMetricsToken: tokenCheckOf(settings.metricsToken, 'metrics token'),
    isStopping: () => isStopping,
  })
  const { trustProxy, role } = settings
  let stopRetention = async (): Promise<void> => {}

  const publishAttempts = (): void => {
    if (attempts === undefined) return
    attempts.startPublishing()
    service.dispatcher.onAttempt((report) => {
      attempts.publish(report.claimed.event.organizationId, showLiveAttempt(report))
    })
  }

  return {
    service,
    handler: createRequestHandler({
      api: role === 'worker' ? undefined : { fetch: service.fetch, control, faults },
      operations,
      metrics,
      log,
      requestId,
      trustProxy,
      onError,
    }),
    start: () => {
      if (role === 'api') return
      publishAttempts()
      service.dispatcher.start()
      stopRetention = startRetention({ store, keptMs: settings.retentionDays * day, onError })
    },
    stop: async (graceMs) => {
      isStopping = true
      live.close()
      simulation.close()
      await Promise.all([service.dispatcher.stop({ graceMs }), stopRetention()])
    },
    close: async () => {
      await transport.close()
      await store.close()
    },
  }
}
