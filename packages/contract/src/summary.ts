import type * as wire from '@wabakit/wire'
import { callSummaryRule, summaryRecordRule } from '@wabakit/wire/definitions'
import { createSchema, type ObjectSchema } from './schema.ts'

/**
 * The AI summary of a call.
 *
 * @interface
 */
export type CallSummary = wire.CallSummary

/** Schema of {@link CallSummary}. */
export const CallSummary: ObjectSchema<CallSummary> = /* @__PURE__ */ createSchema(callSummaryRule)

/**
 * Response body of `GET /v1/call/ai-summary`: the CALL_AI_SUMMARY payload without `event`. Parsers require only
 * `callId` and `summary`, because the specification does not define this body, and other services may omit the rest.
 *
 * @interface
 */
export type SummaryRecord = wire.SummaryRecord

/** Schema of {@link SummaryRecord}. */
export const SummaryRecord: ObjectSchema<SummaryRecord> = /* @__PURE__ */ createSchema(summaryRecordRule)
