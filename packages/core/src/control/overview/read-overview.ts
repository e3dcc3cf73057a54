import type { FigureRecord, Subscription, UnfinishedMeasure } from '../../index.ts'
import type { ControlContext } from '../operation.ts'
import { readPages, utc } from '../schemas.ts'
import type { OverviewRange } from '../views/overview.ts'
import { showSubscription } from '../views/subscription.ts'
import { getState, measureBacklog, type SubscriptionState } from './subscription-state.ts'
import { planPeriod, summarize } from './summarize.ts'

type OverviewContext = Pick<ControlContext, 'service' | 'now'>

const showBacklog = (measures: readonly UnfinishedMeasure[] | undefined) => {
  if (measures === undefined) return { unfinished: null, oldestAt: null }
  const times = measures.flatMap(({ oldestAt }) => oldestAt ?? [])
  const oldestAt = times.length === 0 ? null : utc(times.reduce((first, each) => Math.min(first, each)))
  return { unfinished: measures.reduce((sum, each) => sum + each.unfinished, 0), oldestAt }
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

const readPeriod = (range: OverviewRange, now: number) => {
  const period = planPeriod(range, now)
  return {
    period,
    shown: { ...period, times: period.times.map(utc) },
    from: period.times[0] ?? now,
  }
}

/** Reads the overview of an organization. */
export const readOverview = async (
  context: OverviewContext,
  organizationId: string,
  range: OverviewRange,
) => {
  const { service, now } = context
  const { period, shown, from } = readPeriod(range, now())
  const subscriptions = await readSubscriptions(context, organizationId)
  const ids = subscriptions.map(({ id }) => id)
  const [records, measures] = await Promise.all([
    service.figures.list(organizationId, { subscriptionIds: [''], from }),
    measureBacklog(service, organizationId, ids),
  ])
  const { events, totals, series, ...details } = summarize(records, period)
  const states = { working: 0, untried: 0, behind: 0, failing: 0, disabled: 0 }
  for (const [index, each] of subscriptions.entries())
    states[getState(each, measures?.[index], now()).state] += 1
  return {
    ...shown,
    totals: { events: events.total, ...totals },
    series: { events: events.series, ...series },
    ...details,
    backlog: showBacklog(measures),
    subscriptions: states,
  }
}

/** Reads the overviews of some subscriptions of an organization. Measures their backlogs, unless `measuring` does. */
export const readSubscriptionOverviews = async (
  { service, now }: OverviewContext,
  subscriptions: readonly Subscription[],
  range: OverviewRange,
  measuring?: ReturnType<typeof measureBacklog>,
) => {
  const [first] = subscriptions
  if (first === undefined) return []
  const { organizationId } = first
  const { period, shown, from } = readPeriod(range, now())
  const subscriptionIds = subscriptions.map(({ id }) => id)
  const [records, measures] = await Promise.all([
    service.figures.list(organizationId, { subscriptionIds, from }),
    measuring ?? measureBacklog(service, organizationId, subscriptionIds),
  ])
  const bySubscription = Map.groupBy(records, ({ subscriptionId }: FigureRecord) => subscriptionId)
  return subscriptions.map((subscription, index) => {
    const { events: _, ...figures } = summarize(bySubscription.get(subscription.id) ?? [], period)
    const { state, oldestDueAt } = getState(subscription, measures?.[index], now())
    return {
      subscription: showSubscription(subscription),
      state,
      oldestDueAt: oldestDueAt === null ? null : utc(oldestDueAt),
      ...shown,
      ...figures,
      backlog: showBacklog(measures?.slice(index, index + 1)),
    }
  })
}

type SubscriptionQuery = OverviewRange & {
  readonly cursor?: string | undefined
  readonly limit: number
}

const ranks = { failing: 0, given_up: 1, behind: 2, untried: 3, working: 4, disabled: 5 } as const

/**
 * Returns the sort key of a subscription: failing ones come first, then those that the server has disabled, those that are
 * behind, untried ones, those that work, and those disabled by hand last, each kind from the oldest on. The key also
 * serves as a cursor.
 */
const getPlace = ({ id, disabledReason, createdAt }: Subscription, state: SubscriptionState): string => {
  const isGivenUp = disabledReason !== null && disabledReason !== 'by_hand'
  return `${ranks[isGivenUp ? 'given_up' : state]}.${utc(createdAt)}.${id}`
}

/** Lists the overviews of an organization's subscriptions: failing ones, those that the server has disabled, then the others. */
export const listSubscriptionOverviews = async (
  context: OverviewContext,
  organizationId: string,
  { cursor = '', limit, ...range }: SubscriptionQuery,
) => {
  const subscriptions = await readSubscriptions(context, organizationId)
  const ids = subscriptions.map(({ id }) => id)
  const measures = await measureBacklog(context.service, organizationId, ids)
  const rest = subscriptions
    .map((subscription, index) => ({
      subscription,
      measure: measures?.[index],
      place: getPlace(subscription, getState(subscription, measures?.[index], context.now()).state),
    }))
    .filter(({ place }) => place > cursor)
    .sort((left, right) => (left.place < right.place ? -1 : 1))
  const page = rest.slice(0, limit)
  return {
    items: await readSubscriptionOverviews(
      context,
      page.map(({ subscription }) => subscription),
      range,
      Promise.resolve(measures && page.flatMap(({ measure }) => measure ?? [])),
    ),
    ...(rest.length > limit && { nextCursor: page.at(-1)?.place }),
  }
}
