import { type HealthEvent, type HealthEventName, healthEventNames } from '@wabakit/contract'
import type { EventRecord, SubscriptionRecord } from '../records.ts'
import type { AttemptVerdict, Settlement } from '../store.ts'
import { toUtcTimestamp } from '../values/clock.ts'
import { sha256 } from '../values/sha256.ts'

/**
 * The health of a subscription, and the events about it for operators.
 *
 * States: *well*, and *reported* (`isReported`): operators got `failing` or `disabled`, and have not got `recovered`
 * since then. In both states, it may be enabled or disabled, and it may be failing (since `failingSince`) or not.
 *
 * Transitions of an enabled subscription, each with one event. Only settlements cause them, and one settlement may cause
 * the first two:
 * - well → reported, `subscription.failing`: a delivery is exhausted, or an attempt fails after all attempts have
 *   failed for ten minutes.
 * - well or reported → reported and disabled, `subscription.disabled`: the endpoint responded with 410, or an attempt
 *   fails after all attempts have failed for the whole limit.
 * - reported → well, `subscription.recovered`: an attempt succeeds.
 *
 * In any state, even if it is disabled: `delivery.exhausted`, if the last attempt of a delivery fails that was not skipped
 * meanwhile.
 *
 * Changes by users cause no transition. If a subscription is enabled again, or gets another URL, `failingSince` is
 * reset, and if it is reported, it stays so until an attempt succeeds.
 *
 * Each event goes to the organization's subscriptions to `OPERATIONS`, and a copy to those of the operator, whose organization
 * exists if `operationsUrl` was set (`serve/own-organizations.ts` in server). `dispatcher.onHealth` also passes it to the
 * log (`serve/log-service.ts`), the metrics (`metrics/metrics.ts`) and the figures (`figures/figures.ts`). No event is
 * about a subscription to `OPERATIONS` itself: if one is disabled, only the log reports it.
 *
 * These must never happen: a second `failing` without a `recovered` between them, a `recovered` without a `failing` or
 * `disabled` before it, or a health event about the delivery of a health event, which could cause ever more of them.
 */
export type Health = Pick<SubscriptionRecord, 'disabledReason' | 'failingSince' | 'isReported'>

/** A settlement's changes to a subscription's health. */
export type DecidedHealth = Pick<Health, 'failingSince' | 'isReported'> & {
  /** The reason for disabling the subscription; `null` if it does not change. */
  readonly disabled: 'gone' | 'failing' | null
  readonly health: readonly HealthEvent[]
  /**
   * The events in `health` as records, for the organization and for the operator. A record whose organization does not
   * exist is not published.
   */
  readonly events: readonly EventRecord[]
}

/** The operator's organization. If it exists, its subscriptions get the health events of all organizations. */
export const operatorId = 'wabakit:operator'

/**
 * Time since the first failed attempt after which a failing subscription is reported, in milliseconds. Simulated runs
 * shorten it.
 */
export const healthLimits = { reportAfterMs: 10 * 60_000 }

/** Returns whether the attempt failed. */
export const isFailure = ({ kind }: AttemptVerdict): boolean =>
  kind === 'retry' || kind === 'exhausted' || kind === 'gone'

const decideFailingSince = (result: AttemptVerdict, before: number | null): number | null => {
  if (result.kind === 'delivered') return null
  return isFailure(result) ? (before ?? result.attempt.startedAt) : before
}

const findReasonToDisable = ({ result, failingLimitMs }: Settlement, failingMs: number) => {
  if (result.kind === 'gone') return 'gone'
  return failingMs >= failingLimitMs ? 'failing' : null
}

type EventDetails = Pick<DecidedHealth, 'failingSince' | 'disabled'> & { readonly type: HealthEventName }

const buildEvent = (
  { now, delivery, result: { attempt } }: Settlement,
  { type, failingSince, disabled }: EventDetails,
): HealthEvent => ({
  type,
  timestamp: toUtcTimestamp(now),
  data: {
    organizationId: delivery.organizationId,
    subscriptionId: delivery.subscriptionId,
    url: attempt.url,
    failingSince: failingSince === null ? null : toUtcTimestamp(failingSince),
    disabledReason: type === 'subscription.disabled' ? disabled : null,
    eventId: delivery.eventId,
    eventName: delivery.eventName,
    attempts: delivery.attempts + 1,
    lastResponse: { status: attempt.status, error: attempt.error },
  },
})

/**
 * Converts a health event to records. All health events of one subscription share a subject, so they are delivered in
 * order. Their ids are derived from their causes.
 */
const toRecords = (event: HealthEvent, { version, now }: Settlement): EventRecord[] => {
  const { organizationId, subscriptionId, eventId } = event.data
  const cause = JSON.stringify([organizationId, subscriptionId, eventId, version, now, event.type])
  const own: EventRecord = {
    id: `hlt_${sha256(cause).slice(0, 32)}`,
    organizationId,
    name: event.type,
    subject: `subscription:${subscriptionId}`,
    channel: 'OPERATIONS',
    digits: '',
    payload: JSON.stringify(event),
    waitsFor: null,
    traceparent: null,
    hasCustomPayload: false,
    occurredAt: now,
  }
  const copy = { ...own, id: `${own.id}_operator`, organizationId: operatorId }
  return organizationId === operatorId ? [own] : [own, copy]
}

const isAboutHealth = ({ eventName }: Settlement['delivery']): boolean =>
  healthEventNames.some((name) => name === eventName)

/** Decides how a settlement changes the subscription's health. */
export const decideHealth = (
  {
    delivery: { state },
    subscription: before,
  }: { readonly delivery: { readonly state: string }; readonly subscription: Health },
  settlement: Settlement,
): DecidedHealth => {
  const { result, now, delivery } = settlement
  const isEnabled = before.disabledReason === null
  const failingSince = decideFailingSince(result, before.failingSince)
  const failingMs = isFailure(result) && failingSince !== null ? now - failingSince : 0
  const disabled = isEnabled ? findReasonToDisable(settlement, failingMs) : null
  if (isAboutHealth(delivery)) return { failingSince, isReported: false, disabled, health: [], events: [] }

  const isExhausted = result.kind === 'exhausted' && state !== 'skipped'
  const isFailing = disabled !== 'gone' && (isExhausted || failingMs >= healthLimits.reportAfterMs)
  const isNewlyFailing = isEnabled && !before.isReported && isFailing
  const isRecovered = isEnabled && before.isReported && result.kind === 'delivered'
  const types: HealthEventName[] = []
  if (isExhausted) types.push('delivery.exhausted')
  if (isNewlyFailing) types.push('subscription.failing')
  if (disabled !== null) types.push('subscription.disabled')
  if (isRecovered) types.push('subscription.recovered')
  const since = isRecovered ? before.failingSince : failingSince
  const health = types.map((type) => buildEvent(settlement, { type, failingSince: since, disabled }))
  return {
    failingSince,
    isReported: !isRecovered && (before.isReported || isNewlyFailing || disabled !== null),
    disabled,
    health,
    events: health.flatMap((event) => toRecords(event, settlement)),
  }
}

/**
 * Decides how a change by users changes a subscription's health. `isReset` is set if the subscription has
 * another URL or is enabled again: it then starts without failures and with a new pace.
 */
export const decideSavedHealth = (before: SubscriptionRecord, next: SubscriptionRecord) => {
  const isEnabledAgain = before.disabledReason !== null && next.disabledReason === null
  const isReset = isEnabledAgain || before.url !== next.url
  return { isReset, failingSince: isReset ? null : before.failingSince, isReported: before.isReported }
}
