import { getCallState } from '../calls/get-call-state.ts'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { summaryPayload } from '../events/event-draft.ts'
import type { CallerRecord } from '../records.ts'
import type { CallWithSummary, Store } from '../store.ts'
import { identifierRule, isIdentifier } from '../values/identifier.ts'
import { type Answer, granted } from './answer.ts'

const parseCallId = (url: URL): string => {
  const callId = url.searchParams.get('callId') ?? ''
  if (isIdentifier(callId)) return callId
  throw new RequestRefusedError('invalid_call_id', `The query parameter callId ${identifierRule}.`, {
    issues: [{ path: 'callId', message: identifierRule }],
  })
}

const notFound = (): RequestRefusedError =>
  new RequestRefusedError('summary_not_found', 'There is no summary of such a call.')

const pending = (): RequestRefusedError =>
  new RequestRefusedError('summary_pending', 'The summary is not ready yet. Ask again in a few seconds.', {
    headers: { 'retry-after': '5' },
  })

const unavailable = (): RequestRefusedError =>
  new RequestRefusedError('summary_unavailable', 'This call can never have a summary.')

/** A key that may not use a call's WABA number does not see the call; every key sees PSTN calls. */
const isVisible = ({ key }: CallerRecord, { call }: CallWithSummary): boolean =>
  call.channel === 'PSTN' || key.wabaNumbers === 'all' || key.wabaNumbers.includes(call.digits)

/** Why there is no summary (yet). */
const absence = (found: CallWithSummary, { organization }: CallerRecord): RequestRefusedError => {
  const { call } = found
  switch (getCallState(found)) {
    case 'initiated':
    case 'accepted':
      return pending()
    case 'missed':
    case 'rejected':
    case 'not_picked':
      return unavailable()
    case 'ended':
    case 'summarized':
      if (call.recorded !== true || call.spoken !== true) return unavailable()
      return organization.callSummaries === 'automatic' ? pending() : notFound()
  }
}

/** `GET /v1/call/ai-summary?callId=…`: the CALL_AI_SUMMARY payload without `event`. */
export const getSummaryEndpoint = async (url: URL, caller: CallerRecord, store: Store): Promise<Answer> => {
  const found = await store.findCall(caller.organization.id, parseCallId(url))
  if (found === undefined || !isVisible(caller, found)) throw notFound()
  if (found.summary === undefined) throw absence(found, caller)
  const { event: _, ...record } = summaryPayload(found.call, found.summary)
  return granted(record)
}
