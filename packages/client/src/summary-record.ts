import { CallSummary, issuesOf, SummaryRecord } from '@wabakit/contract'
import type { Parsed } from './call.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the record from the body of the fetch endpoint, whose shape the service does not publish: the record itself,
 * a bare summary, or either inside `{ "data": … }`; `{ "summary": … }` around a bare summary counts as a record.
 * A missing `callId` is the one that was asked for.
 */
export const parseSummaryRecord = (json: unknown, callId: string): Parsed<SummaryRecord> => {
  const inner = isObject(json) && isObject(json.data) && json.summary === undefined ? json.data : json
  const bare = CallSummary.safeParse(inner)
  const record = bare.success
    ? { callId, summary: bare.data }
    : isObject(inner)
      ? { callId, ...inner }
      : inner
  const parsed = SummaryRecord.safeParse(record)
  return parsed.success ? { data: parsed.data } : { issues: issuesOf(parsed.error) }
}
