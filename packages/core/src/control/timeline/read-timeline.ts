import { toCallSubject, toGroupSubject } from '../../simulation/index.ts'
import type { ControlContext } from '../operation.ts'
import { utc } from '../schemas.ts'
import { showCall } from '../views/call.ts'
import { showDelivery } from '../views/delivery.ts'
import { showGroup } from '../views/group.ts'
import { showSubscription } from '../views/subscription.ts'
import type { TimelineView } from '../views/timeline.ts'
import { type Attempted, buildEntries, markDelivery } from './build-entries.ts'
import { listDeliveries, readWait } from './explain-delivery.ts'
import { explainSummary } from './explain-summary.ts'
import { listArrivals } from './list-arrivals.ts'

export type TimelineSubject =
  | { readonly call: string; readonly group?: undefined }
  | { readonly group: string; readonly call?: undefined }

const maxEvents = 500

/** Reads the timeline of a call or group. Resolves to `undefined` if neither it nor an event about it is stored. */
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
    requests: requests
      .list({ organization: organizationId, ...about, limit: maxEvents })
      .items.filter(({ organizationCreatedAt }) => organizationCreatedAt === organization?.createdAt),
    events: events.items.toReversed(),
  }
  return {
    subject,
    now: utc(now()),
    call: found === undefined ? null : showCall(found.call, found.summary),
    summaryStatus:
      found === undefined
        ? null
        : await explainSummary(context, {
            ...found,
            callSummaries: organization?.callSummaries ?? 'automatic',
            dueAt: simulation.findDueSummary(organizationId, found.call.callId),
            deliveries,
          }),
    group: group === undefined ? null : showGroup(group),
    endpoints: await listArrivals(context, deliveries),
    subscriptions: subscriptions.map(showSubscription),
    deliveries: marked.map(({ delivery, marks, wait }) => ({ ...showDelivery(delivery, { wait }), marks })),
    entries: buildEntries(known, marked),
  }
}
