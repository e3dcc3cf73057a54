import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Store } from '@wabakit/core'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createBacklogGauges } from './backlog-gauges.ts'

/** What a request was for, as a label: the endpoints of the public API by name, and the rest. */
export type RequestLabel = 'groups.create' | 'calls.getSummary' | 'control' | 'other'

/** What became of an attempt, as a label. */
export type AttemptLabel = 'delivered' | 'retry' | 'exhausted' | 'gone' | 'released' | 'stale'

/** The figures of one server. */
export type Metrics = {
  countRequest(request: {
    readonly endpoint: RequestLabel
    readonly status: number
    readonly seconds: number
  }): void
  countAttempt(attempt: { readonly outcome: AttemptLabel; readonly seconds: number | undefined }): void
  countEvent(name: string): void
  /** Counts what went wrong in the background: a store that cannot be reached, a listener that threw. */
  countError(): void
  /** All figures in the text format of Prometheus; those of the backlog are NaN while the store does not answer. */
  render(): Promise<string>
  readonly contentType: string
  /** Stops measuring. */
  close(): void
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const attemptBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

const addProcessFigures = (registers: Registry[]): { close(): void } => {
  const lag = monitorEventLoopDelay({ resolution: 20 })
  lag.enable()
  new Gauge({
    name: 'wabakit_event_loop_lag_seconds',
    help: 'How late timers ran since the last time this was read, by quantile.',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const quantile of [0.5, 0.99, 1]) {
        // The monitor counts its own interval.
        const nanoseconds = Math.max(0, lag.percentile(quantile * 100) - 20_000_000)
        this.set({ quantile: String(quantile) }, nanoseconds / 1e9)
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
  return { close: () => lag.disable() }
}

/** Makes the figures of a server: its own, and those of its store's backlog. */
export const createMetrics = (store: Pick<Store, 'measureBacklog'>): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'wabakit_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer, by endpoint and status.',
    labelNames: ['endpoint', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const attempts = new Histogram({
    name: 'wabakit_delivery_attempt_duration_seconds',
    help: 'Time of a delivery attempt, from connecting to the end of the answer, by what became of it.',
    labelNames: ['outcome'],
    buckets: attemptBuckets,
    registers,
  })
  const deliveries = new Counter({
    name: 'wabakit_delivery_attempts_total',
    help: 'Delivery attempts by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  const events = new Counter({
    name: 'wabakit_events_total',
    help: 'Events that happened, by name.',
    labelNames: ['event'],
    registers,
  })
  const errors = new Counter({
    name: 'wabakit_background_errors_total',
    help: 'Errors of background work, such as a store that cannot be reached.',
    registers,
  })
  const backlog = createBacklogGauges(store, registers)
  const own = addProcessFigures(registers)

  return {
    countRequest: ({ endpoint, status, seconds }) => requests.observe({ endpoint, status }, seconds),
    countAttempt: ({ outcome, seconds }) => {
      deliveries.inc({ outcome })
      if (seconds !== undefined) attempts.observe({ outcome }, seconds)
    },
    countEvent: (event) => events.inc({ event }),
    countError: () => errors.inc(),
    render: async () => {
      await backlog.refresh()
      return registry.metrics()
    },
    contentType: registry.contentType,
    close: own.close,
  }
}
