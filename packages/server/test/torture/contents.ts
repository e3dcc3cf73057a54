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
  readonly deliveries: readonly DeliveryRow[]
  /** In the order it happened; empty where there is one process alone. */
  readonly log: readonly OwnerEntry[]
}
