// Receive: verify, parse and handle webhooks.

export type { InboxTrace } from './inbox/trace-attempt.ts'
export { createReceiver, type Receiver, type ReceiverMethods } from './receiver/create-receiver.ts'
export type { ErrorListener, Failure, FailureStage } from './receiver/failures.ts'
export type { DeliveryContext, HandlerOptions, WebhookHandler } from './receiver/handlers.ts'
export type { AcceptOnlyOptions, ReceiverOptions } from './receiver/options.ts'
export type { RequestHolder } from './receiver/read-request.ts'
export type { WebhookTrace } from './receiver/receive.ts'
export type { StopOptions, WaitUntil } from './receiver/running.ts'

// Verifiers: decide which senders to trust.

export { anyOf } from './verifiers/any-of.ts'
export { basicAuth, bearerAuth, staticHeader } from './verifiers/header-verifiers.ts'
export { urlToken } from './verifiers/url-token.ts'
export {
  type UnverifiedDelivery,
  unsigned,
  type VerifiedByAny,
  type VerifiedDelivery,
  type Verifier,
} from './verifiers/verifier.ts'
export { type StandardWebhooksOptions, standardWebhooks } from './verifiers/verify-signature.ts'

// Signatures: Standard Webhooks 1.0.

export type { WebhookPayload } from './bytes.ts'
export { type DiagnoseOptions, type Diagnosis, type DiagnosisCause, diagnose } from './diagnose/diagnose.ts'
export type { OnDemand } from './on-demand.ts'
export { type GenerateSecretOptions, generateSecret } from './secret.ts'
export {
  createWebhookSigner,
  type SignedWebhook,
  type SignWebhookOptions,
  signWebhook,
  type WebhookSigner,
} from './sign.ts'
export { type HeaderSource, isWebhookId, type SignatureHeaders } from './verifiers/signature-headers.ts'
export {
  equalsInConstantTime,
  type VerifiedSignature,
  type VerifySignatureOptions,
  verifySignature,
} from './verifiers/verify-signature.ts'

// Events: parse a payload without a receiver.

export type {
  CallAcceptedEvent,
  CallAiSummaryEvent,
  CallDirection,
  CallEndedEvent,
  CallIncomingInitiatedEvent,
  CallMissedEvent,
  CallNotPickedEvent,
  CallOutgoingInitiatedEvent,
  CallRejectedEvent,
  CallStatus,
  CallSummary,
  CallType,
  Channel,
  EventName,
  GroupCreatedEvent,
  GroupParticipantJoinedEvent,
  GroupParticipantLeftEvent,
  GroupParticipantRemovedEvent,
  Issue,
  OpenEnum,
  SummaryRecord,
  TriggeredVia,
  WebhookEvent,
  WebhookEventOf,
} from '@wabakit/wire'
export { type IdentifiedEvent, identifyEvent } from './identity/identify-event.ts'
export type { EventIdentity } from './identity/identity.ts'
export {
  type DriftedEvent,
  type KnownEvent,
  type ParsedEvent,
  type ParseEventOptions,
  parseEvent,
  type RawPayload,
  type RecognizedBy,
  type UnknownEvent,
} from './parse/parse-event.ts'

// Dedupe stores: handle each delivery once.

export type { Claim, ClaimOutcome, Dedupe, RetentionOptions } from './dedupe/dedupe.ts'
export { type MemoryDedupeOptions, memoryDedupe } from './dedupe/memory-dedupe.ts'
export {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisDedupeOptions,
  redisDedupe,
} from './dedupe/redis-dedupe.ts'
export {
  type SqlDedupeOptions,
  type SqlTableOptions,
  sqlDedupe,
  sqlDedupeTable,
} from './dedupe/sql-dedupe.ts'
export type {
  SqlClient,
  SqlDialect,
  SqliteDatabase,
  SqlQuery,
  SqlResult,
  SqlValue,
} from './sql/sql-database.ts'

// Inbox: store first, handle later.

export type { InboxValue } from './inbox/engine.ts'
export type { ConnectionOf } from './inbox/engines/mysql.ts'
export type { MysqlConnection, MysqlPool } from './inbox/engines/mysql-statements.ts'
export type { ClientOf, PostgresClient, PostgresPool } from './inbox/engines/postgresql.ts'
export type { SqliteConnection } from './inbox/engines/sqlite.ts'
export { type InboxRetention, type SqlInboxOptions, sqlInbox } from './inbox/sql-inbox.ts'
export { type SqlInboxTableOptions, sqlInboxTable } from './inbox/table.ts'
export type {
  AcceptOptions,
  DrainOptions,
  DrainResult,
  Inbox,
  InboxContext,
  InboxMethods,
  Reconciled,
  ReconcileOptions,
  StoreOutcome,
  SummaryClient,
} from './receiver/inbox.ts'
export type {
  InboxCounting,
  InboxEntries,
  InboxEntry,
  InboxEntryWithBody,
  InboxErasure,
  InboxPage,
  InboxSelection,
  InboxState,
  ParkedReason,
} from './receiver/inbox-entries.ts'

// Errors.

export {
  isWebhookParseError,
  isWebhookRequestError,
  isWebhookVerificationError,
  type ParseFailure,
  type RequestFailure,
  type VerificationFailure,
  type VerifierRefusal,
  WebhookDriftError,
  WebhookHandlerTimeoutError,
  WebhookParseError,
  WebhookRequestError,
  WebhookUsageError,
  WebhookVerificationError,
} from './errors.ts'

// Not exported: HMAC and base64, which every runtime has; header parsing, which `verifySignature` does; and
// the steps of a receiver, which its options and handlers customize.
