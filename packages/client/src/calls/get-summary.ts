import type { Issue, SummaryRecord } from '@wabakit/wire'
import { endpoints } from '@wabakit/wire'
import type { WithResponse } from '../api-promise.ts'
import { ValidationError } from '../errors/validation-error.ts'
import { checkRequestOptions } from '../options/check-options.ts'
import type { RequestOptions } from '../options/request-options.ts'
import type { Settings } from '../options/settings.ts'
import { send } from '../retry/send.ts'
import { parseSummaryRecord } from './parse-summary-record.ts'

export const checkCallId = (callId: unknown): Issue[] =>
  typeof callId === 'string' && callId !== '' && !/[\0\p{Surrogate}]/u.test(callId)
    ? []
    : [{ path: 'callId', message: 'callId must be a non-empty string without NUL or lone surrogates' }]

export const getSummary = async (
  settings: Settings,
  callId: string,
  options: RequestOptions,
): Promise<WithResponse<SummaryRecord>> => {
  const issues = [...checkCallId(callId), ...checkRequestOptions(options)]
  if (issues.length > 0) throw new ValidationError('calls.getSummary', issues)
  const { method, path } = endpoints['calls.getSummary']
  return send(settings, {
    endpoint: 'calls.getSummary',
    method,
    path: `${path}?callId=${encodeURIComponent(callId)}`,
    parse: (json) => parseSummaryRecord(json, callId),
    options,
  })
}
