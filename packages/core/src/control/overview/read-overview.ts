import type { FigureRecord, ReferenceServer, Subscription, UnfinishedMeasure } from '../../index.ts'
import { startBackgroundTimer } from '../../values/clock.ts'
import type { ControlContext } from '../operation.ts'
import { readPages, utc } from '../schemas.ts'
import type { OverviewWindow } from '../views/overview.ts'
import { showSubscription } from '../views/subscription.ts'
import { planPeriod, summarize } from './summarize.ts'

type OverviewContext = Pick<ControlContext, 'service' | 'now'>

/** Maximum number of unfinished deliveries to count for a subscription. */
const backlogLimit = 10_000

/** Maximum time to wait for the size of the backlog, in milliseconds. */
const patienceMs = 200

/** The running queries. A slow database does not get the same query again while it is still running. */
const measuring = new WeakMap<ReferenceServer, Map<string, Promise<UnfinishedMeasure[] | undefined>>>()

/** Measures the unfinished deliveries of subscriptions. Resolves to `undefined` after {@link patienceMs}. */
const measureBacklog = (
  service: ReferenceServer,
  organizationId: string,
  subscriptionIds: readonly string[],
): Promise<readonly UnfinishedMeasure[] | undefined> => {
  const underWay = measuring.get(service) ?? new Map<string, Promise<UnfinishedMeasure[] | undefined>>()
  measuring.set(service, underWay)
  const key = JSON.stringify([organizationId, subscriptionIds])
  const measure =
    underWay.get(key) ??
    service.figures
      .measureUnfinished(organizationId, { subscriptionIds, limit: backlogLimit })
      .catch(() => undefined)
      .finally(() => underWay.delete(key))
  underWay.set(key, measure)
  return new Promise((resolve) => {
    const timer = startBackgroundTimer(() => resolve(undefined), patienceMs)
    void measure.then((measured) => {
      clearTimeout(timer)
      resolve(measured)
    })
  })
}

const showBacklog = (measures: readonly UnfinishedMeasure[] | undefined) => {
  if (measures === undefined) return { unfinished: null, oldestAt: null }
  const times = measures.flatMap(({ oldestAt }) => oldestAt ?? [])
  const oldestAt = times.length === 0 ? null : utc(times.reduce((first, each) => Math.min(first, each)))
  return { unfinished: measures.reduce((sum, each) => sum + each.unfinished, 0), oldestAt }
}

const getState = ({ disabledReason, failingSince }: Subscription) => {
  if (disabledReason !== null) return 'disabled'
  return failingSince === null ? 'working' : 'failing'
}

/** Reads all subscriptions of an organization, oldest first. */
const readSubscriptions = async (
  { service }: OverviewContext,
  organizationId: string,
): Promise<Subscription[]> => {
  const subscriptions: Subscription[] = []
  for await (const each of readPages((page) => service.subscriptions.list(organizationId, page))) {
    subscriptions.push(each)
  }
  return subscriptions
}

const readPeriod = (window: OverviewWindow, now: number) => {
  const period = planPeriod(window, now)
  return {
    period,
    shown: { window, stepMs: period.stepMs, times: period.times.map(utc) },
    from: period.times[0] ?? now,
  }
}

/** Reads the overview of an organization. */
export const readOverview = async (
  context: OverviewContext,
  organizationId: string,
  window: OverviewWindow,
) => {
  const { service, now } = context
  const { period, shown, from } = readPeriod(window, now())
  const subscriptions = await readSubscriptions(context, organizationId)
  const ids = subscriptions.map(({ id }) => id)
  const [records, measures] = await Promise.all([
    service.figures.list(organizationId, { subscriptionIds: [''], from }),
    measureBacklog(service, organizationId, ids),
  ])
  const { events, totals, series, ...details } = summarize(records, period)
  const states = { working: 0, failing: 0, disabled: 0 }
  for (const each of subscriptions) states[getState(each)] += 1
  return {
    ...shown,
    totals: { events: events.total, ...totals },
    series: { events: events.series, ...series },
    ...details,
    backlog: showBacklog(measures),
    subscriptions: states,
  }
}

/** Reads the overviews of some subscriptions of an organization. */
export const readSubscriptionOverviews = async (
  { service, now }: OverviewContext,
  subscriptions: readonly Subscription[],
  window: OverviewWindow,
) => {
  const [first] = subscriptions
  if (first === undefined) return []
  const { organizationId } = first
  const { period, shown, from } = readPeriod(window, now())
  const subscriptionIds = subscriptions.map(({ id }) => id)
  const [records, measures] = await Promise.all([
    service.figures.list(organizationId, { subscriptionIds, from }),
    measureBacklog(service, organizationId, subscriptionIds),
  ])
  const bySubscription = Map.groupBy(records, ({ subscriptionId }: FigureRecord) => subscriptionId)
  return subscriptions.map((subscription, index) => {
    const { events: _, ...figures } = summarize(bySubscription.get(subscription.id) ?? [], period)
    const state: 'working' | 'failing' | 'disabled' = getState(subscription)
    return {
      subscription: showSubscription(subscription),
      state,
      ...shown,
      ...figures,
      backlog: showBacklog(measures?.slice(index, index + 1)),
    }
  })
}

type SubscriptionQuery = {
  readonly window: OverviewWindow
  readonly cursor?: string | undefined
  readonly limit: number
}

const ranks = { failing: 0, working: 1, disabled: 2 } as const

/**
 * Returns the sort key of a subscription: failing ones come first, then the oldest. The key also serves as a
 * cursor.
 */
const getPlace = (subscription: Subscription): string =>
  `${ranks[getState(subscription)]}.${utc(subscription.createdAt)}.${subscription.id}`

/** Lists the overviews of an organization's subscriptions, failing ones first. */
export const listSubscriptionOverviews = async (
  context: OverviewContext,
  organizationId: string,
  { window, cursor = '', limit }: SubscriptionQuery,
) => {
  const subscriptions = await readSubscriptions(context, organizationId)
  const rest = subscriptions
    .map((subscription) => ({ subscription, place: getPlace(subscription) }))
    .filter(({ place }) => place > cursor)
    .sort((left, right) => (left.place < right.place ? -1 : 1))
  const page = rest.slice(0, limit)
  return {
    items: await readSubscriptionOverviews(
      context,
      page.map(({ subscription }) => subscription),
      window,
    ),
    ...(rest.length > limit && { nextCursor: page.at(-1)?.place }),
  }
}
