import type { AttemptResult, DeliveryRecord, EventRecord, SubscriptionRecord } from '../records.ts'
import type { ClaimedDelivery, ClaimRequest, SettlementOutcome, SettlementResult, Store } from '../store.ts'
import { ok } from './assert.ts'
import { buildEvent, buildOrganization, buildSubscription, start } from './records.ts'

const day = 86_400_000

/** Saves an organization with these subscriptions. */
export const setUp = async (
  store: Store,
  subscriptions: readonly SubscriptionRecord[] = [buildSubscription()],
) => {
  await store.saveOrganization(buildOrganization())
  for (const each of subscriptions) await store.saveSubscription(each)
}

/** Publishes events, one after the other. */
export const publish = async (
  store: Store,
  ...events: ReadonlyArray<Partial<EventRecord>>
): Promise<EventRecord[]> => {
  const published = events.map((overrides) => buildEvent(overrides))
  for (const each of published) await store.addEvent(each)
  return published
}

let claimCount = 0

/** A claimed delivery and the id of its claim. */
export type Claimed = ClaimedDelivery & { readonly claimId: string }

/** Claims due deliveries, by default at the start. */
export const claim = async (store: Store, overrides: Partial<ClaimRequest> = {}): Promise<Claimed[]> => {
  const claimId = overrides.claimId ?? `claim_${++claimCount}`
  const request = { now: start, leaseMs: 60_000, limit: 100, perSubscription: 100, ...overrides, claimId }
  return (await store.claimDeliveries(request)).map((claimed) => ({ ...claimed, claimId }))
}

/** Claims exactly one delivery. */
export const claimOne = async (store: Store, overrides: Partial<ClaimRequest> = {}): Promise<Claimed> => {
  const [claimed, ...others] = await claim(store, overrides)
  ok(claimed !== undefined && others.length === 0, 'expected to claim exactly one delivery')
  return claimed
}

/** Builds the result of a successful attempt at the start. */
export const buildAttempt = (overrides: Partial<AttemptResult> = {}): AttemptResult => ({
  startedAt: start,
  durationMs: 0,
  url: 'https://receiver.example/hook',
  status: 200,
  error: null,
  responseBody: 'ok',
  ...overrides,
})

export const delivered: SettlementResult = { kind: 'delivered', attempt: buildAttempt() }
export const exhausted: SettlementResult = { kind: 'exhausted', attempt: buildAttempt({ status: 500 }) }
export const gone: SettlementResult = { kind: 'gone', attempt: buildAttempt({ status: 410 }) }
export const defer = (delayMs: number): SettlementResult => ({
  kind: 'deferred',
  attempt: buildAttempt({ status: 409 }),
  delayMs,
})
export const released: SettlementResult = { kind: 'released' }
export const retry = (delayMs: number, releasesLane = false, startedAt = start): SettlementResult => ({
  kind: 'retry',
  attempt: buildAttempt({ status: 500, startedAt }),
  delayMs,
  releasesLane,
})

export const settle = (
  store: Store,
  { claimId, delivery }: Pick<Claimed, 'claimId'> & { readonly delivery: Pick<DeliveryRecord, 'id'> },
  result: SettlementResult,
  now = start,
): Promise<SettlementOutcome> =>
  store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 5 * day })

/** Settles a claim as delivered after a slow attempt. */
export const settleSlowly = (store: Store, { claimId, delivery }: Claimed): Promise<SettlementOutcome> =>
  store.settleDelivery({
    deliveryId: delivery.id,
    claimId,
    now: start,
    result: delivered,
    isSlow: true,
    failingLimitMs: 5 * day,
  })

/** Lists all deliveries of the organization. */
export const listAll = async (store: Store): Promise<DeliveryRecord[]> =>
  (await store.listDeliveries({ organizationId: 'acme', limit: 1_000 })).items

/** Returns the names of the events of claimed deliveries. */
export const listNames = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.map(({ event: { name } }) => name)

/** Lists the statuses of all deliveries, in the order of their events. */
export const listStatuses = async (store: Store): Promise<string[]> =>
  (await listAll(store)).map(({ status }) => status)
