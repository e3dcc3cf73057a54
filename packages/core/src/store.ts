import type { DeliveryQueue } from './delivery-queue.ts'
import type {
  ApiKeyRecord,
  AttemptRecord,
  CallerRecord,
  CallRecord,
  DeliveryRecord,
  EventRecord,
  FigureRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from './records.ts'
import type {
  Backlog,
  BacklogRequest,
  CallChange,
  CallQuery,
  CallWithSummary,
  DeliveryChange,
  DeliveryQuery,
  ErasureRequest,
  EventQuery,
  FigureSelection,
  GroupCreation,
  GroupCreationOutcome,
  GroupQuery,
  MemberQuery,
  Page,
  PageRequest,
  ParticipantChange,
  ParticipantKey,
  PruneRequest,
  ResendOutcome,
  ResendQuery,
  SaveOutcome,
  SummaryChange,
  UnfinishedMeasure,
  UnfinishedRequest,
} from './store-requests.ts'

export type * from './delivery-queue.ts'
export type * from './store-requests.ts'

/**
 * Stores all data of a server. Each method that writes is one transaction, except `prune` and `rollUpFigures`: it takes
 * effect completely or not at all, and is committed (durably, if the engine is durable) when its promise resolves. The
 * core contains the rules of the service; a store compares, stores and queues. `storeCases`, in `test/store-cases`, define
 * its behavior in detail.
 *
 * **Revisions.** A record with a `revision` is written by compare-and-set. Revision 1 must not exist yet, and revision
 * n replaces n − 1. Otherwise the outcome is `stale` and nothing changes.
 *
 * **Events.** A change and its event are stored in one transaction, with one delivery for each subscription that
 * matches at that moment: same organization, channel and digits, and `events` is `all` or contains the name. A new
 * delivery of a disabled subscription is `skipped`.
 *
 * **Removal.** Removing an organization or a subscription, and disabling a subscription, take effect in one
 * transaction: a removed record can no longer be found, and a disabled subscription has no due delivery. All dependent
 * records are then removed, or skipped, in further small transactions. The promise resolves after these, except that of a
 * settlement. If one of them fails, or after a crash, `prune` continues.
 *
 * **Lanes.** A lane contains the unfinished deliveries of one subscription and one subject, in the order of their
 * events. {@link DeliveryQueue} describes which of them may be attempted.
 *
 * **Time.** `now` is the time according to the caller's clock, which steps of the wall clock do not affect. Leases and
 * pauses are durations from `now`. An engine that several processes share may use its own clock for leases.
 *
 * **Strings** are well-formed Unicode without NUL. They are returned exactly as they were stored.
 *
 * **Errors.** Saving a record, or publishing an event, for an organization that does not exist throws
 * `RecordNotFoundError`, and so does saving a participant without a group or a summary without a call. An event with an
 * id that is in use makes its transaction reject. Any method may throw `StorageUnavailableError`: nothing was
 * changed, and the call can be repeated. A method that writes throws `StorageOutcomeUnknownError` instead if
 * its transaction may have been committed: for example, the connection was lost after the commit may have been sent, or
 * the commit itself failed halfway. A store never repeats such a write by itself.
 */
export type Store = DeliveryQueue & {
  /** Writes an organization by compare-and-set. */
  saveOrganization(organization: OrganizationRecord): Promise<SaveOutcome>
  /** Finds an organization by its id. */
  findOrganization(organizationId: string): Promise<OrganizationRecord | undefined>
  /** Lists all organizations, oldest first. */
  listOrganizations(page: PageRequest): Promise<Page<OrganizationRecord>>
  /**
   * Removes an organization and everything that it owns. Returns false if there is none. Saving an
   * organization with the same id waits until everything is removed.
   */
  removeOrganization(organizationId: string): Promise<boolean>

  /** Adds a key. Returns `taken` if any organization has a key with this hash. */
  addApiKey(key: ApiKeyRecord): Promise<'added' | 'taken'>
  /** Lists an organization's keys, oldest first. */
  listApiKeys(organizationId: string): Promise<ApiKeyRecord[]>
  /** Removes a key, with immediate effect. Returns false if the organization has no such key. */
  removeApiKey(organizationId: string, keyId: string): Promise<boolean>
  /** Finds the key with this SHA-256 and its organization. It is the only read that authenticates a request. */
  findCaller(keyHash: string): Promise<CallerRecord | undefined>

  /**
   * Creates a group and publishes its event. If the organization already has a group with this `clientCustomGroupId`,
   * nothing is written. The outcome is then `same` if both have the same request hash (`null` never equals another
   * hash), otherwise `conflict`.
   */
  createGroup(change: GroupCreation): Promise<GroupCreationOutcome>
  /** Finds a group by its client custom group id. */
  findGroup(organizationId: string, groupId: string): Promise<GroupRecord | undefined>
  /** Lists an organization's groups, newest first. */
  listGroups(query: GroupQuery): Promise<Page<GroupRecord>>
  /** Writes a participant by compare-and-set and publishes the event. */
  saveParticipant(change: ParticipantChange): Promise<SaveOutcome>
  /** Finds a participant, including one who left or was removed. */
  findParticipant(key: ParticipantKey): Promise<ParticipantRecord | undefined>
  /** Lists a person's memberships, by the digits of the phone number. */
  listParticipants(organizationId: string, digits: string): Promise<ParticipantRecord[]>
  /** Lists the participants of a group, including those who left or were removed, in the order of their digits. */
  listMembers(query: MemberQuery): Promise<Page<ParticipantRecord>>
  /** Counts the participants who are in each of these groups now, in the same order. */
  countMembers(organizationId: string, groupIds: readonly string[]): Promise<number[]>

  /** Writes a call by compare-and-set and publishes the event, if there is one. */
  saveCall(change: CallChange): Promise<SaveOutcome>
  /** Finds a call with its summary. */
  findCall(organizationId: string, callId: string): Promise<CallWithSummary | undefined>
  /** Lists an organization's calls, newest first. */
  listCalls(query: CallQuery): Promise<Page<CallRecord>>
  /**
   * Saves the summary of a call. `first`: the call had none, and the event is published, if there is one. `replaced`:
   * the call had one, which was replaced, and no event is published. Exactly one of all saves for a call is `first`, even if
   * they are concurrent, and even if the call has been pruned or erased in between, and created again. The summary's primary
   * key decides, and the mark that a removed summary leaves (`summaryMarks`): on PostgreSQL, see `done` of `save_summaries`
   * (server's `postgres/functions/changes.ts`); SQLite (`sqlite/calls.ts`) and the memory store check both in one transaction.
   */
  saveSummary(change: SummaryChange): Promise<'first' | 'replaced'>

  /** Publishes an event that reports no change to a record (for simulators). */
  addEvent(event: EventRecord): Promise<void>
  /** Publishes such an event to one subscription only. The subscription gets a delivery if it matches. */
  addEventTo(event: EventRecord, subscriptionId: string): Promise<void>
  /** Lists an organization's events in the order in which they were published, or in reverse. */
  listEvents(query: EventQuery): Promise<Page<EventRecord>>

  /**
   * Writes a subscription by compare-and-set. The store maintains `failingSince` and `isReported` itself: it keeps the
   * stored values, and sets `failingSince` to `null` if the URL changes or the subscription is enabled again. If the
   * subscription is disabled, its unfinished deliveries become `skipped`; an attempt that is under way can still be
   * settled (see {@link DeliveryQueue.settleDeliveries}).
   */
  saveSubscription(subscription: SubscriptionRecord): Promise<SaveOutcome>
  /** Finds a subscription by its id, with its secrets. */
  findSubscription(organizationId: string, subscriptionId: string): Promise<SubscriptionRecord | undefined>
  /** Lists an organization's subscriptions, oldest first. */
  listSubscriptions(organizationId: string, page: PageRequest): Promise<Page<SubscriptionRecord>>
  /** Removes a subscription with its deliveries and their attempts. Returns false if there is none. */
  removeSubscription(organizationId: string, subscriptionId: string): Promise<boolean>

  /** Lists an organization's deliveries in the order of their events, or in reverse. */
  listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRecord>>
  /** Lists the attempts of a delivery, in order. Returns an empty list if the organization has no such delivery. */
  listAttempts(organizationId: string, deliveryId: string): Promise<AttemptRecord[]>
  /** Lists the last attempt of each of these deliveries that belongs to the organization and has one. */
  listLastAttempts(organizationId: string, deliveryIds: readonly string[]): Promise<AttemptRecord[]>

  /**
   * Sends deliveries again. Each matching delivery that is finished or was attempted before returns to its
   * lane, oldest first, as if it were new: unattempted, at its next version, due `now`, without `finishedAt`, and with
   * `failures`, `deferrals` and `deferredMs` 0 (`storage/progress.ts`). `attempts` stays, so that new attempts are numbered
   * after the earlier ones. With `webhookIdSuffix`, `webhookId` becomes the event's id and the suffix. Unfinished
   * deliveries that were never attempted, and deliveries to disabled subscriptions, do not change.
   */
  resendDeliveries(query: ResendQuery): Promise<ResendOutcome>
  /**
   * Finishes an unfinished delivery as `skipped`, at the same version. Returns false, and changes nothing, if the
   * organization has no such delivery, or if it is finished.
   */
  cancelDelivery(request: DeliveryChange): Promise<boolean>
  /**
   * Brings the next attempt of a `pending` delivery forward to now; its schedule continues. Returns false, and changes
   * nothing, if the organization has no such delivery, or if it has another status.
   */
  retryDelivery(request: DeliveryChange): Promise<boolean>
  /** Returns the earliest `dueAt` of all subscriptions, as {@link UnfinishedMeasure} has it; `undefined` if there is none. */
  nextDueAt(): Promise<number | undefined>
  /**
   * Measures the unfinished deliveries of the whole store. It is called often while there is a large backlog, so it
   * must not take longer than counting up to the limit.
   */
  measureBacklog(request: BacklogRequest): Promise<Backlog>
  /**
   * Measures the unfinished deliveries of subscriptions, in the same order. It counts each up to the limit, so it takes
   * no longer with a large backlog. Subscriptions that do not exist have none.
   */
  measureUnfinished(request: UnfinishedRequest): Promise<UnfinishedMeasure[]>

  /**
   * Adds counts to the records of their periods. Counts of organizations and subscriptions that do not exist are
   * ignored.
   */
  addFigures(figures: readonly FigureRecord[]): Promise<void>
  /** Lists the records of subscriptions since a time, in any order. */
  listFigures(selection: FigureSelection): Promise<FigureRecord[]>
  /**
   * Adds the counts of records to the records of longer periods, as `planRollUps` plans it, and removes them.
   * Each count is always in exactly one record.
   *
   * @returns the number of records that were removed; 0 if there are none left to roll up, or another process does it.
   */
  rollUpFigures(request: { readonly now: number; readonly limit: number }): Promise<number>
  /**
   * Removes old records: finished deliveries with their attempts, events that have no delivery left, and
   * hourly figures. If `recordsBefore` is set, also removes three kinds of records that have not changed
   * since then: calls with their summaries, groups with all their participants, and participants who are no
   * longer in their group. Also continues removals that were interrupted.
   *
   * @returns about how many records were removed; 0 if nothing was left to do, except what other transactions had locked.
   */
  prune(request: PruneRequest): Promise<number>
  /**
   * Checks whether groups can be created: commits a change that has no effect, unless the outcome of a recent creation
   * already answers the question.
   *
   * @throws the error with which a creation would fail.
   */
  checkWritable(): Promise<void>
  /**
   * Erases calls with their summaries, participants, and events with their deliveries and attempts, in one transaction.
   * Records that do not exist are ignored. If a call had a summary, the SHA-256 of the call's id is kept, so that the
   * summary's event is not published again. Other deliveries no longer wait for an erased one, whose settlement is stale.
   */
  erase(request: ErasureRequest): Promise<void>
  /** Closes the store's files and connections. */
  close(): Promise<void>
}
