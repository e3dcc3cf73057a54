import type {
  CallDirection,
  CallSummary,
  CallType,
  Channel,
  JoinApprovalMode,
  TriggeredVia,
} from '@wabakit/contract'

// The records of a store. Unset fields are null. Times are Unix time in milliseconds.

/** An organization with its settings and its own numbers. */
export type OrganizationRecord = {
  readonly id: string
  /** Number of writes. Starts at 1 and increases by 1 with each write. */
  readonly revision: number
  /** `automatic`: each call that can have a summary is expected to get one. `manual`: only if a team member requests it. */
  readonly callSummaries: 'automatic' | 'manual'
  /** WhatsApp Business numbers. No two have the same digits. */
  readonly integrations: readonly IntegrationRecord[]
  /** Telephone numbers. No two have the same digits. */
  readonly pstnNumbers: readonly NumberRecord[]
  /** Time of creation, as Unix time in milliseconds. */
  readonly createdAt: number
}

/** A number as configured, and its digits. @inline */
export type NumberRecord = {
  readonly number: string
  /** The digits of the number. Numbers are compared by their digits. */
  readonly digits: string
}

/** A WhatsApp Business number of an organization. @inline */
export type IntegrationRecord = NumberRecord & {
  /** A disabled integration creates no groups. */
  readonly enabled: boolean
  /** Default for groups whose request does not specify a mode. */
  readonly joinApprovalMode: JoinApprovalMode
}

/** A Public API key. The key itself is never stored. */
export type ApiKeyRecord = {
  readonly id: string
  readonly organizationId: string
  /** SHA-256 of the key, 64 lowercase hexadecimal digits; unique across the whole store. */
  readonly hash: string
  /** Human-readable name. */
  readonly label: string
  /** Digits of the WABA numbers that the key may use, or `all`. */
  readonly wabaNumbers: 'all' | readonly string[]
  readonly createdAt: number
}

/** An API key and its organization. */
export type CallerRecord = {
  readonly key: ApiKeyRecord
  readonly organization: OrganizationRecord
}

/** A group. It is unique by organization and `clientCustomGroupId`, and never changes. */
export type GroupRecord = {
  readonly organizationId: string
  /** The `groupId` of the request, or the generated one. Responses and webhooks call it `groupId`. */
  readonly clientCustomGroupId: string
  /** SHA-256 of the request if it had a `groupId`; `null` otherwise. A request with the same hash is a retry. */
  readonly requestHash: string | null
  /** The integration's number, as configured. */
  readonly wabaNumber: string
  readonly digits: string
  readonly subject: string
  readonly description: string | null
  readonly joinApprovalMode: JoinApprovalMode
  readonly inviteLink: string | null
  readonly createdAt: number
}

/** The state of a participant. `participantTransitions` has the transitions. */
export type ParticipantState = 'joined' | 'left' | 'removed'

/** A person's membership in a group. It is unique by organization, group and digits. */
export type ParticipantRecord = {
  readonly organizationId: string
  readonly groupId: string
  /** The phone number as received when the person last joined. */
  readonly phone: string
  readonly digits: string
  readonly revision: number
  readonly state: ParticipantState
  /** Time of the last change, as Unix time in milliseconds. */
  readonly changedAt: number
}

/**
 * The stored state of a call. A call with a summary is in state `summarized`, which is not stored.
 * `callTransitions` has the transitions.
 */
export type CallState = 'initiated' | 'accepted' | 'ended' | 'missed' | 'rejected'

/** A call. It is unique by organization and `callId`. */
export type CallRecord = {
  readonly organizationId: string
  readonly callId: string
  readonly revision: number
  readonly state: CallState
  readonly channel: Channel
  readonly direction: CallDirection
  /** The organization's number that the call used, as configured. */
  readonly channelNumber: string
  readonly digits: string
  readonly customerNumber: string
  readonly agentNumber: string | null
  readonly callType: CallType
  readonly triggeredVia: TriggeredVia
  /** False for a bot test call without webhooks, whose events are not published. */
  readonly publishesEvents: boolean
  /** When the call started to ring, as Unix time in milliseconds. */
  readonly initiatedAt: number
  /**
   * Time of the last write, according to the server's clock, as Unix time in milliseconds. The retention period starts
   * at this time, or when a later summary was generated.
   */
  readonly updatedAt: number
  /** Start of the conversation, as Unix time in milliseconds. */
  readonly startedAt: number | null
  /** End of the conversation, as Unix time in milliseconds. */
  readonly endedAt: number | null
  /** Length of the conversation, in whole seconds. */
  readonly durationInSeconds: number | null
  /** Set if there is a recording; `null` unless the call is `ended`. */
  readonly recorded: boolean | null
  /** Set if anything was said; `null` unless the call is `ended`. */
  readonly spoken: boolean | null
}

/**
 * A call's AI summary. It is unique by organization and `callId`. CALL_AI_SUMMARY is published when the first one is
 * saved, if the call publishes events.
 */
export type CallSummaryRecord = {
  readonly organizationId: string
  readonly callId: string
  readonly summary: CallSummary
  readonly generatedBy: 'automatic' | 'team_member'
  /** Time of creation, as Unix time in milliseconds. */
  readonly generatedAt: number
}

/** The network of a number, or `OPERATIONS` for events about subscriptions, which have no number. */
export type EventChannel = Channel | 'OPERATIONS'

/** A published event, which never changes. */
export type EventRecord = {
  /** The id, which is unique across the whole store. It is the `webhook-id` of deliveries without one of their own. */
  readonly id: string
  readonly organizationId: string
  /** The event's name, such as `CALL_ENDED`. */
  readonly name: string
  /** The call, group or subscription that the event is about. Events of one subject share lanes, see `Store`. */
  readonly subject: string
  /** With `digits`, selects the matching subscriptions. */
  readonly channel: EventChannel
  readonly digits: string
  /** The JSON body, which is signed and sent byte for byte. */
  readonly payload: string
  /**
   * Name of an event of the same subject. A delivery of this event waits until the deliveries of earlier events with that
   * name to the same subscription are finished, even if they fail repeatedly.
   */
  readonly waitsFor: string | null
  /** The `traceparent` of the request that caused the event (W3C Trace Context), or `null`. */
  readonly traceparent: string | null
  /**
   * Set if a caller wrote the payload; an endpoint cannot distinguish it from a genuine one. See
   * `DeliveryOptions.allowsCustomPayload`.
   */
  readonly hasCustomPayload: boolean
  /** Time of the event, as Unix time in milliseconds. */
  readonly occurredAt: number
}

/**
 * The reason for disabling a subscription: by request (`by_hand`), by a 410 response, or because all attempts
 * failed for 5 days.
 */
export type DisabledReason = 'by_hand' | 'gone' | 'failing'

/** A subscription to the events of one number, or to subscription health events (`OPERATIONS`). */
export type SubscriptionRecord = {
  readonly id: string
  readonly organizationId: string
  readonly revision: number
  readonly channel: EventChannel
  /** The number as specified when the subscription was created; empty for `OPERATIONS`. */
  readonly number: string
  readonly digits: string
  readonly url: string
  readonly events: 'all' | readonly string[]
  readonly secret: string
  /**
   * The secret before the last rotation, which also signs until it expires. `rotatedAt` is when it was
   * replaced.
   */
  readonly previousSecret: {
    readonly secret: string
    readonly expiresAt: number
    readonly rotatedAt?: number | undefined
  } | null
  /** Headers that every attempt carries, such as `authorization`, by lowercase name. They are secret, like `secret`. */
  readonly headers: Readonly<Record<string, string>>
  /** Maximum number of attempts that start per second; `null`: no maximum. */
  readonly maxAttemptsPerSecond: number | null
  /** `null` while enabled. */
  readonly disabledReason: DisabledReason | null
  /**
   * Start of the attempt that was the first to fail since the last success, as Unix time in milliseconds. It also becomes
   * `null` with another URL, and when the subscription is enabled again. The store maintains it.
   */
  readonly failingSince: number | null
  /**
   * Set if `subscription.failing` or `subscription.disabled` was published, and no `subscription.recovered` since. The
   * store maintains it.
   */
  readonly isReported: boolean
  readonly createdAt: number
  /**
   * Time of the last change by a user, or of the settlement that disabled the subscription, as Unix time in milliseconds.
   * Deliveries that the change skips finish at this time. Other settlements do not change it.
   */
  readonly updatedAt: number
}

/**
 * The status of a delivery:
 * - `waiting`: behind another delivery of its lane, without a due time.
 * - `pending`: due at `dueAt`.
 * - `attempting`: this process is attempting it, until `dueAt` at the latest. Other processes show it as `pending`.
 * - `delivered`, `exhausted` (all attempts failed), `skipped` (given up earlier, for example because the subscription was
 *   disabled): finished.
 */
export type DeliveryStatus = 'waiting' | 'pending' | 'attempting' | 'delivered' | 'exhausted' | 'skipped'

/** The totals of a delivery's attempts. Settlements update them. */
export type DeliveryProgress = {
  /** Number of attempts so far, deferred ones included. */
  readonly attempts: number
  /** Number of failed attempts since it was created or last sent again. It determines the next pause. */
  readonly failures: number
  /** Number of deferrals since it was created or last sent again. See `AttemptVerdict`. */
  readonly deferrals: number
  /** Total of the pauses that were planned after these deferrals, in milliseconds. */
  readonly deferredMs: number
}

/**
 * The delivery of one event to one subscription. There is at most one for each event and subscription. The unfinished
 * deliveries of one subscription and one subject form a lane.
 */
export type DeliveryRecord = DeliveryProgress & {
  /** The store assigns it. */
  readonly id: string
  readonly organizationId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly eventName: string
  readonly subject: string
  /** The event's id, unless the delivery was sent again with a new `webhook-id`. */
  readonly webhookId: string
  readonly status: DeliveryStatus
  /** Due time (`pending`) or latest end of the attempt (`attempting`), as Unix time in milliseconds; `null` otherwise. */
  readonly dueAt: number | null
  readonly createdAt: number
  /** When it was finished, as Unix time in milliseconds; `null` until then. */
  readonly finishedAt: number | null
}

/** The result of an attempt. */
export type AttemptResult = {
  /** Start of the attempt, as Unix time in milliseconds. */
  readonly startedAt: number
  /** Milliseconds from the start until the start of the response body was read, or the attempt failed. */
  readonly durationMs: number
  /** The URL, with the values of its query masked. */
  readonly url: string
  /** HTTP status, or `null` if there was no complete response. */
  readonly status: number | null
  /** Why there was no complete response, or `null`. */
  readonly error: string | null
  /** The first 4,096 characters of the response body, with secrets hidden; `null` if there was no complete response. */
  readonly responseBody: string | null
}

/** One delivery attempt. */
export type AttemptRecord = AttemptResult & {
  readonly deliveryId: string
  /** The number of the attempt. A delivery's attempts are counted from 1, without gaps. */
  readonly number: number
  readonly succeeded: boolean
  /** Set if the endpoint was already handling the event: neither a success nor a failure. */
  readonly deferred: boolean
}

/** Counts of the events and attempts of a period. */
export type FigureRecord = {
  readonly organizationId: string
  /** The subscription whose attempts are counted. Empty: the organization's events, and all its attempts. */
  readonly subscriptionId: string
  /** The start of the period, as Unix time in milliseconds; a multiple of `span`. */
  readonly at: number
  /** The length of the period, in milliseconds. */
  readonly span: number
  /** Counts by name. A missing name means 0. */
  readonly counts: Readonly<Record<string, number>>
}
