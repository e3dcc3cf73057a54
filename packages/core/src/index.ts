// The reference server

export { createReferenceServer, type ReferenceServer } from './create-reference-server.ts'
export type { ConnectionInfo } from './http/api.ts'
export type { ApiRequest, ApiResponse } from './http/exchange.ts'
export type { RequestDescribed, RequestReported, SentResponse } from './http/request-report.ts'
export type { RateLimit, RateLimitOptions } from './rate-limit/rate-limits.ts'
export { memoryTokenBuckets } from './rate-limit/token-buckets.ts'
export type { ReferenceServerOptions } from './reference-server-options.ts'
export type { Clock } from './values/clock.ts'
export { createIds, type Ids, type Random } from './values/ids.ts'

// The operations of a server: their input, their results and their errors

export type { PublishedEvent as PublicationEvent } from '@wabakit/contract'
export type { CallInput } from './calls/call-input.ts'
export type { Calls } from './calls/calls.ts'
export type { SavedSummary, Summaries } from './calls/summaries.ts'
export type { DeliveryFetch, DeliveryRequest, DeliveryResponse } from './delivery/attempt.ts'
export type {
  DeliveryOptions,
  DeliveryProblems,
  Dispatcher,
  StopOptions,
} from './delivery/dispatcher.ts'
export type { AttemptReported } from './delivery/sending.ts'
export type { DeliveryTrace } from './delivery/trace-delivery.ts'
export type { ErasedPart, ErasureOptions, ErasureSelection, Erasures } from './erasure/erasures.ts'
export { IllegalTransitionError, InputError, SummaryRefusedError } from './errors/operation-errors.ts'
export { RecordExistsError, RecordNotFoundError } from './errors/record-errors.ts'
export { type RefusalDetails, RequestRefusedError } from './errors/request-refused-error.ts'
export { StorageOutcomeUnknownError, StorageUnavailableError } from './errors/storage-errors.ts'
export type { Publication, PublicationEventOf, PublicationListener } from './events/event-log.ts'
export type { Figures } from './figures/figures.ts'
export type { CreatedGroup } from './groups/create-group.ts'
export type { Groups } from './groups/groups.ts'
export type { ParticipantInput, Participants } from './groups/participants.ts'
export type { ChangedPart, DeliveriesToChange } from './history/change-in-parts.ts'
export type { Deliveries, PartStart, ResendOptions } from './history/deliveries.ts'
export type { Events, PublishedEvent } from './history/events.ts'
export type { ListQuery } from './history/selection.ts'
export type { SignedDelivery } from './history/sign-delivery.ts'
export type { SubscriptionHeaders } from './subscriptions/subscription-headers.ts'
export type { SubscriptionChange, SubscriptionInput } from './subscriptions/subscription-input.ts'
export type {
  Subscription,
  Subscriptions,
  SubscriptionWithSecret,
} from './subscriptions/subscriptions.ts'
export type { ApiKeys, CreatedApiKey, KnownApiKey } from './tenancy/api-keys.ts'
export type { DeclaredOrganization, OrganizationInput } from './tenancy/organization-input.ts'
export type { Organizations } from './tenancy/organizations.ts'
export { callTransitions, participantTransitions } from './transitions.ts'

// Records that operations return

export type {
  ApiKeyRecord,
  AttemptRecord,
  AttemptResult,
  CallerRecord,
  CallRecord,
  CallState,
  CallSummaryRecord,
  DeliveryProgress,
  DeliveryRecord,
  DeliveryStatus,
  DisabledReason,
  EventChannel,
  EventRecord,
  FigureRecord,
  GroupRecord,
  IntegrationRecord,
  NumberRecord,
  OrganizationRecord,
  ParticipantRecord,
  ParticipantState,
  SubscriptionRecord,
} from './records.ts'

// Stores: the in-memory store, and the types for implementing others

export { memoryStore } from './memory-store/memory-store.ts'
export type { TokenBucket, TokenBucketState, TokenBuckets, TokenRequest } from './rate-limit/token-buckets.ts'
export type {
  AttemptKey,
  AttemptVerdict,
  Backlog,
  BacklogRequest,
  CallChange,
  CallQuery,
  CallWithSummary,
  DeliveryChange,
  DeliveryQuery,
  DeliveryQueue,
  DeliverySelection,
  ErasureRequest,
  EventQuery,
  EventSelection,
  FigureSelection,
  FilteredPageRequest,
  GroupCreation,
  GroupCreationOutcome,
  GroupQuery,
  HeadsPage,
  LoadedDelivery,
  MemberQuery,
  OwnedShard,
  Pace,
  Page,
  PageRequest,
  ParticipantChange,
  ParticipantKey,
  PendingDelivery,
  PruneRequest,
  QueueChange,
  QueuesPage,
  QueuesRequest,
  ResendOutcome,
  ResendQuery,
  RetriesPage,
  SaveOutcome,
  Settlement,
  SettlementOutcome,
  ShardsRequest,
  Store,
  StoredQueue,
  SummaryChange,
  UnfinishedMeasure,
  UnfinishedRequest,
  WorkersView,
} from './store.ts'

// Not exported: the rules themselves (parsers, machine steps, event payloads, the schedule), which are used through a
// server. Subpaths: /storage (building blocks for stores), /hosting (rejected requests and rate limits for a host),
// /simulation (simulated calls and faults), /control (the control API), /live (live services),
// /trace (traces of tests).

// Values of the wire format that records and requests have

export type {
  CallDirection,
  CallSummary,
  CallType,
  Channel,
  CreateGroupRequest,
  ErrorStatus,
  Issue,
  JoinApprovalMode,
  TriggeredVia,
} from '@wabakit/wire'
