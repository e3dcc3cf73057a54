import type { Issue, SummaryRecord, Validation } from '@wabakit/wire'
import { endpoints, validateSummaryRecord } from '@wabakit/wire'
import { isObject, type WithResponse } from './api-call.ts'
import { ValidationError } from './errors/wabakit-error.ts'
import { checkOptions, requestRules } from './options/check-options.ts'
import type { RequestOptions } from './options/request-options.ts'
import type { Settings } from './options/settings.ts'
import { send } from './retry/send.ts'

export const checkCallId = (callId: unknown): Issue[] =>
  typeof callId === 'string' && callId !== '' && !/[\0\p{Surrogate}]/u.test(callId)
    ? []
    : [{ path: 'callId', message: 'callId must be a non-empty string without NUL or lone surrogates' }]

/**
 * Reads the record from a response. The service does not document the shape of its response, so this accepts the record
 * or the summary alone, each optionally wrapped in `{ "data": … }`. A missing or empty `callId` is set to the requested one.
 * Another one is an error, wherever it is, so that no summary of another customer's call is returned.
 */
const parseSummaryRecord = (json: unknown, callId: string): Validation<SummaryRecord> => {
  const body = isObject(json) && isObject(json.data) && !('summary' in json) ? json.data : json
  if (!isObject(body)) return validateSummaryRecord(body)
  for (const part of [json, body, body.summary]) {
    const stated = Object(part).callId || callId
    if (stated === callId) continue
    const message = `callId is ${JSON.stringify(stated).slice(0, 257)}, not the requested one`
    return { success: false, issues: [{ path: 'callId', message }] }
  }
  const isBare = !('summary' in body) && 'recap' in body
  return validateSummaryRecord({ ...(isBare ? { summary: body } : body), callId: body.callId || callId })
}

export const getSummary = async (
  settings: Settings,
  callId: string,
  options: RequestOptions,
): Promise<WithResponse<SummaryRecord>> => {
  const issues = [...checkCallId(callId), ...checkOptions(options, requestRules)]
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
