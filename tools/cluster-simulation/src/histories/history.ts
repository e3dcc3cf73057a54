import type { AttemptKey, DeliveryRecord, Store } from '@wabakit/core'
import { organizationId } from '../cluster/organization.ts'

/** The methods to record. Every engine must return the same results for them. */
const recorded = [
  'createGroup',
  'saveParticipant',
  'saveCall',
  'saveSummary',
  'saveSubscription',
  'removeSubscription',
  'takeShards',
  'loadDeliveries',
  'settleDeliveries',
  'resendDeliveries',
  'erase',
  'nextDueAt',
] as const satisfies readonly (keyof Store)[]

export type RecordedMethod = (typeof recorded)[number]

/** The properties that identify a delivery on every engine. */
export type DeliveryName = Pick<DeliveryRecord, 'eventId' | 'subscriptionId'>

export type CallEntry = {
  readonly server: string
  readonly method: RecordedMethod
  readonly values: readonly unknown[]
  readonly outcome: unknown
  /** The names of the deliveries in `values`, by their ids on the engine of the run. */
  readonly names: Readonly<Record<string, DeliveryName>>
}

export type HistoryEntry = CallEntry | { readonly server: string; readonly method: 'process ended' }

/** Lists the keys of the deliveries that are arguments of a call. */
export const listKeys = (method: RecordedMethod, values: readonly unknown[]): readonly AttemptKey[] =>
  method === 'loadDeliveries' || method === 'settleDeliveries' ? (values[0] as AttemptKey[]) : []

/** Records the calls that a store executes for a server. */
export const recordCalls = (
  store: Store,
  server: string,
  record: ((entry: HistoryEntry) => void) | undefined,
): Store => {
  if (record === undefined) return store
  const watched = recorded.map((method) => [
    method,
    async (...values: unknown[]) => {
      const names: Record<string, DeliveryName> = {}
      for (const { id } of listKeys(method, values)) {
        const page = await store.listDeliveries({ organizationId, deliveryId: id, limit: 1 })
        for (const { eventId, subscriptionId } of page.items) names[id] = { eventId, subscriptionId }
      }
      const outcome: unknown = await Reflect.apply(store[method], store, values)
      record({ server, method, values, outcome, names })
      return outcome
    },
  ])
  return { ...store, ...Object.fromEntries(watched) }
}
