import type {
  AttemptKey,
  DeliveryRecord,
  DeliveryResponse,
  EventRecord,
  LoadedDelivery,
  OwnedShard,
  Settlement,
  SettlementOutcome,
} from '@wabakit/core'
import type { Call, CreateOutput } from './linearizability.ts'
import type { Operation, SubscriptionStep } from './plan.ts'

/** A call that creates a group, as seen by a server. */
export type CreateCall = Call<{ readonly requestHash: string }, CreateOutput>

type Result = 'done' | 'not done' | 'unknown'

type OfServer = { readonly server: string }
type OfSubscription = { readonly id: string }
type OfAttempt = OfServer & { readonly attempted: LoadedDelivery }

/** What can be observed in a cluster, by kind, for the invariants to judge. */
export type Observations = {
  /** The store loaded a delivery for an attempt. `deliveries`: all deliveries at that time. */
  loaded: OfAttempt & { readonly key: AttemptKey; readonly deliveries: readonly DeliveryRecord[] }
  /** A server took a shard. */
  taken: OfServer & { readonly owned: OwnedShard }
  paused: OfServer
  resumed: OfServer
  /** A settlement was committed. */
  settled: OfServer & { readonly settlement: Settlement; readonly outcome: SettlementOutcome }
  /** A user resends or removes deliveries, after which the order within lanes is no longer known. */
  reset: { readonly phase: 'begins' | 'ends' }
  /** A user's cancellation of a delivery was committed. */
  canceled: { readonly deliveryId: string }
  /** The store returned a result or an error for a change that publishes this event. */
  'change ended': { readonly event: EventRecord; readonly result: Result; readonly what: string }
  /** A server asked the store to create a group. The call is completed later. */
  'create started': { readonly groupId: string; readonly call: CreateCall }
  'attempt started': OfAttempt & { readonly webhookId: string }
  'attempt ended': OfAttempt & { readonly response: DeliveryResponse | undefined }
  /** A process died or was stopped, which ended its attempts. */
  'server ended': OfServer
  /** A complete webhook reached an endpoint. */
  arrived: { readonly webhookId: string; readonly body: string }
  /** A receiver's handler finished. */
  handled: { readonly endpoint: string; readonly webhookId: string }
  /** A client got the result of an operation. */
  'client ended': {
    readonly operation: Operation
    readonly groupId: string | undefined
    readonly result: Result
  }
  /** A user's step that publishes this event succeeded. */
  'step ended': { readonly name: string; readonly subject: string }
  /** A user started to change a subscription. */
  'subscription changing': OfSubscription
  /** A user changed a subscription successfully. */
  'subscription changed': OfSubscription & { readonly change: SubscriptionStep }
  /** The run read all deliveries, as it does periodically. */
  inspected: { readonly deliveries: readonly DeliveryRecord[] }
  /** An operation failed. */
  rejection: OfServer & { readonly error: unknown }
  erased: { readonly subject: string }
  pruned: { readonly before: number }
}

export type ObservationKind = keyof Observations

export type Observation<Kind extends ObservationKind = ObservationKind> = {
  [Each in Kind]: { readonly kind: Each } & Observations[Each]
}[Kind]
