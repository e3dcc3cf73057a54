import type { ReferenceServer, Subscription, UnfinishedMeasure } from '../../index.ts'
import { behindAfterMs } from '../../storage/behind.ts'
import { startBackgroundTimer } from '../../values/clock.ts'
import type { ControlContext } from '../operation.ts'
import type { StateNow, SubscriptionStateView } from '../views/subscription.ts'

export type SubscriptionState = SubscriptionStateView

/** Maximum number of unfinished deliveries to count for a subscription. */
const backlogLimit = 10_000

/**
 * Maximum time to wait for the size of the backlog, in milliseconds: a third of the 300 that an overview may take, because a
 * list of overviews reads its figures afterwards.
 */
const patienceMs = 100

/** The running queries. A slow database does not get the same query again while it is still running. */
const measuring = new WeakMap<ReferenceServer, Map<string, Promise<UnfinishedMeasure[] | undefined>>>()

/**
 * Measures the unfinished deliveries of subscriptions. Resolves to `undefined` after {@link patienceMs} or a failure.
 */
export const measureBacklog = (
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

/**
 * Returns the state of a subscription. An endpoint that fails and is behind is failing, because that is the cause.
 * Without a measure, because the database is slow or fails, nothing is known to be behind or untried.
 */
export const getState = (
  { disabledReason, failingSince }: Subscription,
  measure: UnfinishedMeasure | undefined,
  now: number,
): StateNow => {
  if (disabledReason !== null) return { state: 'disabled', oldestDueAt: null }
  if (failingSince !== null) return { state: 'failing', oldestDueAt: null }
  const dueAt = measure?.dueAt ?? now
  if (now - dueAt > behindAfterMs) return { state: 'behind', oldestDueAt: dueAt }
  return { state: measure?.isTried === false ? 'untried' : 'working', oldestDueAt: null }
}

/** Reads the states of subscriptions of one organization, in the same order. */
export const readStates = async (
  { service, now }: Pick<ControlContext, 'service' | 'now'>,
  subscriptions: readonly Subscription[],
): Promise<StateNow[]> => {
  const [first] = subscriptions
  if (first === undefined) return []
  const ids = subscriptions.map(({ id }) => id)
  const measures = await measureBacklog(service, first.organizationId, ids)
  return subscriptions.map((each, index) => getState(each, measures?.[index], now()))
}
