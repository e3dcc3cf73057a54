import type { EndpointName } from '../endpoints.ts'
import type { ErrorBody } from '../error-body.ts'
import { type ErrorCode, errorCodes } from '../error-codes.ts'
import { reasonPhrases } from '../reason-phrases.ts'
import { descriptions } from './descriptions.ts'

const everywhere = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limited',
  'internal_error',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** The codes that each endpoint may answer with. */
export const endpointErrors: { readonly [Name in EndpointName]: readonly ErrorCode[] } = {
  'groups.create': [
    'malformed_json',
    'invalid_body',
    'invalid_waba_number',
    'invalid_subject',
    'invalid_description',
    'invalid_join_approval_mode',
    'invalid_group_id',
    'integration_not_found',
    'waba_number_not_permitted',
    'body_too_large',
    'unsupported_media_type',
    'integration_disabled',
    'group_id_conflict',
    ...everywhere,
  ],
  'calls.getSummary': [
    'summary_pending',
    'invalid_call_id',
    'summary_not_found',
    'summary_unavailable',
    ...everywhere,
  ],
}

/** What a code means, and what to do about it. */
export const explain = (code: ErrorCode): { readonly meaning: string; readonly remedy: string } => {
  const [meaning = '', remedy = ''] = descriptions.errorCodes?.fields[code]?.split('\n\n') ?? []
  return { meaning, remedy }
}

/** The path of the field that a code is about, if it is about one. */
const fields: { readonly [Code in ErrorCode]?: string } = {
  invalid_waba_number: 'wabaNumber',
  invalid_subject: 'subject',
  invalid_description: 'description',
  invalid_join_approval_mode: 'joinApprovalMode',
  invalid_group_id: 'groupId',
  invalid_call_id: 'callId',
}

/** An error body with a code. */
export const errorExample = (code: ErrorCode): ErrorBody => {
  const statusCode = errorCodes[code]
  const message = explain(code).meaning.replaceAll('`', '')
  const path = fields[code]
  return {
    statusCode,
    error: reasonPhrases[statusCode],
    message,
    code,
    ...(path && { issues: [{ path, message }] }),
  }
}
