import type { ApiCall } from '../api-call.ts'

/**
 * Lists the published causes of an error status, because the messages of live services do not state the cause. Returns
 * `undefined` for other statuses. See docs/vendor.md.
 */
export const listCauses = (status: number, { endpoint }: ApiCall<unknown>): string | undefined => {
  const isSummary = endpoint === 'calls.getSummary'
  if (status === 401) return 'the API key is missing or invalid, or belongs in another header'
  if (status === 403) {
    const more = isSummary ? ', or the organization has no PSTN calling' : ''
    return `the API key is invalid or revoked, or not allowed here, from this address or from browsers${more}`
  }
  if (status !== 404 || endpoint === 'request') return undefined
  return isSummary
    ? 'the call is unknown, belongs to another organization, has no summary yet, or is a WhatsApp call'
    : 'baseUrl is wrong'
}
