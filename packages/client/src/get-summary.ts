import { endpoints, type SummaryRecord } from '@wabakit/contract'
import { type ApiPromise, apiPromiseOf } from './api-promise.ts'
import type { RequestOptions } from './client-options.ts'
import { ValidationError } from './errors/validation-error.ts'
import { send } from './send.ts'
import type { Settings } from './settings.ts'
import { parseSummaryRecord } from './summary-record.ts'

/** Calls the fetch endpoint. */
export const getSummary = (
  settings: Settings,
  callId: string,
  options: RequestOptions,
): ApiPromise<SummaryRecord> => {
  const call = async () => {
    if (typeof callId !== 'string' || callId === '' || /[\0\p{Surrogate}]/u.test(callId)) {
      const message = 'must be a non-empty string without NUL or lone surrogates'
      throw new ValidationError('The call', [{ path: 'callId', message }])
    }
    const { method, path } = endpoints['calls.getSummary']
    return send(settings, {
      endpoint: 'calls.getSummary',
      method,
      path: `${path}?callId=${encodeURIComponent(callId)}`,
      parse: (json) => parseSummaryRecord(json, callId),
      options,
    })
  }
  return apiPromiseOf(call())
}
