export type { CallInput } from './calls/call-input.ts'
export type { CallAcceptance, CallEnding, Calls } from './calls/calls.ts'
export type { SavedSummary, Summaries, SummaryGeneration } from './calls/summaries.ts'
export { createReferenceServer } from './create-reference-server.ts'
export type { DeliveryFetch, DeliveryRequest, DeliveryResponse } from './delivery/attempt.ts'
export type { AttemptReported, DeliveryOptions, Dispatcher, StopOptions } from './delivery/dispatcher.ts'
export { IllegalTransitionError } from './errors/illegal-transition-error.ts'
export { InputError } from './errors/input-error.ts'
export { RecordExistsError } from './errors/record-exists-error.ts'
export { type RecordKind, RecordNotFoundError } from './errors/record-not-found-error.ts'
export { type RefusalDetails, RequestRefusedError } from './errors/request-refused-error.ts'
export { StorageOutcomeUnknownError } from './errors/storage-outcome-unknown-error.ts'
export { StorageUnavailableError } from './errors/storage-unavailable-error.ts'
export { type SummaryRefusal, SummaryRefusedError } from './errors/summary-refused-error.ts'
export type { IterationOptions } from './events/emissions.ts'
export { callSubject, groupSubject } from './events/event-draft.ts'
export type {
  Emission,
  EmissionEventOf,
  EmissionListener,
  EmissionName,
  EventObservation,
} from './events/event-emitter.ts'
export type { CreatedGroup, Groups } from './groups/groups.ts'
export type { ParticipantInput, Participants } from './groups/participants.ts'
export type { Deliveries, DeliveryListQuery, ResendOptions, ResendSelection } from './history/deliveries.ts'
export type { EventListQuery, Events, PublishedEvent } from './history/events.ts'
export type { WrittenAnswer } from './http/answer.ts'
export type { ConnectionInfo, ReferenceFetch } from './http/create-fetch.ts'
export { parserRefusal, refusalText, refuseRequest } from './http/host-refusals.ts'
export { readJson } from './http/read-json.ts'
export { callMachine, type MachineName, machines, participantMachine, type StateOf } from './machines.ts'
export { memoryStore } from './memory-store/memory-store.ts'
export { memoryTokenBuckets } from './rate-limit/memory-token-buckets.ts'
export {
  createRateLimits,
  type RateLimit,
  type RateLimitHeaders,
  type RateLimitOptions,
  type RateLimits,
} from './rate-limit/rate-limits.ts'
export type { TokenBucket, TokenBucketState, TokenBuckets, TokenRequest } from './rate-limit/token-buckets.ts'
export type {
  ApiKeyRecord,
  AttemptRecord,
  AttemptResult,
  CallerRecord,
  CallRecord,
  CallState,
  CallSummaryRecord,
  DeliveryRecord,
  DeliveryStatus,
  DisabledReason,
  EventRecord,
  GroupRecord,
  IntegrationRecord,
  NumberRecord,
  OrganizationRecord,
  ParticipantRecord,
  ParticipantState,
  SubscriptionRecord,
} from './records.ts'
export type { ReferenceServer } from './reference-server.ts'
export type { ReferenceServerOptions } from './reference-server-options.ts'
export { createTurns, type Turns } from './storage/turns.ts'
export type {
  Backlog,
  BacklogRequest,
  CallChange,
  CallWithSummary,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQuery,
  DeliverySelection,
  EventQuery,
  GroupCreation,
  GroupCreationOutcome,
  Pace,
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
  SettlementResult,
  Store,
  SummaryChange,
  SuspectShare,
} from './store.ts'
export type { SubscribedEvents, SubscriptionInput } from './subscriptions/subscription-input.ts'
export type {
  SecretRotation,
  Subscription,
  SubscriptionChange,
  Subscriptions,
  SubscriptionWithSecret,
} from './subscriptions/subscriptions.ts'
export type { ApiKeyInput, ApiKeys, CreatedApiKey, KnownApiKey } from './tenancy/api-keys.ts'
export type { DeclaredOrganization } from './tenancy/directory.ts'
export type { IntegrationInput, OrganizationSettings } from './tenancy/organization-input.ts'
export type { OrganizationInput, Organizations } from './tenancy/organizations.ts'
export type { Clock } from './values/clock.ts'
export { createIds, type IdPrefix, type IdSources, type Ids } from './values/ids.ts'
export type { Random } from './values/random.ts'
