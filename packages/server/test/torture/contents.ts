/** An entry of the log of claims. */
export type ClaimEntry = {
  readonly eventId: string
  /** `released`: due again without an attempt. `dropped`: ended because its delivery is sent again. */
  readonly kind: 'claimed' | 'settled' | 'released' | 'dropped'
  readonly claimId: string
  readonly process: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** What was left of the lease of the claim before, where there was one, in milliseconds. */
  readonly leaseLeftMs: number | undefined
  /** For how long the worker of a claim that ended had been lost, in milliseconds; `undefined` while it was not. */
  readonly lostMs: number | undefined
}

/** A delivery, and what was recorded of its attempts. */
export type DeliveryRow = {
  readonly eventId: string
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
  /** In the order it happened; empty where one process alone claims. */
  readonly claims: readonly ClaimEntry[]
}
