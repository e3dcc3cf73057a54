import type { AttemptResult, DeliveryRecord, EventRecord, SubscriptionRecord } from '../records.ts'
import type { ClaimedDelivery, ClaimRequest, SettlementOutcome, SettlementResult, Store } from '../store.ts'
import { ok } from './assert.ts'
import { event, organization, start, subscription } from './records.ts'

const day = 86_400_000

/** An organization with one subscription, or with those given. */
export const open = async (store: Store, subscriptions: readonly SubscriptionRecord[] = [subscription()]) => {
  await store.saveOrganization(organization())
  for (const each of subscriptions) await store.saveSubscription(each)
}

/** Tells events, one after the other. */
export const tell = async (
  store: Store,
  ...events: ReadonlyArray<Partial<EventRecord>>
): Promise<EventRecord[]> => {
  const told = events.map((overrides) => event(overrides))
  for (const each of told) await store.addEvent(each)
  return told
}

let claimCount = 0

/** What was claimed, by which claim. */
export type Claimed = ClaimedDelivery & { readonly claimId: string }

/** Claims what is due at the start, unless told otherwise. */
export const claim = async (store: Store, overrides: Partial<ClaimRequest> = {}): Promise<Claimed[]> => {
  const claimId = overrides.claimId ?? `claim_${++claimCount}`
  const request = { now: start, leaseMs: 60_000, limit: 100, perSubscription: 100, ...overrides, claimId }
  return (await store.claimDeliveries(request)).map((claimed) => ({ ...claimed, claimId }))
}

/** Claims, and expects exactly one delivery. */
export const claimOne = async (store: Store, overrides: Partial<ClaimRequest> = {}): Promise<Claimed> => {
  const [claimed, ...others] = await claim(store, overrides)
  ok(claimed !== undefined && others.length === 0, 'expected to claim exactly one delivery')
  return claimed
}

/** What an attempt at the start found. */
export const attempt = (overrides: Partial<AttemptResult> = {}): AttemptResult => ({
  startedAt: start,
  durationMs: 12,
  url: 'https://receiver.example/hook',
  status: 200,
  error: null,
  responseBody: 'ok',
  ...overrides,
})

/** The results that a settlement can have. */
export const delivered: SettlementResult = { kind: 'delivered', attempt: attempt() }
export const exhausted: SettlementResult = { kind: 'exhausted', attempt: attempt({ status: 500 }) }
export const gone: SettlementResult = { kind: 'gone', attempt: attempt({ status: 410 }) }
export const released: SettlementResult = { kind: 'released' }
export const retry = (delayMs: number, releasesLane = false, startedAt = start): SettlementResult => ({
  kind: 'retry',
  attempt: attempt({ status: 500, startedAt }),
  delayMs,
  releasesLane,
})

/** Settles what was claimed. */
export const settle = (
  store: Store,
  { claimId, delivery }: Pick<Claimed, 'claimId'> & { readonly delivery: Pick<DeliveryRecord, 'id'> },
  result: SettlementResult,
  now = start,
): Promise<SettlementOutcome> =>
  store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 5 * day })

/** Settles what was claimed as delivered, after a slow attempt. */
export const settleSlowly = (store: Store, { claimId, delivery }: Claimed): Promise<SettlementOutcome> =>
  store.settleDelivery({
    deliveryId: delivery.id,
    claimId,
    now: start,
    result: delivered,
    isSlow: true,
    failingLimitMs: 5 * day,
  })

/** All deliveries of the organization. */
export const listAll = async (store: Store): Promise<DeliveryRecord[]> =>
  (await store.listDeliveries({ organizationId: 'acme', limit: 1_000 })).items

/** Names of the events of what was claimed. */
export const namesOf = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.map(({ event: { name } }) => name)

/** Statuses of all deliveries, in the order of their events. */
export const statuses = async (store: Store): Promise<string[]> =>
  (await listAll(store)).map(({ status }) => status)
