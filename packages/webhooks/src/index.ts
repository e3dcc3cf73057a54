export type {
  CallDetails,
  CallEvent,
  CallEventName,
  CallField,
  CallRecord,
  CallRecordBase,
  CallState,
} from './calls/call-record.ts'
export { type CallTracker, type CallUpdate, createCallTracker } from './calls/call-tracker.ts'
export type { Claim, ClaimOutcome, Dedupe } from './dedupe/dedupe.ts'
export type { Inbox, InboxOutcome } from './dedupe/inbox.ts'
export { type MemoryDedupeOptions, memoryDedupe } from './dedupe/memory-dedupe.ts'
export {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisDedupeOptions,
  redisDedupe,
} from './dedupe/redis-dedupe.ts'
export {
  type SqlClient,
  type SqlDedupeOptions,
  type SqlQuery,
  sqlDedupe,
} from './dedupe/sql-dedupe.ts'
export { type SqlPool, type SqlTransaction, sqlInbox } from './dedupe/sql-inbox.ts'
export { sqlDedupeTable } from './dedupe/sql-table.ts'
export { type DiagnoseOptions, type Diagnosis, type DiagnosisCause, diagnose } from './diagnose/diagnose.ts'
export { WebhookDriftError } from './errors/webhook-drift-error.ts'
export { WebhookHandlerTimeoutError } from './errors/webhook-handler-timeout-error.ts'
export { isWebhookParseError, type ParseFailure, WebhookParseError } from './errors/webhook-parse-error.ts'
export {
  isWebhookRequestError,
  type RequestFailure,
  WebhookRequestError,
} from './errors/webhook-request-error.ts'
export {
  isWebhookVerificationError,
  type VerificationDetails,
  type VerificationFailure,
  WebhookVerificationError,
} from './errors/webhook-verification-error.ts'
export type { HeaderSource } from './headers.ts'
export {
  type DriftedEvent,
  type KnownEvent,
  type ParsedEvent,
  type ParseEventOptions,
  parseEvent,
  type UnknownEvent,
} from './parse/parse-event.ts'
export type { RawPayload, RecognisedBy } from './parse/recognise.ts'
export type { WebhookPayload } from './payload.ts'
export type { NamedEvent, WebhookHandler } from './receiver/bindings.ts'
export { createReceiver } from './receiver/create-receiver.ts'
export type { DeliveryContext } from './receiver/delivery-context.ts'
export type { ErrorListener, Failure, FailureStage } from './receiver/failure.ts'
export type { ReceiverOptions } from './receiver/options.ts'
export type { Receiver } from './receiver/receiver.ts'
export type { HandlerOptions } from './receiver/registry.ts'
export { type GenerateSecretOptions, generateSecret } from './secret.ts'
export { type SignedWebhook, type SignWebhookOptions, signWebhook } from './sign.ts'
export type { VerifiedSignature } from './signature/check-signature.ts'
export { equalsInConstantTime } from './signature/constant-time.ts'
export {
  type SignatureOptions,
  type VerifySignatureOptions,
  verifySignature,
} from './signature/verify-signature.ts'
export { isWebhookId } from './signature/webhook-id.ts'
export { type BasicAuthOptions, basicAuth } from './verifiers/basic-auth.ts'
export { standardWebhooks } from './verifiers/standard-webhooks.ts'
export { type StaticHeaderOptions, staticHeader } from './verifiers/static-header.ts'
export { unsigned } from './verifiers/unsigned.ts'
export type { UnverifiedDelivery, Verifier } from './verifiers/verifier.ts'
