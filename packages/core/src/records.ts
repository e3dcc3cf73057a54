import type {
  CallDirection,
  CallSummary,
  CallType,
  Channel,
  JoinApprovalMode,
  TriggeredVia,
} from '@wabakit/contract'

// What a store keeps. What is unset is null.

/** An organization with its settings and its own numbers. */
export type OrganizationRecord = {
  readonly id: string
  /** Counts its writes, from 1: what replaces it has the next number. */
  readonly revision: number
  /** `automatic`: every call that can be summarized is. `manual`: only when a team member asks. */
  readonly callSummaries: 'automatic' | 'manual'
  /** The organization's WhatsApp Business numbers; no two with the same digits. */
  readonly integrations: readonly IntegrationRecord[]
  /** The organization's telephone numbers; no two with the same digits. */
  readonly pstnNumbers: readonly NumberRecord[]
  /** When it was made, as Unix time in milliseconds. */
  readonly createdAt: number
}

/** A number as it was configured, and the digits it is compared by. */
export type NumberRecord = {
  readonly number: string
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
}

/** A WhatsApp Business number of an organization. */
export type IntegrationRecord = NumberRecord & {
  /** A disabled integration creates no groups. */
  readonly enabled: boolean
  /** What a group gets whose request names no mode. */
  readonly joinApprovalMode: JoinApprovalMode
}

/** A Public API key. The key itself is never stored. */
export type ApiKeyRecord = {
  readonly id: string
  readonly organizationId: string
  /** SHA-256 of the key, 64 lower-case hexadecimal digits; unique in the whole store. */
  readonly hash: string
  /** What people call it. */
  readonly label: string
  /** Digits of the WABA numbers that the key may use, or `all`. */
  readonly wabaNumbers: 'all' | readonly string[]
  /** When it was made, as Unix time in milliseconds. */
  readonly createdAt: number
}

/** Who makes a request: the key and its organization. */
export type CallerRecord = {
  readonly key: ApiKeyRecord
  readonly organization: OrganizationRecord
}

/** A group. Unique by organization and `clientCustomGroupId`. Never changed once created. */
export type GroupRecord = {
  readonly organizationId: string
  /** The `groupId` of the request, or the generated one: what responses and webhooks call `groupId`. */
  readonly clientCustomGroupId: string
  /** SHA-256 of the request as sent, when it named a `groupId`: the same request again is a repetition. */
  readonly requestHash: string | null
  /** The integration's number, as configured. */
  readonly wabaNumber: string
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
  readonly subject: string
  readonly description: string | null
  readonly joinApprovalMode: JoinApprovalMode
  readonly inviteLink: string | null
  /** When it was made, as Unix time in milliseconds. */
  readonly createdAt: number
}

/** Where a participant stands; the steps between are in `participantMachine`. */
export type ParticipantState = 'joined' | 'left' | 'removed'

/** One person's membership in one group. Unique by organization, group and digits. */
export type ParticipantRecord = {
  readonly organizationId: string
  readonly groupId: string
  /** As received when the person last joined. */
  readonly phone: string
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
  /** Counts its writes, from 1: what replaces it has the next number. */
  readonly revision: number
  readonly state: ParticipantState
  /** When it last changed, as Unix time in milliseconds. */
  readonly changedAt: number
}

/** Where a stored call stands; a call with a summary counts as `summarized`. The steps are in `callMachine`. */
export type CallState = 'initiated' | 'accepted' | 'ended' | 'missed' | 'rejected' | 'not_picked'

/** A call. Unique by organization and `callId`. */
export type CallRecord = {
  readonly organizationId: string
  readonly callId: string
  /** Counts its writes, from 1: what replaces it has the next number. */
  readonly revision: number
  readonly state: CallState
  readonly channel: Channel
  readonly direction: CallDirection
  /** The organization's number that the call used, as configured. */
  readonly channelNumber: string
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
  readonly customerNumber: string
  readonly agentNumber: string | null
  readonly callType: CallType
  readonly triggeredVia: TriggeredVia
  /** False for a bot test call that was to stay silent: none of its events happens. */
  readonly emitsEvents: boolean
  /** When it was placed, as Unix time in milliseconds. */
  readonly initiatedAt: number
  /** When the conversation began, as Unix time in milliseconds. */
  readonly startedAt: number | null
  /** When it ended, as Unix time in milliseconds. */
  readonly endedAt: number | null
  /** Length of the conversation, in whole seconds. */
  readonly durationInSeconds: number | null
  /** Whether a recording exists; known once ended. */
  readonly recorded: boolean | null
  /** Whether anything was said; known once ended. */
  readonly spoken: boolean | null
}

/** A call's AI summary. Unique by organization and `callId`: that it exists is what makes its event once per call. */
export type CallSummaryRecord = {
  readonly organizationId: string
  readonly callId: string
  readonly summary: CallSummary
  readonly generatedBy: 'automatic' | 'team_member'
  /** When it was made, as Unix time in milliseconds. */
  readonly generatedAt: number
}

/** Something that happened, as it is told. Never changed. */
export type EventRecord = {
  /** Unique in the whole store; the `webhook-id` of its deliveries. */
  readonly id: string
  readonly organizationId: string
  /** `CALL_ENDED`, … */
  readonly name: string
  /** The call or group it is about: events of one subject are delivered in the order they happened. */
  readonly subject: string
  /** With `digits`, what a subscription must match. */
  readonly channel: Channel
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
  /** The JSON body that is signed and sent; kept to the byte. */
  readonly payload: string
  /**
   * Name of an earlier event of the same subject whose unsettled delivery this one's must wait for, however often it
   * fails.
   */
  readonly waitsFor: string | null
  /** When it happened, as Unix time in milliseconds. */
  readonly occurredAt: number
}

/** Why a subscription is disabled: by hand, by a 410 answer, or because every attempt failed for 5 days. */
export type DisabledReason = 'by_hand' | 'gone' | 'failing'

/** Where the events of one number go. */
export type SubscriptionRecord = {
  readonly id: string
  readonly organizationId: string
  /** Counts its writes, from 1: what replaces it has the next number. */
  readonly revision: number
  readonly channel: Channel
  /** As given when it was created. */
  readonly number: string
  /** The number reduced to its digits: what numbers are compared by. */
  readonly digits: string
  readonly url: string
  readonly events: 'all' | readonly string[]
  readonly secret: string
  /** The secret before the last rotation, which signs too until it expires. */
  readonly previousSecret: { readonly secret: string; readonly expiresAt: number } | null
  /** `null` while enabled. */
  readonly disabledReason: DisabledReason | null
  /** When the first failure began that no success has ended since, as Unix time in milliseconds; kept by the store. */
  readonly failingSince: number | null
  /** When it was made, as Unix time in milliseconds. */
  readonly createdAt: number
  /** When it was last written; what a write that disables it skips is settled at this time. */
  readonly updatedAt: number
}

/**
 * Where a delivery stands:
 * - `waiting`: behind another one of its lane; has no due time.
 * - `pending`: due at `dueAt`.
 * - `claimed`: being attempted; if no result came by `dueAt`, the lease is over and it can be claimed again.
 * - `delivered`, `exhausted` (its whole schedule failed), `skipped` (the subscription was disabled): settled.
 */
export type DeliveryStatus = 'waiting' | 'pending' | 'claimed' | 'delivered' | 'exhausted' | 'skipped'

/**
 * One event on its way to one subscription. Unique by event and subscription. The unsettled deliveries of one
 * subscription and one subject form a lane.
 */
export type DeliveryRecord = {
  /** Made by the store. */
  readonly id: string
  readonly organizationId: string
  readonly subscriptionId: string
  readonly eventId: string
  readonly eventName: string
  readonly subject: string
  /** The `webhook-id` it is sent with: the event's id, unless it was sent again under a new one. */
  readonly webhookId: string
  readonly status: DeliveryStatus
  /** When it is due (`pending`) or its lease ends (`claimed`), as Unix time in milliseconds; `null` otherwise. */
  readonly dueAt: number | null
  /** All attempts so far. */
  readonly attempts: number
  /** Failed attempts since it was created or last sent again: its place in the schedule. */
  readonly failures: number
  /** When it was made, as Unix time in milliseconds. */
  readonly createdAt: number
  /** When it was settled, as Unix time in milliseconds; `null` until then. */
  readonly finishedAt: number | null
}

/** What an attempt found. */
export type AttemptResult = {
  /** When it began, as Unix time in milliseconds. */
  readonly startedAt: number
  /** Milliseconds from the start to the end of the answer. */
  readonly durationMs: number
  readonly url: string
  /** HTTP status, or `null` when there was no answer. */
  readonly status: number | null
  /** Why there was no answer, or `null`. */
  readonly error: string | null
  /** Beginning of the response body; at most 4,096 characters. */
  readonly responseBody: string | null
}

/** One attempt of a delivery. */
export type AttemptRecord = AttemptResult & {
  readonly deliveryId: string
  /** From 1, without gaps. */
  readonly number: number
  readonly succeeded: boolean
}
