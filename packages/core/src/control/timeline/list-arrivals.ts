import { maskUrl } from '@wabakit/wire'
import type { AttemptRecord, DeliveryRecord } from '../../index.ts'
import { utc } from '../schemas.ts'
import type { ArrivalView } from '../views/arrival.ts'
import { nameCause } from '../views/diagnosis.ts'
import { formatMoment } from '../views/wait.ts'
import { explainDelivery, type WaitContext } from './explain-delivery.ts'

/** Formats how often something happened: ` twice`, or nothing for once. */
const formatTimes = (count: number): string => {
  if (count === 1) return ''
  return count === 2 ? ' twice' : ` ${count} times`
}

/**
 * Describes failed attempts, and why the last one failed: `got 401 twice (the endpoint found no valid signature)`, or
 * `failed 3 times, the last one with 401 (…)` if they differ.
 */
const describeFailures = (failed: readonly AttemptRecord[]): string => {
  const last = failed.at(-1)
  if (last === undefined) return 'was not sent'
  const response = `${last.status ?? 'no response'}`
  const how = failed.every(({ status }) => status === last.status)
    ? `got ${response}${failed.length > 2 ? ` in ${failed.length} attempts` : formatTimes(failed.length)}`
    : `failed${formatTimes(failed.length)}, the last one with ${response}`
  return `${how} (${nameCause(last)})`
}

const formatNext = ({ status, dueAt }: DeliveryRecord, now: number): string => {
  if (status === 'exhausted') return ', and no attempt follows'
  if (status === 'skipped') return ', and was skipped'
  if (status === 'attempting') return ', and is being attempted'
  return dueAt === null || dueAt <= now
    ? ', next attempt is due'
    : `, next attempt at ${formatMoment(dueAt, now)}`
}

const isRepeated = ({ finishedAt, failures }: DeliveryRecord): boolean => finishedAt === null && failures > 0

/** Ranks deliveries that are not repeated by how much they hold back others: first those that were given up. */
const rank = ({ status }: DeliveryRecord): number => {
  if (status === 'waiting') return 3
  return status === 'pending' || status === 'attempting' ? 2 : 1
}

/** Returns the delivery to name. Of several that are repeated, it is the last: it has overtaken the others. */
const findWorst = (missing: readonly DeliveryRecord[]): DeliveryRecord | undefined =>
  missing.findLast(isRepeated) ?? missing.toSorted((left, right) => rank(left) - rank(right))[0]

/** Follows a waiting delivery to the one that holds it back. Each step leads to an earlier or a pending one. */
const findBlocker = async (context: WaitContext, delivery: DeliveryRecord): Promise<DeliveryRecord> => {
  if (delivery.status !== 'waiting') return delivery
  const wait = await explainDelivery(context, delivery)
  if (wait === null || !('deliveryId' in wait)) return delivery
  const { items } = await context.service.deliveries.list(delivery.organizationId, {
    deliveryId: wait.deliveryId,
  })
  const [next] = items
  return next === undefined ? delivery : findBlocker(context, next)
}

type State = Pick<ArrivalView, 'state' | 'deliveryId' | 'eventName' | 'at' | 'text'>

/**
 * Returns the beginning of a sentence about a delivery that holds back others: `CALL_AI_SUMMARY waits for CALL_ENDED, which`,
 * with the last event that waits for it, or else only the name of its own event.
 */
const nameBlocker = async (
  context: WaitContext,
  { id, eventName }: DeliveryRecord,
  missing: readonly DeliveryRecord[],
): Promise<string> => {
  const last = missing.findLast((each) => each.status === 'waiting' && each.eventName !== eventName)
  if (last === undefined || (await findBlocker(context, last)).id !== id) return eventName
  return `${last.eventName} waits for ${eventName}, which`
}

const describeMissing = async (
  context: WaitContext,
  worst: DeliveryRecord,
  missing: readonly DeliveryRecord[],
): Promise<State> => {
  const now = context.now()
  const blocker = await findBlocker(context, worst)
  const name = await nameBlocker(context, blocker, missing)
  const { id: deliveryId, eventName, organizationId, status, dueAt, failures } = blocker
  const about = {
    deliveryId,
    eventName,
    at: status === 'pending' && dueAt !== null && dueAt > now ? utc(dueAt) : null,
  }
  if (failures === 0 && status !== 'exhausted' && status !== 'skipped') {
    const wait = await explainDelivery(context, blocker)
    return {
      state: 'under_way',
      ...about,
      text: `under way: ${name} has not arrived yet. ${wait?.text ?? ''}`.replace(/\.? *$/, ''),
    }
  }
  const attempts = await context.service.deliveries.attempts(organizationId, deliveryId)
  // All of them, although `failures` starts anew when a delivery is resent: that is what the delivery's page lists.
  const failed = attempts.filter(({ succeeded, deferred }) => !succeeded && !deferred)
  return {
    state: 'not_delivered',
    ...about,
    text: `not delivered: ${name} ${describeFailures(failed)}${formatNext(blocker, now)}`,
  }
}

const describeEndpoint = async (
  context: WaitContext,
  deliveries: readonly DeliveryRecord[],
): Promise<State> => {
  const missing = deliveries.filter(({ status }) => status !== 'delivered')
  const worst = findWorst(missing)
  if (worst !== undefined) {
    const described = await describeMissing(context, worst, missing)
    const isPart = missing.length < deliveries.length && described.state === 'not_delivered'
    const text = isPart
      ? `${missing.length} of ${deliveries.length} events ${described.text}`
      : described.text
    return { ...described, text }
  }
  const last = deliveries.reduce((latest, each) =>
    (each.finishedAt ?? 0) > (latest.finishedAt ?? 0) ? each : latest,
  )
  const at = last.finishedAt ?? last.createdAt
  const { id: deliveryId, eventName } = last
  return {
    state: 'delivered',
    deliveryId,
    eventName,
    at: utc(at),
    text: `delivered at ${formatMoment(at, context.now())}`,
  }
}

/** Returns for each endpoint whether these deliveries, oldest first, have arrived there, or what holds them back. */
export const listArrivals = async (
  context: WaitContext,
  deliveries: readonly DeliveryRecord[],
): Promise<ArrivalView[]> => {
  const arrivals = await Promise.all(
    Array.from(
      Map.groupBy(deliveries, ({ subscriptionId }) => subscriptionId),
      async ([subscriptionId, own]) => {
        const organizationId = own[0]?.organizationId ?? ''
        const [subscription, state] = await Promise.all([
          context.service.subscriptions.find(organizationId, subscriptionId),
          describeEndpoint(context, own),
        ])
        const missing = own.filter(({ status }) => status !== 'delivered').length
        const view = {
          subscriptionId,
          url: subscription === undefined ? null : maskUrl(subscription.url),
          events: own.length,
          missing,
          ...state,
        }
        return { view, createdAt: subscription?.createdAt ?? 0 }
      },
    ),
  )
  // Endpoints come in the same order for every call and group, although not all get the same events.
  return arrivals.toSorted((left, right) => left.createdAt - right.createdAt).map(({ view }) => view)
}
