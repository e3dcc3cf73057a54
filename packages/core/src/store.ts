import type {
  ApiKeyRecord,
  AttemptRecord,
  CallerRecord,
  DeliveryRecord,
  EventRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from './records.ts'
import type {
  Backlog,
  BacklogRequest,
  CallChange,
  CallWithSummary,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQuery,
  EventQuery,
  GroupCreation,
  GroupCreationOutcome,
  Page,
  PageRequest,
  ParticipantChange,
  ParticipantKey,
  PruneRequest,
  ResendOutcome,
  ResendQuery,
  SaveOutcome,
  Settlement,
  SettlementOutcome,
  SummaryChange,
} from './store-requests.ts'

export type * from './store-requests.ts'

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
 * nothing holds a lane, its first `waiting` delivery becomes `pending` and due now (a new one: at its event's time),
 * unless it `waitsFor` an earlier event whose delivery in this lane is not settled. So a lane has at most one holder,
 * and a claim never looks past it.
 *
 * **Time.** `now` is the caller's clock, and what is later is said as a duration; an engine that several processes
 * share may use its own clock instead.
 *
 * Texts are well-formed Unicode without NUL and come back exactly as they were. A change for an organization that
 * does not exist throws `RecordNotFoundError`; an event whose id is in use makes its transaction reject.
 *
 * **Failures.** Every method may throw `StorageUnavailableError`: nothing was changed, and the call can be repeated. A
 * method that writes throws `StorageOutcomeUnknownError` instead as soon as its transaction may have been committed: the
 * connection was lost, timed out or was terminated after the commit could have been sent, or the commit itself failed
 * halfway. It never repeats such a write by itself. Reads throw `StorageUnavailableError` only.
 */
export type Store = {
  /** Writes an organization by compare-and-set. */
  saveOrganization(organization: OrganizationRecord): Promise<SaveOutcome>
  /** An organization by its id. */
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
  /** A group by its client custom group id. */
  findGroup(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
  /** Writes a membership by compare-and-set and tells its event. */
  saveParticipant(change: ParticipantChange): Promise<SaveOutcome>
  /** A membership, also a former one. */
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
  /** A subscription by its id, with its secrets. */
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
   * `claimed` under the claim's id with a lease, and comes back with what an attempt needs as it is now.
   *
   * Organizations take turns, and so do the subscriptions of each; a subscription's earliest due goes first. At most
   * `limit` are claimed, and never more than would make `perSubscription` claims under lease of one subscription. With
   * `suspects`, subscriptions that are not `quick` have limits of their own, and one that is new or failing has at
   * most 1 claim under lease. See decision 0050.
   */
  claimDeliveries(claim: ClaimRequest): Promise<ClaimedDelivery[]>
  /**
   * Records what became of a claimed delivery. `stale`, and nothing is written, unless the delivery is still under
   * this claim: a lease that was taken over, a delivery sent again since, or a removed one.
   *
   * Where the attempt failed, the subscription's `failingSince` is set if it is `null`; if it is `failingLimitMs` old
   * then, the subscription is disabled as `failing`. A success sets it to `null`. `gone` disables the subscription
   * at once. The subscription becomes `quick` or `slow` by a success, `failing` by a failure, and `new` again by another
   * URL or when it is enabled again (see {@link Pace}). `gone`, and `retry` and `released` in a disabled subscription, end as `skipped`. A delivery that became
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
   * Measures what is under way in the whole store. It is asked again and again while much is waiting, so it must take
   * no longer than counting up to the limit does.
   */
  measureBacklog(request: BacklogRequest): Promise<Backlog>
  /**
   * Calls `wake` after a transaction, of whichever process, that made a delivery due. Calls may be merged, late or
   * lost: a worker polls, too.
   *
   * @returns stops the calls.
   */
  onDue(wake: () => void): () => void

  /**
   * Registers the caller as a worker, so that other workers take its claims over soon after it died, rather than when
   * the lease is over. Calls `lost` when they may do so although it lives, because it lost its connection: its attempts
   * must end at once. Until the store has registered it again, `claimDeliveries` finds nothing; then it wakes those who
   * listen with `onDue`. Claims that were made without a worker rely on their lease.
   *
   * @returns unregisters it: call this when it has no claims left.
   */
  registerWorker(lost: () => void): () => void

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
