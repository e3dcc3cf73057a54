/** An entry of the log of owners. */
export type OwnerEntry = {
  readonly shard: number
  readonly kind: 'taken' | 'given up' | 'settled'
  readonly process: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** What was left of the lease of the owner before, in milliseconds. */
  readonly leaseLeftMs: number
  /** For how long that owner had been lost, in milliseconds; `undefined` if it was not. */
  readonly lostMs: number | undefined
}

/** A delivery, and what was recorded of its attempts. */
export type DeliveryRow = {
  readonly eventId: string
  /** `null` where there is one process alone. */
  readonly shard: number | null
  readonly status: string
  /** As the delivery counts them. */
  readonly attempts: number
  readonly recorded: number
  readonly succeeded: number
}

/** The payload of a health event, as far as the checker asks. */
export type Told = {
  readonly type: string
  readonly data: { readonly subscriptionId: string; readonly eventId: string; readonly attempts: number }
}

/** What a database holds, as far as the checker asks. */
export type Contents = {
  readonly groupIds: ReadonlySet<string>
  /** Recaps by call. */
  readonly summaries: ReadonlyMap<string, string>
  /** In the order they happened. */
  readonly events: readonly {
    readonly id: string
    readonly name: string
    readonly subject: string
    readonly payload: string
  }[]
  /** What operators were told of subscriptions, in the order it happened. */
  readonly health: readonly Told[]
  /** Whether each subscription was left as one that fails. */
  readonly reported: ReadonlyMap<string, boolean>
  readonly deliveries: readonly DeliveryRow[]
  /** In the order it happened; empty where there is one process alone. */
  readonly log: readonly OwnerEntry[]
}
