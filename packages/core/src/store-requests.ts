import type {
  AttemptResult,
  CallRecord,
  CallSummaryRecord,
  DeliveryRecord,
  DeliveryStatus,
  DisabledReason,
  EventRecord,
  GroupRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from './records.ts'

// What the methods of a store are asked, and what they answer.

/** Whether a compare-and-set wrote. */
export type SaveOutcome = 'saved' | 'stale'

/** Which part of a list to read. */
export type PageRequest = {
  /**
   * `nextCursor` of the page before; the first page when omitted. Opaque. It is a place in the order of the whole list,
   * which can be gone on from under other conditions, too.
   */
  readonly cursor?: string | undefined
  /** Most records of the page, 1 to 1,000. */
  readonly limit: number
}

/** A part of a list. What is added while somebody pages forward appears on a later page; nothing appears twice. */
export type Page<Item> = {
  readonly items: Item[]
  /**
   * Where the next page starts. Going forward through events or deliveries it is there for every page that is not
   * empty, so that a reader can follow what is added later; otherwise only when there is more.
   */
  readonly nextCursor?: string | undefined
}

/** A new group and its event. */
export type GroupCreation = { readonly group: GroupRecord; readonly event: EventRecord }

/** What `createGroup` decided; `group` is the one that is there now. */
export type GroupCreationOutcome = {
  readonly outcome: 'created' | 'same' | 'conflict'
  readonly group: GroupRecord
}

/** A membership as it shall be, and its event. */
export type ParticipantChange = { readonly participant: ParticipantRecord; readonly event: EventRecord }

/** Which membership. */
export type ParticipantKey = {
  readonly organizationId: string
  readonly groupId: string
  readonly digits: string
}

/** A call as it shall be, and the event of the step, if it has one. */
export type CallChange = { readonly call: CallRecord; readonly event: EventRecord | null }

/** A call and its summary, if it has one. */
export type CallWithSummary = { readonly call: CallRecord; readonly summary: CallSummaryRecord | undefined }

/** A summary, and the event that its first save tells. */
export type SummaryChange = { readonly summary: CallSummaryRecord; readonly event: EventRecord | null }

/** Which events. What is omitted does not restrict. */
export type EventQuery = PageRequest & {
  readonly organizationId: string
  readonly eventId?: string | undefined
  readonly name?: string | undefined
  readonly subject?: string | undefined
  /** @default 'oldest_first' */
  readonly order?: 'oldest_first' | 'newest_first' | undefined
}

/** Which deliveries. What is omitted does not restrict. */
export type DeliverySelection = {
  readonly organizationId: string
  readonly deliveryId?: string | undefined
  readonly eventId?: string | undefined
  readonly subscriptionId?: string | undefined
  readonly statuses?: readonly DeliveryStatus[] | undefined
  /** From this time of the event on. */
  readonly occurredFrom?: number | undefined
  /** Before this time of the event. */
  readonly occurredBefore?: number | undefined
}

/** Which deliveries, and which part of the list. */
export type DeliveryQuery = PageRequest &
  DeliverySelection & {
    /** @default 'oldest_first' */
    readonly order?: 'oldest_first' | 'newest_first' | undefined
  }

/** What to claim. */
export type ClaimRequest = {
  /** Unique per claim: what its settlements must name. */
  readonly claimId: string
  readonly now: number
  readonly leaseMs: number
  /** Maximum number of deliveries; those to suspect subscriptions are not counted if they have a share of their own. */
  readonly limit: number
  /** Maximum number of claims under lease of one subscription, over all processes, at least 1. */
  readonly perSubscription: number
  /** The share of suspect subscriptions. Without it, they are claimed like all others. */
  readonly suspects?: SuspectShare | undefined
}

/**
 * How a subscription's endpoint responded the last time: `quick` or `slow` after a success, `failing` after a failure;
 * and `new` before that. Subscriptions that are not `quick` are suspect.
 */
export type Pace = 'new' | 'failing' | 'slow' | 'quick'

/**
 * What suspect subscriptions get of a claim, in addition to what the others get. One that is new or failing has at most
 * 1 claim under lease, over all processes.
 */
export type SuspectShare = {
  /** Maximum number of deliveries to new and slow ones. */
  readonly limit: number
  /** Maximum number of deliveries to failing ones. */
  readonly failing: number
  /** Organizations whose suspect subscriptions get nothing. */
  readonly except: readonly string[]
}

/** A claimed delivery with what an attempt needs. */
export type ClaimedDelivery = {
  readonly delivery: DeliveryRecord
  readonly event: EventRecord
  readonly subscription: SubscriptionRecord
  readonly pace: Pace
}

/**
 * What became of a claim.
 * - `delivered`: the endpoint took it.
 * - `retry`: failed; due again after `afterMs`. With `releasesLane` it no longer holds its lane.
 * - `exhausted`: failed for the last time.
 * - `gone`: the endpoint answered 410.
 * - `released`: not attempted (the worker stops); due at once, nothing is counted.
 */
export type SettlementResult =
  | { readonly kind: 'delivered' | 'exhausted' | 'gone'; readonly attempt: AttemptResult }
  | {
      readonly kind: 'retry'
      readonly attempt: AttemptResult
      readonly afterMs: number
      readonly releasesLane: boolean
    }
  | { readonly kind: 'released' }

/** What became of one claimed delivery. */
export type Settlement = {
  readonly deliveryId: string
  readonly claimId: string
  readonly now: number
  readonly result: SettlementResult
  /**
   * Whether the attempt took too long to call its subscription quick.
   * @default false
   */
  readonly isSlow?: boolean | undefined
  /** How long every attempt may fail before the subscription is disabled, in milliseconds. */
  readonly failingLimitMs: number
}

/** What `settleDelivery` wrote. */
export type SettlementOutcome =
  | { readonly outcome: 'stale' }
  | {
      readonly outcome: 'settled'
      /** The delivery as it is now. */
      readonly delivery: DeliveryRecord
      /** Set when this settlement disabled the subscription. */
      readonly disabled: DisabledReason | null
    }

/** What to send again. */
export type ResendQuery = PageRequest &
  DeliverySelection & {
    readonly now: number
    /** Appended to the event's id (`-2`) to make a new `webhook-id`; `null` keeps the one the delivery had. */
    readonly webhookIdSuffix: string | null
  }

/** What `resendDeliveries` did with this page of the selection. */
export type ResendOutcome = {
  readonly resent: number
  /** There is more: where to go on. */
  readonly nextCursor?: string | undefined
}

/** What to prune. */
export type PruneRequest = {
  /** Unix time in milliseconds. */
  readonly before: number
  /** Most deliveries, and most events, of this call. */
  readonly limit: number
}

/** How to measure a backlog. */
export type BacklogRequest = {
  readonly now: number
  /** Where counting stops, at least 1: a count of this much stands for that much or more. */
  readonly limit: number
}

/** What all organizations of a store have under way. */
export type Backlog = {
  /** Deliveries that wait behind another of their lane. */
  readonly waiting: number
  /** Deliveries that a claim can take: due, or left behind by a worker whose lease is over. */
  readonly due: number
  /** Deliveries whose next attempt is to come later. */
  readonly later: number
  /** Deliveries under a lease: they are being attempted. */
  readonly claimed: number
  /** How long the one that is due the longest has been due, in milliseconds; 0 when nothing is due. */
  readonly oldestDueMs: number
  /** Enabled subscriptions whose last attempt failed. */
  readonly failingSubscriptions: number
  /** Disabled subscriptions. */
  readonly disabledSubscriptions: number
}
