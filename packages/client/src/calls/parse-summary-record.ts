import type { SummaryRecord, Validation } from '@wabakit/wire'
import { validateSummaryRecord } from '@wabakit/wire'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the record from a response. The service does not document its form, so this accepts the record or a bare
 * summary, each also inside `{ "data": … }` or `{ "summary": … }`. A missing `callId` is set to the requested one.
 */
export const parseSummaryRecord = (json: unknown, callId: string): Validation<SummaryRecord> => {
  const body = isObject(json) && !('summary' in json) && isObject(json.data) ? json.data : json
  if (!isObject(body)) return validateSummaryRecord(body)
  const isBare = 'recap' in body && !('summary' in body)
  return validateSummaryRecord({ callId, ...(isBare ? { summary: body } : body) })
}
