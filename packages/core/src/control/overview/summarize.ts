import {
  addCounts,
  type Counts,
  type GrowingCounts,
  latencyBounds,
  nameCauseCount,
  nameLatencyCount,
} from '../../figures/counts.ts'
import type { FailureCause } from '../../figures/failure-cause.ts'
import { findPeriod } from '../../figures/roll-up.ts'
import type { FigureRecord } from '../../records.ts'
import { explainCause, listCauses } from '../views/diagnosis.ts'
import type { OverviewRange } from '../views/overview.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** The points of each window. Records of the last hour have spans of at most a minute, and so on: see `planRollUps`. */
const windows = {
  hour: { stepMs: minute, points: 60 },
  day: { stepMs: 10 * minute, points: 144 },
  week: { stepMs: hour, points: 168 },
} as const

/** Maximum number of points of a range: a week of hours, and two that the range may cover only in part. */
const maxPoints = 170

/**
 * The steps of ranges, and the age that the start of a range may have, because older records have longer spans: see
 * `planRollUps`.
 */
const steps = [
  { stepMs: minute, maxAgeMs: 70 * minute },
  { stepMs: 10 * minute, maxAgeMs: 25 * hour },
  ...[hour, 6 * hour, day, 7 * day].map((stepMs) => ({ stepMs, maxAgeMs: Number.POSITIVE_INFINITY })),
]

/** The starts of the points of a window or range. */
type Period = {
  readonly window: OverviewRange['window'] | 'custom'
  readonly stepMs: number
  readonly times: readonly number[]
}

/**
 * Plans the points of a window or of a range. The last point of a window contains `now`. A range ends now at the
 * latest, unless it starts later. Its step is the shortest one in which its records exist and it has at most
 * {@link maxPoints}. If even the longest step would give more, the first points are left out.
 */
export const planPeriod = (
  { window, from, before = Number.POSITIVE_INFINITY }: OverviewRange,
  now: number,
): Period => {
  if (from === undefined) {
    const { stepMs, points } = windows[window]
    const last = findPeriod(now, stepMs)
    return {
      window,
      stepMs,
      times: Array.from({ length: points }, (_, at) => last - (points - 1 - at) * stepMs),
    }
  }
  const end = Math.max(from, Math.min(before - 1, now))
  const isFine = ({ stepMs, maxAgeMs }: (typeof steps)[number]) =>
    now - from <= maxAgeMs && (end - from) / stepMs < maxPoints - 1
  const { stepMs } = steps.find(isFine) ?? { stepMs: 7 * day }
  const last = findPeriod(end, stepMs)
  const points = Math.min(maxPoints, (last - findPeriod(from, stepMs)) / stepMs + 1)
  return {
    window: 'custom',
    stepMs,
    times: Array.from({ length: points }, (_, at) => last - (points - 1 - at) * stepMs),
  }
}

/**
 * For each cause, the value of the list filter `anyResponse` that finds the deliveries with such attempts. It may
 * also find deliveries whose attempts failed for other causes.
 */
const responses: Readonly<Record<FailureCause, string>> = {
  wrong_secret: '400,401,403',
  timestamp: '400,401,403',
  authorization: '401,403',
  not_found: '404,405',
  redirect: '3xx',
  gone: '410',
  rate_limited: '429',
  server_error: '5xx',
  rejected: '4xx',
  timeout: 'none',
  dns: 'none',
  tls: 'none',
  target_refused: 'none',
  custom_payload: 'none',
  connection: 'none',
}

const read = (counts: Counts, name: string): number => counts[name] ?? 0

// Built once: building the string for each count of each point would take most of the time.
const buckets = latencyBounds.map((atMostMs) => ({ atMostMs, name: nameLatencyCount(atMostMs) }))

/** Returns the bound of the bucket that contains a quantile; `null` if there are no attempts. */
const findQuantile = (counts: Counts, quantile: number): number | null => {
  const total = buckets.reduce((sum, { name }) => sum + read(counts, name), 0)
  let below = 0
  const found = buckets.find(({ name }) => {
    below += read(counts, name)
    return below > 0 && below >= quantile * total
  })
  return found?.atMostMs ?? null
}

const findQuantiles = (counts: Counts) => ({
  p50Ms: findQuantile(counts, 0.5),
  p95Ms: findQuantile(counts, 0.95),
})

const listFailures = (counts: Counts) =>
  listCauses()
    .map((cause) => ({
      ...explainCause(cause),
      attempts: read(counts, nameCauseCount(cause)),
      response: responses[cause],
    }))
    .filter(({ attempts }) => attempts > 0)
    .sort((left, right) => right.attempts - left.attempts)

/** Sums records into the points of a period, and in total. Omits those outside of it. */
export const summarize = (records: readonly FigureRecord[], { stepMs, times }: Period) => {
  const total: GrowingCounts = {}
  const points = times.map((): GrowingCounts => ({}))
  const [first = 0] = times
  for (const { at, counts } of records) {
    const point = points[Math.floor((at - first) / stepMs)]
    if (point === undefined) continue
    addCounts(total, counts)
    addCounts(point, counts)
  }
  const getSeries = (name: string): number[] => points.map((counts) => read(counts, name))
  const latencies = points.map(findQuantiles)
  const [delivered, failed] = [read(total, 'delivered'), read(total, 'failed')]
  return {
    events: { total: read(total, 'events'), series: getSeries('events') },
    totals: {
      delivered,
      failed,
      deferred: read(total, 'deferred'),
      exhausted: read(total, 'exhausted'),
      successRate: delivered + failed === 0 ? null : delivered / (delivered + failed),
    },
    series: {
      delivered: getSeries('delivered'),
      failed: getSeries('failed'),
      rotated: getSeries('rotated'),
      disabled: getSeries('disabled'),
      p50Ms: latencies.map(({ p50Ms }) => p50Ms),
      p95Ms: latencies.map(({ p95Ms }) => p95Ms),
    },
    latency: {
      ...findQuantiles(total),
      buckets: buckets.map(({ atMostMs, name }) => ({ atMostMs, attempts: read(total, name) })),
    },
    failures: listFailures(total),
  }
}
