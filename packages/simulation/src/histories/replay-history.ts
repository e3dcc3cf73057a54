import { isDeepStrictEqual } from 'node:util'
import type { ClaimedDelivery, DeliveryRecord, Settlement, Store } from '@wabakit/core'
import type { CallEntry, HistoryEntry, RecordedMethod } from './history.ts'

/** Real stores, to repeat a history on. */
export type RealStores = {
  /** Returns the store of a process. */
  getStore(server: string): Promise<Store>
  /** Lets the clock of the engine show a time, if it has one. */
  setTime(now: number): Promise<void>
  /** Something other than a call happened, such as the end of a process: the next one opens the store again. */
  follow(entry: Exclude<HistoryEntry, CallEntry>): Promise<void>
}

/** The first call with another outcome than the recorded one. */
export type Difference = {
  readonly index: number
  readonly method: string
  readonly expected: unknown
  readonly actual: unknown
}

const getKey = ({ eventId, subscriptionId }: Pick<DeliveryRecord, 'eventId' | 'subscriptionId'>): string =>
  `${eventId} ${subscriptionId}`

/** A delivery without its id, which every engine makes in its own way. */
const omitId = ({ id: _, ...delivery }: DeliveryRecord): object => delivery

const normalizeClaims = (claimed: readonly ClaimedDelivery[]): object[] =>
  claimed
    .map(({ delivery, subscription: { failingSince, ...subscription }, pace }) => ({
      ...omitId(delivery),
      key: getKey(delivery),
      pace,
      // PostgreSQL takes the time from its own clock.
      subscription: { ...subscription, isFailing: failingSince !== null },
    }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))

const isClaimed = (outcome: unknown): outcome is ClaimedDelivery[] => Array.isArray(outcome)

const normalize = (method: RecordedMethod, outcome: unknown): unknown => {
  // As JSON, in which a recorded history was saved.
  const plain: unknown = outcome === undefined ? null : JSON.parse(JSON.stringify(outcome))
  if (method === 'claimDeliveries' && isClaimed(plain)) return normalizeClaims(plain)
  if (method === 'erase') return null
  if (typeof plain !== 'object' || plain === null) return plain
  if ('delivery' in plain) return { ...plain, delivery: omitId(plain.delivery as DeliveryRecord) }
  if ('resent' in plain) return plain.resent
  return plain
}

/** Returns the time at which a call was made. */
const findTime = (values: readonly unknown[]): number | undefined => {
  const { now, event } = Object(values[0])
  const time = now ?? event?.occurredAt
  return typeof time === 'number' ? time : undefined
}

/** Repeats a history call by call. Returns the first difference, or nothing if there is none. */
export const replayHistory = async (
  history: readonly HistoryEntry[],
  stores: RealStores,
): Promise<Difference | undefined> => {
  const keys = new Map<string, string>()
  const ids = new Map<string, string>()

  const translate = (method: RecordedMethod, values: readonly unknown[]): readonly unknown[] => {
    if (method !== 'settleDelivery') return values
    const settlement = values[0] as Settlement
    const deliveryId = ids.get(keys.get(settlement.deliveryId) ?? '') ?? 'unknown'
    return [{ ...settlement, deliveryId }]
  }
  for (const [index, entry] of history.entries()) {
    if (!('values' in entry)) {
      await stores.follow(entry)
      continue
    }
    const { server, method } = entry
    const store = await stores.getStore(server)
    const now = findTime(entry.values)
    if (now !== undefined) await stores.setTime(now)
    const outcome: unknown = await Reflect.apply(store[method], store, translate(method, entry.values))
    if (method === 'claimDeliveries') {
      for (const { delivery } of entry.outcome as ClaimedDelivery[]) keys.set(delivery.id, getKey(delivery))
      for (const { delivery } of outcome as ClaimedDelivery[]) ids.set(getKey(delivery), delivery.id)
    }
    const expected = normalize(method, entry.outcome)
    const actual = normalize(method, outcome)
    if (!isDeepStrictEqual(actual, expected)) return { index, method, expected, actual }
  }
  return undefined
}
