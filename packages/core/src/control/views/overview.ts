import * as z from 'zod/mini'
import { named, Utc, UtcOrNull } from '../schemas.ts'
import { DiagnosisView } from './diagnosis.ts'
import { SubscriptionView, stateNow } from './subscription.ts'

/** The periods up to now that an overview can show. */
export const OverviewWindow = z.enum(['hour', 'day', 'week'])

/** A period up to now or, with `from`, any other one. Times are Unix time in milliseconds. */
export type OverviewRange = {
  readonly window: z.infer<typeof OverviewWindow>
  readonly from?: number | undefined
  readonly before?: number | undefined
}

export const BacklogView = named(
  'Backlog',
  'The unfinished deliveries now. Counting stops at 10,000 for each subscription, and `unfinished` is null if the database fails or does not answer in time. `oldestAt` is when the event of the oldest one occurred.',
  z.object({ unfinished: z.nullable(z.number()), oldestAt: UtcOrNull }),
)

const LatencyView = named(
  'Latency',
  'Durations of attempts. Each is counted in the first bucket whose `atMostMs` it does not exceed; the last bucket also has all longer ones. The percentiles are bounds of buckets: half of the attempts took at most `p50Ms`, 95 of 100 at most `p95Ms`, unless that is the bound of the last bucket. They are null if there was no attempt.',
  z.object({
    p50Ms: z.nullable(z.number()),
    p95Ms: z.nullable(z.number()),
    buckets: z.array(z.object({ atMostMs: z.number(), attempts: z.number() })),
  }),
)

const FailureView = named(
  'Failure',
  'The failed attempts with one likely cause. `response` is the value of the filter `anyResponse` that lists deliveries with such attempts.',
  z.extend(DiagnosisView, { attempts: z.number(), response: z.string() }),
)

const totals = {
  delivered: z.number(),
  failed: z.number(),
  deferred: z.number(),
  exhausted: z.number(),
  successRate: z.nullable(z.number()),
}

const series = {
  delivered: z.array(z.number()),
  failed: z.array(z.number()),
  rotated: z.array(z.number()),
  disabled: z.array(z.number()),
  p50Ms: z.array(z.nullable(z.number())),
  p95Ms: z.array(z.nullable(z.number())),
}

const period = {
  window: z.enum([...OverviewWindow.options, 'custom']),
  stepMs: z.number(),
  times: z.array(Utc),
}

const details = {
  latency: LatencyView,
  failures: z.array(FailureView),
  backlog: BacklogView,
}

export const OverviewView = named(
  'Overview',
  'The events and attempts of an organization in the last hour, day or week, or in a range of times (`custom`). `times` are the starts of the points of every series, `stepMs` apart; a point that contains the current time is not complete. `rotated` counts rotations of secrets and `disabled` how often a subscription was disabled. `delivered`, `failed` and `deferred` count attempts, and `exhausted` deliveries. `successRate` is the share of delivered attempts among delivered and failed ones, from 0 to 1; null without either. `subscriptions` counts them by their state now. Counts are written every ten seconds, or once the database is available again. A process that crashes loses those since its last write.',
  z.object({
    ...period,
    totals: z.object({ events: z.number(), ...totals }),
    series: z.object({ events: z.array(z.number()), ...series }),
    ...details,
    subscriptions: z.object({
      working: z.number(),
      untried: z.number(),
      behind: z.number(),
      failing: z.number(),
      disabled: z.number(),
    }),
  }),
)

export const SubscriptionOverviewView = named(
  'SubscriptionOverview',
  'The attempts of one subscription, as in `Overview`. `state` and `oldestDueAt` are explained in `ListedSubscription`.',
  z.object({
    subscription: SubscriptionView,
    ...stateNow,
    ...period,
    totals: z.object(totals),
    series: z.object(series),
    ...details,
  }),
)
