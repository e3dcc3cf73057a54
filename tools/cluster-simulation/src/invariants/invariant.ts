import type { DeliveryRecord, EventRecord, Store, SubscriptionRecord } from '@wabakit/core'
import type { Endpoint } from '../cluster/endpoints.ts'
import type { ObservationKind, Observations } from '../observations.ts'
import type { Plan } from '../plan.ts'

/** Reports a broken invariant. The first report ends the run. */
export type Violate = (invariant: string, what: string) => void

export type FinalState = {
  readonly events: readonly EventRecord[]
  readonly deliveries: readonly DeliveryRecord[]
  readonly subscriptions: readonly SubscriptionRecord[]
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly committed: Store
  /** Unix time in milliseconds before which records were pruned, or 0 if none were pruned. */
  readonly prunedBefore: number
}

export type Invariant = {
  readonly on?: { readonly [Kind in ObservationKind]?: (observation: Observations[Kind]) => void }
  finish?(state: FinalState): void | Promise<void>
}

export type InvariantContext = {
  readonly plan: Plan
  readonly violate: Violate
  /** Returns the true time, as Unix time in milliseconds. */
  now(): number
  /** Returns whether an observation of this kind was made in the run. */
  hasSeen(kind: ObservationKind): boolean
}
