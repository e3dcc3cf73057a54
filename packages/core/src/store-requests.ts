import type {
  CallRecord,
  CallState,
  CallSummaryRecord,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  GroupRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from './records.ts'

// Parameters and results of store methods

/** `saved`, or `stale` if the stored revision is not the previous one. */
export type SaveOutcome = 'saved' | 'stale'

/** Selects a page of a list. */
export type PageRequest = {
  /**
   * `nextCursor` of the previous page; omit it for the first page. The cursor is opaque. It marks a position in the
   * whole list, so it also works with other conditions.
   */
  readonly cursor?: string | undefined
  /** Maximum number of records on the page, at least 1. */
  readonly limit: number
}

/** Selects a page of a filtered list. */
export type FilteredPageRequest = PageRequest & {
  /**
   * Maximum number of records to examine, so that a filter that matches few records takes no longer than any other. A
   * page with a `nextCursor` can then have fewer records than `limit`, even none. A search for a `text` may examine
   * fewer. A list of deliveries may count the examined events instead.
   * @default no maximum
   */
  readonly maxExamined?: number | undefined
}

/**
 * A page of a list. If the list is oldest first, records that are added while a reader reads page by page appear on a
 * later page, and no record appears twice.
 */
export type Page<Item> = {
  readonly items: Item[]
  /**
   * The start of the next page. It is present on every page of events or deliveries that is oldest first and not empty,
   * so that a reader can continue with records that are added later. Other pages have it only if there are more
   * records to examine.
   */
  readonly nextCursor?: string | undefined
}

/** A new group and its event. */
export type GroupCreation = { readonly group: GroupRecord; readonly event: EventRecord }

/** The result of `createGroup`. `group` is the stored group. */
export type GroupCreationOutcome = {
  readonly outcome: 'created' | 'same' | 'conflict'
  readonly group: GroupRecord
}

/** A participant's new record, and its event. */
export type ParticipantChange = { readonly participant: ParticipantRecord; readonly event: EventRecord }

/** Identifies a participant. @inline */
export type ParticipantKey = {
  readonly organizationId: string
  readonly groupId: string
  readonly digits: string
}

/** Selects an organization's calls or groups. Omitted conditions match every record. */
export type RecordQuery = FilteredPageRequest & {
  readonly organizationId: string
  /** Only records of the organization's number with these digits. */
  readonly digits?: string | undefined
  /** Only calls that started to ring, or groups that were created, at this time or later. */
  readonly from?: number | undefined
  /** Only calls that started to ring, or groups that were created, before this time. */
  readonly before?: number | undefined
}

/** Selects calls. */
export type CallQuery = RecordQuery & {
  /** Only calls with a customer whose number has these digits. */
  readonly customerDigits?: string | undefined
  readonly state?: CallState | undefined
  /** Only calls whose id or customer's number contains this text, ignoring the case of ASCII letters. */
  readonly text?: string | undefined
}

/** Selects groups. */
export type GroupQuery = RecordQuery & {
  /** Only groups whose id or subject contains this text, ignoring the case of ASCII letters. */
  readonly text?: string | undefined
}

/** Selects participants of a group. */
export type MemberQuery = PageRequest & { readonly organizationId: string; readonly groupId: string }

/** A call's new record, and its event, if there is one. */
export type CallChange = { readonly call: CallRecord; readonly event: EventRecord | null }

/** A call and its summary, if it has one. @inline */
export type CallWithSummary = { readonly call: CallRecord; readonly summary: CallSummaryRecord | undefined }

/** A summary, and the event that is published if it is the first one. */
export type SummaryChange = { readonly summary: CallSummaryRecord; readonly event: EventRecord | null }

/** Selects events. Omitted conditions match every event. */
export type EventSelection = {
  readonly organizationId: string
  readonly eventId?: string | undefined
  readonly names?: readonly string[] | undefined
  readonly subject?: string | undefined
  /** Only events that have a delivery to this subscription. */
  readonly subscriptionId?: string | undefined
  /** Only events of the organization's number with these digits. */
  readonly digits?: string | undefined
  /** Only events at or after this time. */
  readonly occurredFrom?: number | undefined
  /** Only events before this time. */
  readonly occurredBefore?: number | undefined
  /** Only events whose payload contains this text, ignoring the case of ASCII letters, or whose id equals it. */
  readonly text?: string | undefined
}

/**
 * Selects deliveries by their properties and by the properties of their events. Omitted conditions match every
 * delivery.
 */
export type DeliverySelection = EventSelection & {
  readonly deliveryId?: string | undefined
  readonly statuses?: readonly DeliveryStatus[] | undefined
  /** Only deliveries that were finished at or after this time. */
  readonly finishedFrom?: number | undefined
  /** Only deliveries that were finished before this time. */
  readonly finishedBefore?: number | undefined
  /** Only deliveries whose last attempt got a response with one of these HTTP statuses; 0 means no response. */
  readonly responses?: readonly number[] | undefined
  /**
   * Only deliveries with an attempt, not necessarily the last one, that got a response with one of these HTTP statuses;
   * 0 means no response. The attempt also has to match `attemptedFrom` and `attemptedBefore`.
   */
  readonly anyResponses?: readonly number[] | undefined
  /** Only deliveries with an attempt that started at or after this time. */
  readonly attemptedFrom?: number | undefined
  /** Only deliveries with an attempt that started before this time. */
  readonly attemptedBefore?: number | undefined
}

type InOrder = {
  /** @default 'oldest_first' */
  readonly order?: 'oldest_first' | 'newest_first' | undefined
}

/** Selects a page of events. */
export type EventQuery = FilteredPageRequest & EventSelection & InOrder

/** Selects a page of deliveries. */
export type DeliveryQuery = FilteredPageRequest & DeliverySelection & InOrder

/**
 * The last result of a subscription: `quick` or `slow` after a success, `failing` after a failure, and `new` before the
 * first of these, also after another URL, and after the subscription is enabled again. A deferral changes it only from
 * `quick` to `slow`, if the endpoint responded slowly. Subscriptions that are not `quick` are suspect. A scheduler writes it
 * at most once per second.
 */
export type Pace = 'new' | 'failing' | 'slow' | 'quick'

/** A delivery to attempt, with all data for the attempt. */
export type LoadedDelivery = {
  readonly delivery: DeliveryRecord
  readonly event: EventRecord
  readonly subscription: SubscriptionRecord
  readonly pace: Pace
}

/** Identifies a delivery to change, with the time of the change. */
export type DeliveryChange = {
  readonly organizationId: string
  readonly deliveryId: string
  readonly now: number
}

/** Selects deliveries to send again, one page at a time. */
export type ResendQuery = FilteredPageRequest &
  DeliverySelection & {
    readonly now: number
    /** Appended to the event's id for a new `webhook-id`, such as `-2`. `null` keeps the delivery's `webhook-id`. */
    readonly webhookIdSuffix: string | null
  }

/** The result of `resendDeliveries` for one page of the selection. @inline */
export type ResendOutcome = {
  readonly resent: number
  /** Cursor of the next page; absent on the last one. */
  readonly nextCursor?: string | undefined
}

/** Selects old records to remove. Times are Unix time in milliseconds. @inline */
export type PruneRequest = {
  /**
   * Removes deliveries that finished before this time, events that occurred before it and have no delivery left, and
   * figures of hours that started before it.
   */
  readonly before: number
  /**
   * Removes calls, groups with their participants, and participants who left or were removed, if they have not changed
   * since this time. If it is omitted, they are kept.
   */
  readonly recordsBefore?: number | undefined
  /**
   * Maximum number of records in a batch. A transaction removes a few batches, such as one of finished deliveries, one of
   * participants who left, and one of participants of old groups. What goes with a record, such as the attempts of a
   * delivery, is not counted.
   */
  readonly limit: number
}

/** Selects what to erase. @inline */
export type ErasureRequest = {
  readonly organizationId: string
  readonly now: number
  readonly callIds: readonly string[]
  readonly participants: readonly Omit<ParticipantKey, 'organizationId'>[]
  readonly eventIds: readonly string[]
}

/** Selects records of counts. */
export type FigureSelection = {
  readonly organizationId: string
  /** The subscriptions; `''` stands for the organization as a whole. */
  readonly subscriptionIds: readonly string[]
  /** Only periods that start at this time or later. */
  readonly from: number
}

/** Selects subscriptions whose unfinished deliveries are measured. */
export type UnfinishedRequest = {
  readonly organizationId: string
  readonly subscriptionIds: readonly string[]
  /** Maximum count for each subscription, at least 1. */
  readonly limit: number
}

/**
 * A measure of a subscription's unfinished deliveries, and whether it ever got an attempt. For `dueAt`, a store may examine
 * only the first few unattempted ones, and for `oldestAt` only `limit` of the attempted ones. So both can be later than those of
 * all deliveries.
 */
export type UnfinishedMeasure = {
  /** Their number, at most `limit`. */
  readonly unfinished: number
  /** The time of the event of the oldest one; `null` if there is none. */
  readonly oldestAt: number | null
  /** The earliest due time of a pending one; `null` if there is none, or if the subscription is disabled. */
  readonly dueAt: number | null
  /** Whether its {@link Pace} is not `new`: an attempt has succeeded or failed. */
  readonly isTried: boolean
}

/** Parameters for measuring the backlog. @inline */
export type BacklogRequest = {
  readonly now: number
  /**
   * Maximum of `waiting`, `due` and `later`, at least 1. A result that equals it means that many or more. If their sum
   * reaches it, each of them may be inexact.
   */
  readonly limit: number
}

/**
 * The unfinished deliveries of all organizations. `oldestDueMs` and `behindSubscriptions` follow from the due times that
 * {@link UnfinishedMeasure} has, so they can be too low.
 */
export type Backlog = {
  /** Unattempted deliveries that are not the head of their lane. */
  readonly waiting: number
  /** Deliveries that are due, including those that are being attempted. */
  readonly due: number
  /** Deliveries whose next attempt is due later. */
  readonly later: number
  /** Time since the oldest due delivery became due, in milliseconds; 0 if none is due. */
  readonly oldestDueMs: number
  /** Enabled subscriptions whose `failingSince` is set. */
  readonly failingSubscriptions: number
  /** Enabled subscriptions that are not failing, and whose oldest due delivery has been due for more than a minute. */
  readonly behindSubscriptions: number
  /** Disabled subscriptions. */
  readonly disabledSubscriptions: number
}
