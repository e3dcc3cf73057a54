import { type EndpointName, type ErrorCode, errorCodes } from '@wabakit/wire'
import { limits } from '@wabakit/wire/definitions'
import { CreateGroupRequest, createGroupErrorCodes } from '../create-group.ts'
import { type ErrorBody, reasonPhrases } from '../error-body.ts'
import type { Issue } from '../issue.ts'
import { validate } from '../issue.ts'
import { descriptions } from './descriptions.ts'
import { createGroupRequestExample } from './examples.ts'

const commonErrors = [
  'missing_api_key',
  'invalid_api_key',
  'malformed_request',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]

/** The error codes of each endpoint's responses to requests with its path and method. */
export const endpointErrors: { readonly [Name in EndpointName]: readonly ErrorCode[] } = {
  'groups.create': [
    'malformed_json',
    'invalid_body',
    ...Object.values(createGroupErrorCodes),
    'integration_not_found',
    'waba_number_not_permitted',
    'body_too_large',
    'unsupported_media_type',
    'integration_disabled',
    'group_id_conflict',
    'outcome_unknown',
    ...commonErrors,
  ],
  'calls.getSummary': [
    'summary_pending',
    'invalid_call_id',
    'summary_not_found',
    'summary_unavailable',
    ...commonErrors,
  ],
}

export const explainError = (code: ErrorCode): { readonly meaning: string; readonly remedy: string } => {
  const [meaning = '', remedy = ''] = descriptions[`errorCodes.${code}`]?.split('\n\n') ?? []
  return { meaning, remedy }
}

/** The invalid field for each error code about a field of a create request. */
const mistakes: { readonly [Code in ErrorCode]?: object } = {
  invalid_waba_number: { wabaNumber: '' },
  invalid_subject: { subject: '' },
  invalid_description: { description: 'x'.repeat(limits.descriptionMaxLength + 1) },
  invalid_join_approval_mode: { joinApprovalMode: 'never' },
  invalid_group_id: { groupId: '' },
}

const findIssues = (code: ErrorCode): Issue[] => {
  if (code === 'invalid_call_id') return [{ path: 'callId', message: 'callId is required' }]
  const result = validate(CreateGroupRequest, { ...createGroupRequestExample, ...mistakes[code] })
  return result.success ? [] : result.issues
}

export const buildErrorExample = (code: ErrorCode): ErrorBody => {
  const statusCode = errorCodes[code]
  const issues = findIssues(code)
  const [first] = issues
  const message = first ? `${first.message}.` : explainError(code).meaning.replaceAll('`', '')
  return { statusCode, error: reasonPhrases[statusCode], message, code, ...(first && { issues }) }
}
