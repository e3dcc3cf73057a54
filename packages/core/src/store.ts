import type {
  ApiKeyRecord,
  AttemptRecord,
  AttemptResult,
  CallerRecord,
  CallRecord,
  CallSummaryRecord,
  DeliveryRecord,
  DeliveryStatus,
  DisabledReason,
  EventRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from './records.ts'

/**
 * Where the core keeps everything. Each method is one whole transaction: it happens completely or not at all, and
 * has happened (durably, where the engine is durable) when its promise resolves. The rules live in the core; a
 * store compares, keeps and queues. `storeCases` is the suite that defines it in detail.
 *
 * **Writing.** A record with a `revision` is written by compare-and-set: revision 1 must not exist yet, revision n
 * replaces n − 1, anything else is `stale` and changes nothing.
 *
 * **Events.** A change and the event it reports are one transaction, together with one delivery for each
 * subscription that matches at that moment: same organization, channel and digits, and `events` is `all` or holds
 * the name. For a disabled subscription the delivery is born `skipped`, otherwise `waiting` in its lane.
 *
 * **Lanes.** The unsettled deliveries of one subscription and one subject, in the order of their events. A delivery
 * that is `pending` or `claimed` holds its lane until it is settled or a settlement says `releasesLane`. Whenever
 * nothing holds a lane, its first `waiting` delivery becomes `pending` and due now (a new one: at its event's time), unless it `waitsFor` an event
 * whose delivery in this lane is not settled. So a lane has at most one holder, and a claim never looks past it.
 *
 * **Time.** `now` is the caller's clock, and what is later is said as a duration; an engine that several processes
 * share may use its own clock instead.
 *
 * Texts are well-formed Unicode without NUL and come back exactly as they were. A change for an organization that
 * does not exist throws `RecordNotFoundError`; an event whose id is in use makes its transaction reject. Every method
 * may throw `StorageUnavailableError`; then nothing of it has happened, as far as can be known.
 */
export type Store = {
  /** Writes an organization by compare-and-set. */
  saveOrganization(organization: OrganizationRecord): Promise<SaveOutcome>
  findOrganization(organizationId: string): Promise<OrganizationRecord | undefined>
  /** All organizations, oldest first. */
  listOrganizations(page: PageRequest): Promise<Page<OrganizationRecord>>
  /** Removes an organization with everything it has; false when there is none. */
  removeOrganization(organizationId: string): Promise<boolean>

  /** Adds a key; `taken` when its hash is in use, by whichever organization. */
  addApiKey(key: ApiKeyRecord): Promise<'added' | 'taken'>
  /** The keys of an organization, oldest first. */
  listApiKeys(organizationId: string): Promise<ApiKeyRecord[]>
  /** Removes a key at once; false when the organization has no such key. */
  removeApiKey(organizationId: string, keyId: string): Promise<boolean>
  /** The key with this SHA-256 and its organization: the one read that a request needs before it is let in. */
  findCaller(keyHash: string): Promise<CallerRecord | undefined>

  /**
   * Creates a group and tells its event. When the organization has a group of this `clientCustomGroupId`: `same` if
   * both carry the same request hash (`null` equals nothing), else `conflict`; either way nothing is written.
   */
  createGroup(change: GroupCreation): Promise<GroupCreationOutcome>
  findGroup(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
  /** Writes a membership by compare-and-set and tells its event. */
  saveParticipant(change: ParticipantChange): Promise<SaveOutcome>
  findParticipant(key: ParticipantKey): Promise<ParticipantRecord | undefined>

  /** Writes a call by compare-and-set and tells its event, if it has one. */
  saveCall(change: CallChange): Promise<SaveOutcome>
  /** A call with its summary, if it has one. */
  findCall(organizationId: string, callId: string): Promise<CallWithSummary | undefined>
  /**
   * Keeps a call's summary. `first`: there was none, and the event, if given, is told. `replaced`: there was one; it
   * is replaced and no event is told. Of any number at the same moment exactly one is `first`, for as long as the
   * organization exists, whatever is pruned.
   */
  saveSummary(change: SummaryChange): Promise<'first' | 'replaced'>

  /** Tells an event that reports no change of a record (for simulators). */
  addEvent(event: EventRecord): Promise<void>
  /** Events of an organization in the order they happened, or the reverse. */
  listEvents(query: EventQuery): Promise<Page<EventRecord>>

  /**
   * Writes a subscription by compare-and-set; `failingSince` is the store's own: it is kept, and set to `null` when
   * the subscription gets another URL or is enabled again. When it is disabled, its unsettled deliveries become
   * `skipped`; a claim that is out may still report (see {@link Store.settleDelivery}).
   */
  saveSubscription(subscription: SubscriptionRecord): Promise<SaveOutcome>
  findSubscription(organizationId: string, subscriptionId: string): Promise<SubscriptionRecord | undefined>
  /** Subscriptions of an organization, oldest first. */
  listSubscriptions(organizationId: string, page: PageRequest): Promise<Page<SubscriptionRecord>>
  /** Removes a subscription with its deliveries and their attempts; false when there is none. */
  removeSubscription(organizationId: string, subscriptionId: string): Promise<boolean>

  /** Deliveries of an organization in the order of their events, or the reverse. */
  listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRecord>>
  /** The attempts of a delivery, in order; empty when the organization has no such delivery. */
  listAttempts(organizationId: string, deliveryId: string): Promise<AttemptRecord[]>

  /**
   * Claims what is due: `pending` deliveries with `dueAt` ≤ now, and `claimed` ones whose lease is over. Each becomes
   * `claimed` under the claim's id with a lease, and comes back with what an attempt needs as it is now. At most
   * `limit`, earliest due first, but never more than would make `perSubscription` claims under lease of one
   * subscription: a slow endpoint takes nothing from the others.
   */
  claimDeliveries(claim: ClaimRequest): Promise<ClaimedDelivery[]>
  /**
   * Records what became of a claimed delivery. `stale`, and nothing is written, unless the delivery is still under
   * this claim: a lease that was taken over, a delivery sent again since, or a removed one.
   *
   * Where the attempt failed, the subscription's `failingSince` is set if it is `null`; if it is `failingLimitMs` old
   * then, the subscription is disabled as `failing`. A success sets it to `null`. `gone` disables the subscription
   * at once. `gone`, and `retry` and `released` in a disabled subscription, end as `skipped`. A delivery that became
   * `skipped` while it was claimed is still under its claim: it can end as `delivered` or stay `skipped`.
   */
  settleDelivery(settlement: Settlement): Promise<SettlementOutcome>
  /**
   * Sends deliveries again: each that matches, oldest first, goes back to `waiting` in its lane with `failures` 0, if
   * it is settled or `pending`. What is `waiting` or `claimed`, or belongs to a disabled subscription, is left alone.
   */
  resendDeliveries(query: ResendQuery): Promise<ResendOutcome>
  /**
   * The earliest moment at which a claim can find something (the earliest `dueAt` of a `pending` or `claimed`
   * delivery); `undefined` when nothing is on its way.
   */
  nextDueAt(): Promise<number | undefined>
  /**
   * Calls `wake` after a transaction, of whichever process, that made a delivery due. Calls may be merged, late or
   * lost: a worker polls, too.
   *
   * @returns stops the calls.
   */
  onDue(wake: () => void): () => void

  /**
   * Removes what is finished: deliveries settled before the given time, with their attempts, and events that occurred
   * before it and have no delivery left. At most `limit` of each. Changes no other answer of the store.
   *
   * @returns how many deliveries and events were removed; 0 when nothing is left to remove.
   */
  prune(request: PruneRequest): Promise<number>
  /** Gives back what the store holds open. */
  close(): Promise<void>
}

/** Whether a compare-and-set wrote. */
export type SaveOutcome = 'saved' | 'stale'

/** Which part of a list to read. */
export type PageRequest = {
  /** `nextCursor` of the page before; the first page when omitted. Opaque. */
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

/** What {@link Store.createGroup} decided; `group` is the one that is there now. */
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
  /** Most deliveries of this claim, at least 1. */
  readonly limit: number
  /** Most claims under lease of one subscription, over all processes, at least 1. */
  readonly perSubscription: number
}

/** A claimed delivery with what an attempt needs. */
export type ClaimedDelivery = {
  readonly delivery: DeliveryRecord
  readonly event: EventRecord
  readonly subscription: SubscriptionRecord
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
  /** How long every attempt may fail before the subscription is disabled, in milliseconds. */
  readonly failingLimitMs: number
}

/** What {@link Store.settleDelivery} wrote. */
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

/** What {@link Store.resendDeliveries} did with this page of the selection. */
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
