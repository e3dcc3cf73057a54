import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildEvent, buildOrganization, buildSubscription } from '../../../test/store-cases/index.ts'
import { findFailureCause } from '../../figures/failure-cause.ts'
import { createReferenceServer, memoryStore, type Store } from '../../index.ts'
import { DeliveryFilter, selectDeliveries } from '../filters.ts'
import { listSubscriptionOverviews, readOverview, readSubscriptionOverviews } from './read-overview.ts'
import { planPeriod, summarize } from './summarize.ts'

const now = Date.UTC(2026, 0, 1, 12, 0, 30)
const minute = 60_000
const hour = { window: 'hour' } as const

/** Opens a service with two subscriptions, of which the second gets no event. */
const open = async (overrides: (store: Store) => Partial<Store> = () => ({})) => {
  const store = memoryStore()
  await store.saveOrganization(buildOrganization())
  await store.saveSubscription(buildSubscription())
  await store.saveSubscription(buildSubscription({ id: 'sub_2', events: ['CALL_ENDED'] }))
  const service = createReferenceServer({ store: { ...store, ...overrides(store) } })
  const [first, second] = (await service.subscriptions.list('acme')).items
  if (first === undefined || second === undefined) throw new Error('There are two subscriptions.')
  return { store, context: { service, now: () => now }, first, second }
}

test('overviews that are read at the same time show the backlogs of their own subscriptions', async () => {
  const { store, context, second } = await open(({ measureUnfinished }) => ({
    // Ends only once both have asked.
    measureUnfinished: async (request) => {
      await setImmediate()
      return measureUnfinished(request)
    },
  }))
  await store.addEvent(buildEvent({ occurredAt: now }))
  const [all, [one]] = await Promise.all([
    readOverview(context, 'acme', hour),
    readSubscriptionOverviews(context, [second], hour),
  ])
  expect([all.backlog, one?.backlog]).toEqual([
    { unfinished: 1, oldestAt: new Date(now).toISOString() },
    { unfinished: 0, oldestAt: null },
  ])
})

test('a list of overviews measures the backlogs once, for the order and for what it shows', async () => {
  let measured = 0
  const { store, context } = await open(({ measureUnfinished }) => ({
    measureUnfinished: (request) => {
      measured++
      return measureUnfinished(request)
    },
  }))
  await store.addEvent(buildEvent({ occurredAt: now - 2 * minute }))
  const { items } = await listSubscriptionOverviews(context, 'acme', { ...hour, limit: 1 })
  expect(items).toMatchObject([{ subscription: { id: 'sub_1' }, backlog: { unfinished: 1 } }])
  expect(measured).toBe(1)
})

test('an overview sums the records of its organization or subscription, each at its point of time', async () => {
  const { store, context, first } = await open()
  await store.saveOrganization(buildOrganization({ id: 'other' }))
  const add = (subscriptionId: string, minutesAgo: number, counts: Record<string, number>) =>
    store.addFigures(
      ['acme', 'other'].map((organizationId) => ({
        ...{ organizationId, subscriptionId, span: 10_000, counts },
        at: now - 30_000 - minutesAgo * minute + 20_000,
      })),
    )
  await add('', 0, {
    events: 4,
    disabled: 2,
    delivered: 6,
    failed: 2,
    'cause:timeout': 2,
    'ms:5': 5,
    'ms:250': 3,
  })
  await add('', 30, {
    rotated: 1,
    delivered: 2,
    failed: 1,
    deferred: 1,
    exhausted: 1,
    'cause:gone': 1,
    'ms:10': 3,
  })
  await add('', 30, { 'ms:15000': 1 })
  await add('', 60, { events: 9, delivered: 9, 'ms:5': 9 })
  await add('sub_1', 59, { rotated: 1, delivered: 1, 'ms:30000': 1 })
  await add('sub_2', 0, { failed: 7 })

  const series = <Value>(empty: Value, values: Readonly<Record<number, Value>>): Value[] =>
    Array.from({ length: 60 }, (_, index) => values[59 - index] ?? empty)
  const timeout = { cause: 'timeout', text: 'There was no complete response in time.', attempts: 2 }
  const gone = { cause: 'gone', attempts: 1, response: '410' }
  const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000]
  const buckets = (values: Readonly<Record<number, number>>) =>
    bounds.map((atMostMs) => ({ atMostMs, attempts: values[atMostMs] ?? 0 }))
  const period = {
    window: 'hour',
    stepMs: minute,
    times: Array.from({ length: 60 }, (_, index) =>
      new Date(now - 30_000 - (59 - index) * minute).toISOString(),
    ),
  }
  expect(await readOverview(context, 'acme', hour)).toEqual({
    ...period,
    totals: { events: 4, delivered: 8, failed: 3, deferred: 1, exhausted: 1, successRate: 8 / 11 },
    series: {
      events: series(0, { 0: 4 }),
      delivered: series(0, { 0: 6, 30: 2 }),
      failed: series(0, { 0: 2, 30: 1 }),
      rotated: series(0, { 30: 1 }),
      disabled: series(0, { 0: 2 }),
      p50Ms: series<number | null>(null, { 0: 5, 30: 10 }),
      p95Ms: series<number | null>(null, { 0: 250, 30: 15_000 }),
    },
    latency: { p50Ms: 10, p95Ms: 15_000, buckets: buckets({ 5: 5, 10: 3, 250: 3, 15000: 1 }) },
    failures: [
      expect.objectContaining({ ...timeout, response: 'none', remedy: expect.any(String) }),
      expect.objectContaining(gone),
    ],
    backlog: { unfinished: 0, oldestAt: null },
    subscriptions: { working: 0, untried: 2, behind: 0, failing: 0, disabled: 0 },
  })
  const none = series<number | null>(null, { 59: 30_000 })
  expect(await readSubscriptionOverviews(context, [first], hour)).toEqual([
    {
      subscription: expect.objectContaining({ id: 'sub_1' }),
      state: 'untried',
      oldestDueAt: null,
      ...period,
      totals: { delivered: 1, failed: 0, deferred: 0, exhausted: 0, successRate: 1 },
      series: {
        delivered: series(0, { 59: 1 }),
        failed: series(0, {}),
        rotated: series(0, { 59: 1 }),
        disabled: series(0, {}),
        p50Ms: none,
        p95Ms: none,
      },
      latency: { p50Ms: 30_000, p95Ms: 30_000, buckets: buckets({ 30000: 1 }) },
      failures: [],
      backlog: { unfinished: 0, oldestAt: null },
    },
  ])
})

test.each([
  { title: 'the last 20 minutes', from: 20, before: 0, stepMs: minute, points: 21 },
  { title: 'ten minutes, half an hour ago', from: 40, before: 30, stepMs: minute, points: 11 },
  { title: 'two hours of yesterday', from: 30 * 60, before: 28 * 60, stepMs: 60 * minute, points: 3 },
  { title: 'ten minutes, three hours ago', from: 190, before: 180, stepMs: 10 * minute, points: 2 },
  {
    title: 'a day up to a moment ago',
    from: 24 * 60 + 1,
    before: undefined,
    stepMs: 10 * minute,
    points: 146,
  },
  { title: 'a month', from: 30 * 24 * 60, before: undefined, stepMs: 360 * minute, points: 121 },
  { title: 'the future', from: -5, before: -10, stepMs: minute, points: 1 },
  { title: 'all of history', from: 1e7, before: undefined, stepMs: 7 * 1_440 * minute, points: 170 },
])(
  'a range has points of the shortest step that its records have: $title',
  ({ from, before, stepMs, points }) => {
    const toTime = (minutesAgo: number) => now - minutesAgo * minute
    const range = { ...hour, from: toTime(from), before: before === undefined ? undefined : toTime(before) }
    const period = planPeriod(range, now)
    expect(period).toMatchObject({ window: 'custom', stepMs, times: { length: points } })
    expect(period.times.every((at) => at % stepMs === 0)).toBe(true)
  },
)

const day = 24 * 60 * minute
const noon = Date.UTC(2026, 0, 1, 12)
const aroundNoon = [noon - 1, noon, noon + 1]

/** Every range from a few units ago to another few, each end on a bound of its points or a millisecond beside it. */
const rangesAtBounds = [minute, 10 * minute, 60 * minute, day, 7 * day].flatMap((unit) =>
  [-1, 0, 1].flatMap((start) =>
    [-1, 0, 1, undefined].map((end) => ({
      from: Math.floor(noon / unit) * unit - 3 * unit + start,
      before: end === undefined ? undefined : Math.floor(noon / unit) * unit - unit + end,
    })),
  ),
)

test('every point of a range has a part of it, and they have all of it, also at exact bounds', () => {
  for (const moment of aroundNoon) {
    for (const { from, before } of rangesAtBounds) {
      const { stepMs, times } = planPeriod({ ...hour, from, before }, moment)
      const last = Math.min((before ?? Infinity) - 1, moment)
      const hint = `from ${from - noon} before ${(before ?? Infinity) - noon} at ${moment - noon}`
      expect([times[0], times.at(-1)], hint).toEqual(
        [from, last].map((time) => Math.floor(time / stepMs) * stepMs),
      )
    }
  }
})

test('the last point of a window contains now, also at exact bounds', () => {
  const windows = [
    { window: 'hour', stepMs: minute, lengthMs: 60 * minute },
    { window: 'day', stepMs: 10 * minute, lengthMs: day },
    { window: 'week', stepMs: 60 * minute, lengthMs: 7 * day },
  ] as const
  for (const moment of aroundNoon) {
    for (const { window, stepMs, lengthMs } of windows) {
      const last = Math.floor(moment / stepMs) * stepMs
      const { times } = planPeriod({ window }, moment)
      expect([times[0], times.at(-1), times.length]).toEqual([
        last - lengthMs + stepMs,
        last,
        lengthMs / stepMs,
      ])
    }
  }
})

test.each([
  { ago: 70 * minute, stepMs: minute, longerMs: 10 * minute },
  { ago: 25 * 60 * minute, stepMs: 10 * minute, longerMs: 60 * minute },
])(
  'records are fine until they are $ago ms old, and not a millisecond longer',
  ({ ago, stepMs, longerMs }) => {
    const plan = (from: number) => planPeriod({ ...hour, from }, noon).stepMs
    expect([plan(noon - ago), plan(noon - ago - 1)]).toEqual([stepMs, longerMs])
  },
)

test('a record counts in the point that begins with it, and not in those before or after', () => {
  const period = planPeriod({ ...hour, from: noon - 3 * minute, before: noon }, noon)
  const [first = 0] = period.times
  const add = (at: number) =>
    summarize([{ organizationId: 'acme', subscriptionId: '', at, span: 1, counts: { events: 1 } }], period)
      .events.series
  expect([first - 1, first, first + minute - 1, first + minute, noon - 1, noon].map(add)).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0, 0, 0],
  ])
})

test('a quantile is the bound of the first bucket that reaches it', () => {
  const period = planPeriod(hour, noon)
  const find = (counts: Record<string, number>) =>
    summarize([{ organizationId: 'acme', subscriptionId: '', at: noon, span: 1, counts }], period).latency
  expect(find({ 'ms:5': 19, 'ms:10': 1 })).toMatchObject({ p50Ms: 5, p95Ms: 5 })
  expect(find({ 'ms:5': 18, 'ms:10': 2 })).toMatchObject({ p50Ms: 5, p95Ms: 10 })
  expect(find({ 'ms:5': 1, 'ms:10': 1 })).toMatchObject({ p50Ms: 5, p95Ms: 10 })
})

test('a range omits what happened before and after it', async () => {
  const { store, context } = await open()
  for (const minutesAgo of [5, 15, 25]) {
    const at = now - minutesAgo * minute
    await store.addFigures([
      { organizationId: 'acme', subscriptionId: '', at, span: 10_000, counts: { events: minutesAgo } },
    ])
  }
  const range = { ...hour, from: now - 20 * minute, before: now - 10 * minute }
  const { totals, series } = await readOverview(context, 'acme', range)
  expect([totals.events, series.events.reduce((sum, each) => sum + each)]).toEqual([15, 15])
})

test('the filter of each cause of failures finds the deliveries with such attempts', () => {
  const statuses = Array.from({ length: 300 }, (_, index) => 300 + index)
  const bodies = ['', 'signature', 'timestamp']
  const answered = statuses.flatMap((status) =>
    bodies.map((responseBody) => ({ status, responseBody, error: null })),
  )
  const errors = ['timeout', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'refused to connect to', 'not sent: ', 'reset']
  const failed = errors.map((error) => ({ status: null, responseBody: null, error }))
  for (const attempt of [...answered, ...failed]) {
    const cause = findFailureCause(attempt)
    const counts = { [`cause:${cause}`]: 1 }
    const record = { organizationId: 'acme', subscriptionId: '', at: now, span: 10_000, counts }
    const [{ response: anyResponse } = {}] = summarize([record], planPeriod(hour, now)).failures
    const { anyResponses } = selectDeliveries(DeliveryFilter.parse({ anyResponse }))
    expect(anyResponses, `${cause} ${attempt.status}`).toContain(attempt.status ?? 0)
  }
})

test('overviews of subscriptions that the server has disabled follow those of failing ones', async () => {
  const { store, context } = await open()
  const health = {
    by_hand: { disabledReason: 'by_hand' },
    gone: { disabledReason: 'gone' },
    given_up: { disabledReason: 'failing' },
    failing: { failingSince: now },
  } as const
  for (const [id, values] of Object.entries(health))
    await store.saveSubscription(buildSubscription({ id, ...values }))
  const { items } = await listSubscriptionOverviews(context, 'acme', { ...hour, limit: 10 })
  const ids = items.map(({ subscription }) => subscription.id)
  expect(ids).toEqual(['failing', 'given_up', 'gone', 'sub_1', 'sub_2', 'by_hand'])
})
