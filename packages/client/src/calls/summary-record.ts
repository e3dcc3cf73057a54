import {
  type CallAiSummaryEvent,
  CallSummary,
  SummaryRecord,
  type Validation,
  validate,
} from '@wabakit/contract'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the record from the body of the fetch endpoint, whose form the service does not publish: the record itself
 * or a bare summary, as they are or inside `{ "data": … }` or `{ "summary": … }`. A missing `callId` is the one that
 * was asked for.
 */
export const parseSummaryRecord = (json: unknown, callId: string): Validation<SummaryRecord> => {
  const body = isObject(json) && !('summary' in json) && isObject(json.data) ? json.data : json
  const bare = validate(CallSummary, body)
  const fields = bare.success ? { summary: bare.data } : body
  return validate(SummaryRecord, isObject(fields) ? { callId, ...fields } : fields)
}

/** The record inside the event that reports the same summary: all of it but its name. */
export const recordOfEvent = ({ event: _event, ...record }: CallAiSummaryEvent): SummaryRecord => record
