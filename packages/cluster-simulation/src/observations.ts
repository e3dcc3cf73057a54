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

/** An event in the cluster, for the invariants to judge. */
export type Observation =
  /** The store loaded a delivery for an attempt. `deliveries`: all deliveries at that time. */
  | {
      readonly kind: 'loaded'
      readonly server: string
      readonly key: AttemptKey
      readonly attempted: LoadedDelivery
      readonly deliveries: readonly DeliveryRecord[]
    }
  /** A server took a shard. */
  | { readonly kind: 'taken'; readonly server: string; readonly owned: OwnedShard }
  /** A process is paused or resumed. */
  | { readonly kind: 'stands still' | 'goes on'; readonly server: string }
  /** A settlement was committed. */
  | {
      readonly kind: 'settled'
      readonly server: string
      readonly settlement: Settlement
      readonly outcome: SettlementOutcome
    }
  /** A user makes deliveries due or takes them away from their workers. */
  | { readonly kind: 'reset'; readonly server: string; readonly phase: 'begins' | 'ends' }
  /** A user's cancellation of a delivery was committed. */
  | { readonly kind: 'canceled'; readonly deliveryId: string }
  /** The store returned a result or an error for a change that publishes this event. */
  | {
      readonly kind: 'change ended'
      readonly server: string
      readonly event: EventRecord
      readonly result: 'done' | 'not done' | 'unknown'
      readonly what: string
    }
  /** A server asks the store to create a group. The call is completed later. */
  | { readonly kind: 'create began'; readonly groupId: string; readonly call: CreateCall }
  | {
      readonly kind: 'attempt began'
      readonly server: string
      readonly attempted: LoadedDelivery
      readonly webhookId: string
    }
  | {
      readonly kind: 'attempt ended'
      readonly server: string
      readonly attempted: LoadedDelivery
      readonly response: DeliveryResponse | undefined
    }
  /** A process died or was stopped, which ended its attempts. */
  | { readonly kind: 'server ended'; readonly server: string }
  /** A complete webhook reached an endpoint. */
  | {
      readonly kind: 'arrived'
      readonly endpoint: string
      readonly webhookId: string
      readonly body: string
    }
  /** A receiver's handler finished. */
  | { readonly kind: 'handled'; readonly endpoint: string; readonly webhookId: string }
  /** A client got the result of an operation. */
  | {
      readonly kind: 'client ended'
      readonly operation: Operation
      readonly groupId: string | undefined
      readonly result: 'done' | 'not done' | 'unknown'
    }
  /** A user's step that publishes this event succeeded. */
  | { readonly kind: 'step ended'; readonly name: string; readonly subject: string }
  /** A user started to change a subscription. */
  | { readonly kind: 'subscription changing'; readonly id: string }
  /** A user changed a subscription successfully. */
  | { readonly kind: 'subscription changed'; readonly id: string; readonly change: SubscriptionStep }
  /** The run examines all deliveries. `calmMs`: time since the calm started; 0 before it. */
  | {
      readonly kind: 'looked'
      readonly deliveries: readonly DeliveryRecord[]
      readonly calmMs: number
      /** Set while at least one server that makes deliveries is running. */
      readonly isAttended: boolean
    }
  /** The store, a server, or the connection between them fails until this Unix time in milliseconds. */
  | { readonly kind: 'trouble'; readonly until: number }
  | { readonly kind: 'rejection'; readonly server: string; readonly error: unknown }
  | { readonly kind: 'erased'; readonly subject: string }
  | { readonly kind: 'pruned'; readonly before: number }
