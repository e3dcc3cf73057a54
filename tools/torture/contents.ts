/** An entry of the log of owners. */
export type OwnerEntry = {
  readonly shard: number
  readonly kind: 'taken' | 'given up' | 'settled'
  readonly process: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** Remaining lease time of the previous owner, in milliseconds. */
  readonly leaseLeftMs: number
  /** Time since the previous owner was lost, in milliseconds; `undefined` if it was not lost. */
  readonly lostMs: number | undefined
}

/** A delivery and its recorded attempts. */
export type DeliveryRow = {
  readonly eventId: string
  /** `null` if there is only one process. */
  readonly shard: number | null
  readonly status: string
  /** The delivery's attempt count. */
  readonly attempts: number
  readonly recorded: number
  readonly succeeded: number
}

/** The counts of attempts by result, of an organization (with an empty id) or a subscription. */
export type FigureRow = { readonly subscriptionId: string; readonly counts: Readonly<Record<string, number>> }

/** The parts of a health event's payload that the checker uses. */
export type Told = {
  readonly type: string
  readonly data: { readonly subscriptionId: string; readonly eventId: string; readonly attempts: number }
}

/** The contents of a database that the checker uses. */
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
  /** The health events of subscriptions, in order. */
  readonly health: readonly Told[]
  /** The subscriptions, each with whether it is reported as failing at the end. */
  readonly reported: ReadonlyMap<string, boolean>
  readonly deliveries: readonly DeliveryRow[]
  readonly figures: readonly FigureRow[]
  /** The log of owners, in order; empty if there is only one process. */
  readonly log: readonly OwnerEntry[]
}
