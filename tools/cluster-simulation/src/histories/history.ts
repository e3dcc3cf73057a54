import type { AttemptKey, DeliveryRecord, Store } from '@wabakit/core'
import { organizationId } from '../cluster/organization.ts'

/**
 * Whether the calls of a method are recorded. Every engine must return the same results for those that are. Most others
 * only read. A store's new method does not compile until it is listed here.
 */
const isRecorded = {
  createGroup: true,
  saveParticipant: true,
  saveCall: true,
  saveSummary: true,
  saveSubscription: true,
  removeSubscription: true,
  takeShards: true,
  loadDeliveries: true,
  settleDeliveries: true,
  resendDeliveries: true,
  erase: true,
  nextDueAt: true,
  findOrganization: false,
  listApiKeys: false,
  findCaller: false,
  findGroup: false,
  listGroups: false,
  findParticipant: false,
  listParticipants: false,
  listMembers: false,
  countMembers: false,
  findCall: false,
  listCalls: false,
  listEvents: false,
  findSubscription: false,
  listSubscriptions: false,
  listDeliveries: false,
  listAttempts: false,
  listLastAttempts: false,
  measureUnfinished: false,
  listFigures: false,
  readQueues: false,
  readHeads: false,
  readRetries: false,
  saveOrganization: false,
  addApiKey: false,
  removeApiKey: false,
  addEvent: false,
  addEventTo: false,
  addFigures: false,
  retryDelivery: false,
  cancelDelivery: false,
  removeOrganization: false,
  listOrganizations: false,
  measureBacklog: false,
  rollUpFigures: false,
  prune: false,
  checkWritable: false,
  close: false,
  shards: false,
  listen: false,
  renewWorker: false,
  giveShards: false,
  endWorker: false,
} as const satisfies { readonly [Method in keyof Store]: boolean }

export type RecordedMethod = {
  [Method in keyof typeof isRecorded]: (typeof isRecorded)[Method] extends true ? Method : never
}[keyof typeof isRecorded]

const recorded = (Object.keys(isRecorded) as (keyof typeof isRecorded)[]).filter(
  (method): method is RecordedMethod => isRecorded[method],
)

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
