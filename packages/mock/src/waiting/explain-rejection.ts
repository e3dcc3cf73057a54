import type { RecordedDelivery } from '../recording.ts'

/** Returns advice about the response of a wabakit receiver that could not verify a delivery. */
const explainResponse = (responseBody: string): string | undefined => {
  const [, header = '', problem] = /The header ([^\s"]+) (is missing|does not match)/.exec(responseBody) ?? []
  if (/^webhook-(id|timestamp|signature)$/.test(header)) {
    return (
      'The receiver expects a signature, but the profile "live" does not sign. Verify with staticHeader, bearerAuth or ' +
      'basicAuth, and give createMock the same webhookAuth.'
    )
  }
  if (problem === 'is missing') {
    return (
      `The receiver expects the header ${header}. Send it with createMock({ webhookAuth: … }), or with the headers or ` +
      'authorization of the subscription.'
    )
  }
  if (problem !== undefined) {
    return (
      `The receiver compares the header ${header} with a different value. createMock needs the same webhookAuth, or the ` +
      'subscription the same headers or authorization.'
    )
  }
  return responseBody.includes('no_matching_signature')
    ? 'The receiver rejects the signature, so it verifies with a different secret. Give it mock.secret. ' +
        'For a second receiver with its own secret, use mock.tenant() or mock.subscribe({ receiver, secret }).'
    : undefined
}

/** Explains why receivers rejected genuine deliveries, in one line for each reason. */
export const explainRejections = (deliveries: readonly RecordedDelivery[]): string[] => {
  const lines = deliveries
    .filter(({ status, faults }) => status === 401 && !faults.includes('tamper'))
    .flatMap(({ responseBody }) => explainResponse(responseBody) ?? [])
  return [...new Set(lines)]
}
