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

/** A call to create a group, as a server observes it. */
export type CreateCall = Call<{ readonly requestHash: string }, CreateOutput>

type Result = 'done' | 'not done' | 'unknown'

type OfServer = { readonly server: string }
type OfSubscription = { readonly id: string }
type OfAttempt = OfServer & { readonly attempted: LoadedDelivery }

/** The observations that invariants examine, by kind. */
export type Observations = {
  /** The store loaded a delivery for an attempt. `deliveries` contains all deliveries at that time. */
  loaded: OfAttempt & { readonly key: AttemptKey; readonly deliveries: readonly DeliveryRecord[] }
  taken: OfServer & { readonly owned: OwnedShard }
  paused: OfServer
  resumed: OfServer
  /** A settlement was executed. It changed nothing if its outcome is `stale`. */
  settled: OfServer & { readonly settlement: Settlement; readonly outcome: SettlementOutcome }
  /** A user resends or removes deliveries. From then on, the order within lanes is unknown. */
  reset: { readonly phase: 'begins' | 'ends' }
  /** A user's cancellation of a delivery was committed. */
  canceled: { readonly deliveryId: string }
  /** The store has returned the result of a change that publishes this event. */
  'change ended': { readonly event: EventRecord; readonly result: Result; readonly what: string }
  /** A server asked the store to create a group. `call` has no end and no output yet. */
  'create started': { readonly groupId: string; readonly call: CreateCall }
  'attempt started': OfAttempt & { readonly webhookId: string }
  'attempt ended': OfAttempt & { readonly response: DeliveryResponse | undefined }
  /** A process died or was stopped, and its attempts ended. */
  'server ended': OfServer
  /** A complete webhook reached an endpoint. */
  arrived: { readonly webhookId: string; readonly body: string }
  /** A receiver's handler finished. */
  handled: { readonly endpoint: string; readonly webhookId: string }
  'client ended': {
    readonly operation: Operation
    readonly groupId: string | undefined
    readonly result: Result
  }
  /** A user completed a step that publishes this event. */
  'step ended': { readonly name: string; readonly subject: string }
  'subscription changing': OfSubscription
  'subscription changed': OfSubscription & { readonly change: SubscriptionStep }
  /** The run read all deliveries, as it does periodically. */
  inspected: { readonly deliveries: readonly DeliveryRecord[] }
  rejection: OfServer & { readonly error: unknown }
  erased: { readonly subject: string }
  pruned: { readonly before: number }
}

export type ObservationKind = keyof Observations

export type Observation<Kind extends ObservationKind = ObservationKind> = {
  [Each in Kind]: { readonly kind: Each } & Observations[Each]
}[Kind]
