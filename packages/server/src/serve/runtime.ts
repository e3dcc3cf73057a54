import { createReferenceServer, memoryTokenBuckets, type RateLimitOptions } from '@wabakit/core'
import type { LiveStream } from '@wabakit/core/control'
import { createRateLimits, createRequestLog } from '@wabakit/core/hosting'
import {
  createApiFaults,
  createCallData,
  createCallSimulator,
  createSeededRandom,
} from '@wabakit/core/simulation'
import type { Logger } from 'pino'
import manifest from '../../package.json' with { type: 'json' }
import type { ServerConfig } from '../config/server-config.ts'
import type { ControlApi } from '../control/control-api.ts'
import { allowsCustomPayload } from '../control/custom-payloads.ts'
import { createTokenCheck, type TokenCheck } from '../control/token-check.ts'
import { createTransport, userAgent } from '../delivery/transport.ts'
import { createPages } from '../http/pages.ts'
import { createRequestHandler, loadAdapter } from '../http/request-handler.ts'
import { type LiveProfile, respondAsLive } from '../http/respond-as-live.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { allowsPrivateTargets } from './check-config.ts'
import { logService } from './log-service.ts'
import { nameEngine, type OpenedStore } from './open-store.ts'
import { startRetention } from './retention.ts'

type RuntimeOptions = {
  readonly settings: ServerConfig
  readonly opened: OpenedStore
  readonly metrics: Metrics
  /** The imitation of a live service, in the profile `live`. */
  readonly live: LiveProfile | undefined
  readonly log: Logger
  readonly createRequestId: () => string
  /** Receives errors that cannot be reported to a caller. */
  readonly onError: (error: unknown) => void
}

const attemptTimeoutMs = 15_000
const minuteMs = 60_000
const dayMs = 86_400_000

/** Interval at which logged requests that are older than the retention are forgotten, in milliseconds. */
const forgetMs = 3_600_000
/** The pause before `loadRest`, in milliseconds. Loading earlier would delay the first requests. */
const loadRestMs = 1_000

const toLimit = (requests: number) => (requests === 0 ? false : { requests, perMs: minuteMs })

/** Assembles the parts of a server between its store and its port. */
export const createRuntime = (options: RuntimeOptions) => {
  const { settings, opened, metrics, live: profile, log, createRequestId, onError } = options
  const { store, clock } = opened
  const { trustProxy, role, sandbox, live: liveSettings = {} } = settings
  const rateLimit: RateLimitOptions = {
    buckets: opened.buckets ?? memoryTokenBuckets(),
    organization: toLimit(settings.rateLimitPerOrganization),
    key: toLimit(settings.rateLimitPerKey),
    call: sandbox ? false : toLimit(settings.rateLimitPerCall),
    ip: toLimit(settings.rateLimitPerAddress),
  }
  const limits = createRateLimits({ ...rateLimit, organization: false, key: false, call: false }, clock)
  const createCheck = (token: string | undefined, name: string): TokenCheck | undefined =>
    token === undefined ? undefined : createTokenCheck({ token, name, limits })

  const allowPrivateTargets = allowsPrivateTargets(settings)
  const transport = createTransport({ allowPrivateTargets })
  const service = createReferenceServer({
    organizations: settings.organizations,
    store: profile?.markUnrecorded(profile.limitRetries(store, liveSettings)) ?? store,
    clock,
    fetch:
      profile === undefined
        ? transport.fetch
        : (url, request, attempted) =>
            transport.fetch(url, profile.toLiveDelivery(request, { ...attempted, settings: liveSettings })),
    delivery: {
      timeoutMs: attemptTimeoutMs,
      concurrency: settings.deliveryConcurrency,
      perSubscription: settings.deliveryConcurrencyPerSubscription,
      allowsCustomPayload: (url) => allowsCustomPayload(url, settings),
    },
    auth: { header: settings.authHeader },
    rateLimit,
    allowLoopbackHttp: allowPrivateTargets,
    onError,
  })
  metrics.observe(service)
  logService(service, log)

  const { seed } = settings
  const random = seed === undefined ? Math.random : createSeededRandom(seed, 'faults')
  const faults = sandbox ? createApiFaults(random) : undefined
  let calls = 0
  const simulation = createCallSimulator({
    server: service,
    now: clock.now,
    observedEvents: profile !== undefined,
    allowsObserved: sandbox,
    createCallData: (organizationId) =>
      // Without a seed, every server has the same data.
      createCallData(
        createSeededRandom(...(seed === undefined ? [] : [seed]), organizationId, 'call', calls++),
      ),
    schedule: ({ delayMs, run }) => {
      const timer = setTimeout(() => run().catch(onError), delayMs)
      return () => clearTimeout(timer)
    },
  })
  const requests = createRequestLog()
  service.onRequest(requests.add)
  let isStopping = false
  let isDraining = false
  let live: LiveStream | undefined
  let loadingControl: Promise<ControlApi> | undefined
  /** Loads the control API. The start does not wait for it, because that would take a fifth of the start-up time. */
  const loadControl = (): Promise<ControlApi> => {
    loadingControl ??= Promise.all([import('../control/control-api.ts'), import('@wabakit/core/control')])
      .then(([{ createControlApi }, { createLiveStream }]) => {
        live = createLiveStream({ service, store, onError })
        if (isStopping) live.close()
        return createControlApi({
          service,
          requests,
          now: clock.now,
          info: {
            version: manifest.version,
            database: nameEngine(settings.database),
            role,
            can: sandbox ? ['faults'] : [],
          },
          simulation,
          live,
          faults,
          allowsCustomPayload: (url) => allowsCustomPayload(url, settings),
          userAgent,
          checkToken: createCheck(settings.controlToken, 'control token'),
          publicUrl: settings.publicUrl,
          createRequestId,
          onError,
        })
      })
      .catch((error: unknown) => {
        // An update may be replacing the files right now, so the next request tries again.
        loadingControl = undefined
        throw error
      })
    return loadingControl
  }
  /** Loads what later requests and webhooks need, because an update may replace the files of a running server. */
  const loadRest = () => Promise.all([loadControl(), loadAdapter(), transport.load()])
  const control: ControlApi = async (...request) => (await loadControl())(...request)
  const pages = createPages({
    settings,
    store,
    findProblems: service.dispatcher.findProblems,
    metrics,
    checkMetricsToken: createCheck(settings.metricsToken, 'metrics token'),
    createRequestId,
    isStopping: () => isDraining || isStopping,
  })
  let stopRetention = async (): Promise<void> => {}
  let forgetting: NodeJS.Timeout | undefined

  return {
    service,
    handler: createRequestHandler({
      api:
        role === 'worker'
          ? undefined
          : {
              ...service,
              fetch:
                profile === undefined
                  ? service.fetch
                  : respondAsLive(service, { ...profile, ...liveSettings, now: clock.now }),
              isLive: profile !== undefined,
              control,
              faults,
              logSent: async (...described) => requests.correct(await service.describeSent(...described)),
              isControlOpen: settings.controlToken === undefined,
            },
      pages,
      metrics,
      log,
      createRequestId,
      trustProxy,
      onError,
    }),
    /** Starts counting and, unless the role is `api`, delivering webhooks and removing old records. */
    start: (): void => {
      service.figures.start()
      setTimeout(() => loadRest().catch(onError), loadRestMs).unref()
      const forget = () => requests.forgetBefore(clock.now() - settings.retentionDays * dayMs)
      forgetting = setInterval(forget, forgetMs).unref()
      if (role === 'api') return
      service.dispatcher.start()
      stopRetention = startRetention({
        store,
        clock,
        keptMs: settings.retentionDays * dayMs,
        recordsKeptMs: settings.recordRetentionDays && settings.recordRetentionDays * dayMs,
        onError,
      })
    },
    /** Reports not ready from now on. */
    drain: (): void => {
      isDraining = true
    },
    /**
     * Ends the live streams, and starts no more attempts. Running attempts are released after at most `graceMs` milliseconds.
     * Requests still get responses.
     */
    stop: async (graceMs: number): Promise<void> => {
      isStopping = true
      live?.close()
      simulation.close()
      clearInterval(forgetting)
      await Promise.all([service.dispatcher.stop({ graceMs }), stopRetention()])
    },
    /** Writes the last counts, and closes the connections to endpoints and the store. */
    close: async (): Promise<void> => {
      await service.figures.stop()
      await transport.close()
      await store.close()
    },
  }
}
