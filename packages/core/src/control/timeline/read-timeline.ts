import { explainWait } from '../../delivery/explain-wait.ts'
import type { AttemptRecord, DeliveryRecord, ReferenceServer, Subscription } from '../../index.ts'
import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import type { ControlContext } from '../operation.ts'
import { utc } from '../schemas.ts'
import { showCall } from '../views/call.ts'
import { showDelivery } from '../views/delivery.ts'
import { showGroup } from '../views/group.ts'
import { showSubscription } from '../views/subscription.ts'
import type { TimelineView } from '../views/timeline.ts'
import { showWait, type WaitView } from '../views/wait.ts'
import { type Attempted, buildEntries, markDelivery } from './build-entries.ts'
import { explainSummary } from './explain-summary.ts'

export type TimelineSubject =
  | { readonly call: string; readonly group?: undefined }
  | { readonly group: string; readonly call?: undefined }

type WaitContext = Pick<ControlContext, 'service' | 'now'>

const maxEvents = 500

/** Lists a subject's newest 1,000 deliveries in the order of their events. */
const listDeliveries = async (
  { deliveries }: ReferenceServer,
  organizationId: string,
  selection: { readonly subject: string; readonly subscriptionId?: string },
): Promise<DeliveryRecord[]> => {
  const page = { ...selection, order: 'newest_first', limit: 1_000 } as const
  return (await deliveries.list(organizationId, page)).items.toReversed()
}

type Waiting = {
  readonly delivery: DeliveryRecord
  readonly subscription: Subscription | undefined
  /** The deliveries of its lane, in the order of their events. */
  readonly lane: readonly DeliveryRecord[]
  readonly lastAttempt: AttemptRecord | undefined
}

const newest = { order: 'newest_first', limit: 1 } as const

/**
 * A store knows a delivery that is being attempted only as pending, and a page has only those of its deliveries that are.
 * Therefore, one page must have room for the pending deliveries before it. Most are retries of a failing endpoint.
 */
const attempting = { statuses: ['attempting'], order: 'oldest_first', limit: 100 } as const

const readWait = async (
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

/** Returns why a delivery is waiting, or `null` if it needs no attempt. */
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

/** Reads the timeline of a call or group. Resolves to `undefined` if there are no records about it. */
export const readTimeline = async (
  context: ControlContext,
  organizationId: string,
  about: TimelineSubject,
): Promise<TimelineView | undefined> => {
  const { service, requests, simulation, now } = context
  const subject = about.call === undefined ? toGroupSubject(about.group) : toCallSubject(about.call)
  const [organization, found, group, events, deliveries] = await Promise.all([
    service.organizations.find(organizationId),
    about.call === undefined ? undefined : service.calls.find(organizationId, about.call),
    about.group === undefined ? undefined : service.groups.find(organizationId, about.group),
    service.events.list(organizationId, { subject, order: 'newest_first', limit: maxEvents }),
    listDeliveries(service, organizationId, { subject }),
  ])
  if (found === undefined && group === undefined && events.items.length === 0) return undefined
  const subscriptionIds = new Set(deliveries.map(({ subscriptionId }) => subscriptionId))
  const subscriptions = (
    await Promise.all(Array.from(subscriptionIds, (id) => service.subscriptions.find(organizationId, id)))
  ).filter((each) => each !== undefined)
  const attempted: Attempted[] = await Promise.all(
    deliveries.map(async (delivery) => ({
      delivery,
      attempts: delivery.attempts === 0 ? [] : await service.deliveries.attempts(organizationId, delivery.id),
    })),
  )
  const lanes = Map.groupBy(attempted, ({ delivery }) => delivery.subscriptionId)
  const marked = await Promise.all(
    attempted.map(async (each) => {
      const { delivery, attempts } = each
      const lane = lanes.get(delivery.subscriptionId) ?? []
      const subscription = subscriptions.find(({ id }) => id === delivery.subscriptionId)
      const ofLane = lane.map((other) => other.delivery)
      const lastAttempt = attempts.at(-1)
      const wait = await readWait(context, { delivery, subscription, lane: ofLane, lastAttempt })
      return { ...each, marks: markDelivery(each, lane), wait }
    }),
  )
  const known = {
    call: found?.call,
    summary: found?.summary,
    group,
    requests: requests.list({ organization: organizationId, ...about, limit: maxEvents }).items,
    events: events.items.toReversed(),
  }
  return {
    subject,
    now: utc(now()),
    call: found === undefined ? null : showCall(found.call, found.summary),
    summaryStatus:
      found === undefined
        ? null
        : explainSummary({
            ...found,
            callSummaries: organization?.callSummaries ?? 'automatic',
            dueAt: simulation.findDueSummary(organizationId, found.call.callId),
            deliveries: marked,
            now: now(),
          }),
    group: group === undefined ? null : showGroup(group),
    subscriptions: subscriptions.map(showSubscription),
    deliveries: marked.map(({ delivery, marks, wait }) => ({ ...showDelivery(delivery, { wait }), marks })),
    entries: buildEntries(known, marked),
  }
}
