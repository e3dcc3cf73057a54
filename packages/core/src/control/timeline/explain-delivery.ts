import { explainWait } from '../../delivery/explain-wait.ts'
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliverySelection,
  ReferenceServer,
  Subscription,
} from '../../index.ts'
import type { ControlContext } from '../operation.ts'
import { showWait, type WaitView } from '../views/wait.ts'

export type WaitContext = Pick<ControlContext, 'service' | 'now'>

/** Lists the newest 1,000 deliveries of a subject or an event, in the order of their events. */
export const listDeliveries = async (
  { deliveries }: ReferenceServer,
  organizationId: string,
  selection: Pick<DeliverySelection, 'subject' | 'eventId' | 'subscriptionId'>,
): Promise<DeliveryRecord[]> => {
  const page = { ...selection, order: 'newest_first', limit: 1_000 } as const
  return (await deliveries.list(organizationId, page)).items.toReversed()
}

type Waiting = {
  readonly delivery: DeliveryRecord
  readonly subscription: Subscription | undefined
  /** The deliveries of its subscription and subject, in the order of their events. */
  readonly lane: readonly DeliveryRecord[]
  readonly lastAttempt: AttemptRecord | undefined
}

const newest = { order: 'newest_first', limit: 1 } as const

/**
 * A store lists a delivery that is being attempted as pending, and `deliveries.list` then picks the attempted ones from
 * the page. Therefore, one page must have room for the pending deliveries before it. Most are retries of a failing
 * endpoint.
 */
const attempting = { statuses: ['attempting'], order: 'oldest_first', limit: 100 } as const

/** Like {@link explainDelivery}, for a delivery whose surroundings are known. */
export const readWait = async (
  { service, now }: WaitContext,
  { delivery, subscription, lane, lastAttempt }: Waiting,
): Promise<WaitView | null> => {
  const { organizationId, subscriptionId, eventId, status, dueAt } = delivery
  const time = now()
  const isDue = status === 'pending' && dueAt !== null && dueAt <= time
  const [events, underWay] = await Promise.all([
    status === 'waiting' ? service.events.list(organizationId, { eventId, ...newest }) : undefined,
    isDue ? service.deliveries.list(organizationId, { subscriptionId, ...attempting }) : undefined,
  ])
  const wait = explainWait(delivery, {
    now: time,
    lane,
    waitsFor: events?.items[0]?.waitsFor ?? null,
    lastAttempt,
    disabledReason: subscription?.disabledReason ?? null,
    maxAttemptsPerSecond: subscription?.maxAttemptsPerSecond ?? null,
    isEndpointBusy: underWay !== undefined && underWay.items.length > 0,
  })
  return wait === undefined ? null : showWait(wait, time)
}

/**
 * Returns why a delivery waits, or that it was skipped and its subscription is still disabled; `null` for any other
 * finished delivery.
 */
export const explainDelivery = async (
  context: WaitContext,
  delivery: DeliveryRecord,
): Promise<WaitView | null> => {
  const { id, organizationId, subject, subscriptionId, status, deferrals } = delivery
  const mayBeDeferred = status === 'pending' && deferrals > 0
  const [subscription, lane, lastAttempts] = await Promise.all([
    context.service.subscriptions.find(organizationId, subscriptionId),
    status === 'waiting' ? listDeliveries(context.service, organizationId, { subject, subscriptionId }) : [],
    mayBeDeferred ? context.service.deliveries.lastAttempts(organizationId, [id]) : [],
  ])
  return readWait(context, { delivery, subscription, lane, lastAttempt: lastAttempts[0] })
}
