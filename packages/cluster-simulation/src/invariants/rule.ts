import type { DeliveryRecord, EventRecord, Store, SubscriptionRecord } from '@wabakit/core'
import type { Endpoint } from '../cluster/endpoints.ts'
import type { ObservationKind, Observations } from '../observations.ts'
import type { Plan } from '../plan.ts'

/** Reports that an invariant is broken. The first report ends the run. */
export type Violate = (invariant: string, what: string) => void

/** The state after everything has settled. */
export type FinalState = {
  readonly events: readonly EventRecord[]
  readonly deliveries: readonly DeliveryRecord[]
  readonly subscriptions: readonly SubscriptionRecord[]
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly committed: Store
  /** Time before which old records were pruned, as Unix time in milliseconds; 0 if none were. */
  readonly prunedBefore: number
}

/** Checks observations as they happen, and the state at the end. */
export type Rule = {
  readonly on?: { readonly [Kind in ObservationKind]?: (observation: Observations[Kind]) => void }
  finish?(state: FinalState): void | Promise<void>
}

export type RuleContext = {
  readonly plan: Plan
  readonly violate: Violate
  /** Returns the true time, as Unix time in milliseconds. */
  now(): number
}
