import type { SummaryRecord } from '@wabakit/contract'
import { buildSummaryPayload } from '../calls/call-events.ts'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import type { CallerRecord } from '../records.ts'
import type { CallWithSummary, Store } from '../store.ts'
import { identifierRule, isIdentifier } from '../values/storable-text.ts'

/** Reads the id of a call from a query, or throws a RequestRefusedError `invalid_call_id`. */
export const parseCallId = (query: string): string => {
  const callId = new URLSearchParams(query).get('callId') ?? ''
  if (isIdentifier(callId)) return callId
  throw new RequestRefusedError('invalid_call_id', `The query parameter callId ${identifierRule}.`, {
    issues: [{ path: 'callId', message: identifierRule }],
  })
}

const notFound = (): RequestRefusedError =>
  new RequestRefusedError('summary_not_found', 'There is no summary for a call with this id.')

const pending = (): RequestRefusedError =>
  new RequestRefusedError('summary_pending', 'The summary is not ready yet. Try again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

const unavailable = (): RequestRefusedError =>
  new RequestRefusedError('summary_unavailable', 'This call can never have a summary.')

/**
 * Returns whether a key can see a call. A WhatsApp call requires permission for its WABA number; every key can see PSTN
 * calls.
 */
const isVisible = ({ key }: CallerRecord, { call }: CallWithSummary): boolean =>
  call.channel === 'PSTN' || key.wabaNumbers === 'all' || key.wabaNumbers.includes(call.digits)

const explainAbsence = ({ call }: CallWithSummary, { organization }: CallerRecord): RequestRefusedError => {
  switch (call.state) {
    case 'initiated':
    case 'accepted':
      return pending()
    case 'missed':
    case 'rejected':
      return unavailable()
    case 'ended':
      if (call.recorded !== true || call.spoken !== true) return unavailable()
      return organization.callSummaries === 'automatic' ? pending() : notFound()
  }
}

/**
 * `GET /v1/call/ai-summary?callId=…`. Returns the payload of CALL_AI_SUMMARY without `event`. Without a summary:
 *
 * | call | response |
 * |---|---|
 * | unknown, or of a WABA number that the key may not use | 404 `summary_not_found` |
 * | initiated or accepted | 202 `summary_pending`, `Retry-After: 5` |
 * | missed, rejected, or ended without a recording or a spoken word | 422 `summary_unavailable` |
 * | ended otherwise, if the organization's `callSummaries` are `automatic` | 202 `summary_pending` |
 * | ended otherwise | 404 `summary_not_found` |
 *
 * In other profiles, the response is different (`live/live-api.ts`; `mock`: `src/measured/measured-api.ts`).
 *
 * @throws RequestRefusedError if there is no summary (yet), or the key has no permission to see it.
 */
export const getSummary = async (
  callId: string,
  caller: CallerRecord,
  store: Store,
): Promise<SummaryRecord> => {
  const found = await store.findCall(caller.organization.id, callId)
  if (found === undefined || !isVisible(caller, found)) throw notFound()
  if (found.summary === undefined) throw explainAbsence(found, caller)
  const { event: _, ...record } = buildSummaryPayload(found.call, found.summary)
  return record
}
