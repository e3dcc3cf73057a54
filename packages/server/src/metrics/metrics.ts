import { monitorEventLoopDelay } from 'node:perf_hooks'
import { healthEventNames } from '@wabakit/contract'
import type { ReferenceServer } from '@wabakit/core'
import { type AttemptOutcome, getAttemptOutcome } from '@wabakit/core/hosting'
import type * as prometheus from 'prom-client'
import { type BacklogSource, createBacklogGauges } from './backlog-gauges.ts'
import { Counter, Gauge, Histogram, Registry } from './prometheus.ts'

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const attemptBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** @returns a function that stops measuring the event loop. */
const addProcessMetrics = (registers: prometheus.Registry[]): (() => void) => {
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  new Gauge({
    name: 'wabakit_event_loop_lag_seconds',
    help: 'Delay of timers since the previous scrape, by percentile.',
    labelNames: ['percentile'],
    registers,
    collect() {
      for (const percentile of [50, 99, 100]) {
        // The monitor's values include its sampling interval.
        const nanoseconds = Math.max(0, lag.percentile(percentile) - 20_000_000)
        this.set({ percentile: String(percentile) }, nanoseconds / 1e9)
      }
      lag.reset()
    },
  })
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  return () => lag.disable()
}

export const createMetrics = (opened: BacklogSource) => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'wabakit_http_request_duration_seconds',
    help: 'Time from receiving the headers of a request to its response, by endpoint and status.',
    labelNames: ['endpoint', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const cutConnections = new Counter({
    name: 'wabakit_http_cut_connections_total',
    help: 'Connections that were closed while a refused request was still arriving, because 100 others were.',
    registers,
  })
  const attempts = new Histogram({
    name: 'wabakit_delivery_attempt_duration_seconds',
    help: 'Duration of delivery attempts, from connecting to the end of the response, by outcome.',
    labelNames: ['outcome'],
    buckets: attemptBuckets,
    registers,
  })
  const deliveries = new Counter({
    name: 'wabakit_delivery_attempts_total',
    help: 'Delivery attempts, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  // Starts the counters at 0. Prometheus does not see an increase when a counter first appears, so an alert would miss
  // the first increment.
  const alerted: readonly AttemptOutcome[] = ['exhausted', 'stale']
  for (const outcome of alerted) deliveries.inc({ outcome }, 0)
  const events = new Counter({
    name: 'wabakit_events_total',
    help: 'Published events, by name.',
    labelNames: ['event'],
    registers,
  })
  const health = new Counter({
    name: 'wabakit_health_events_total',
    help: 'Events about the health of subscriptions, by name.',
    labelNames: ['event'],
    registers,
  })
  for (const event of healthEventNames) health.inc({ event }, 0)
  const errors = new Counter({
    name: 'wabakit_background_errors_total',
    help: 'Errors of background work, such as a lost connection to the database.',
    registers,
  })
  const unstored = new Gauge({
    name: 'wabakit_unstored_results',
    help: 'Results of delivery attempts that cannot be stored. Until they are, the deliveries to their endpoints are paused.',
    registers,
  })
  const unreadable = new Gauge({
    name: 'wabakit_unreadable_deliveries',
    help: 'Deliveries that cannot be loaded although the database responds, such as those of an event whose row is damaged.',
    registers,
  })
  const updateBacklog = createBacklogGauges(opened, registers)
  const close = addProcessMetrics(registers)
  let findProblems: ReferenceServer['dispatcher']['findProblems'] | undefined

  return {
    requests,
    cutConnections,
    /** Counts errors of background work, such as a listener that threw. */
    errors,
    /** Starts counting a service's events, attempts and health events. */
    observe: (service: Pick<ReferenceServer, 'on' | 'dispatcher'>): void => {
      findProblems = service.dispatcher.findProblems
      service.on('*', ({ event }) => events.inc({ event }))
      service.dispatcher.onHealth(({ type }) => health.inc({ event: type }))
      service.dispatcher.onAttempt((report) => {
        const outcome = getAttemptOutcome(report)
        deliveries.inc({ outcome })
        const attempt = 'attempt' in report.result ? report.result.attempt : undefined
        if (attempt !== undefined) attempts.observe({ outcome }, attempt.durationMs / 1_000)
      })
    },
    /** Returns all metrics in the Prometheus text format. Metrics of the database are NaN while it does not respond. */
    render: async (): Promise<string> => {
      const { unstoredResults = 0, unreadableDeliveries = 0 } = findProblems?.() ?? {}
      unstored.set(unstoredResults)
      unreadable.set(unreadableDeliveries)
      await updateBacklog()
      return registry.metrics()
    },
    contentType: registry.contentType,
    close,
  }
}

export type Metrics = ReturnType<typeof createMetrics>
