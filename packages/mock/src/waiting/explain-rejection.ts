import type { RecordedDelivery } from '../recording.ts'

/** Returns advice for each message of a wabakit receiver about a token in the URL. */
const explainUrl = (responseBody: string): string[] => {
  const [, missing] = /The URL has no parameter (.+?)\. Register/.exec(responseBody) ?? []
  const [, wrong] = /The parameter (.+?) of the URL does not match/.exec(responseBody) ?? []
  const [, doubled] = /The URL has the parameter (.+?) more than once/.exec(responseBody) ?? []
  return [
    missing !== undefined &&
      `The receiver expects the parameter ${missing} in the URL. Send it with createMock({ webhookAuth: { urlToken: … } }), ` +
        'with deliverTo(receiver, { url: … }), or with the url of the subscription.',
    wrong !== undefined &&
      `The receiver compares the parameter ${wrong} of the URL with a different token. createMock needs the same ` +
        'webhookAuth, or the URL the same token, percent-encoded once.',
    doubled !== undefined &&
      `The URL has the parameter ${doubled} more than once, so the receiver accepts none. Register a URL that has it once.`,
  ].filter((line) => line !== false)
}

/** Returns advice about a header that a wabakit receiver did not accept. */
const explainHeader = (responseBody: string): string[] => {
  const found = [...responseBody.matchAll(/The header ([^\s"]+) (is missing|does not match)/g)]
  return found.map(([, header = '', problem]) => {
    if (/^webhook-(id|timestamp|signature)$/.test(header)) {
      return (
        'The receiver expects a signature, but the profile "live" does not sign. Verify with urlToken, staticHeader, ' +
        'bearerAuth or basicAuth, and give createMock the same webhookAuth.'
      )
    }
    return problem === 'is missing'
      ? `The receiver expects the header ${header}. Send it with createMock({ webhookAuth: … }), or with the headers or ` +
          'authorization of the subscription.'
      : `The receiver compares the header ${header} with a different value. createMock needs the same webhookAuth, or the ` +
          'subscription the same headers or authorization.'
  })
}

/** Returns advice about the response of a wabakit receiver that could not verify a delivery, for each of its verifiers. */
const explainResponse = (responseBody: string): string[] => {
  const lines = [...explainUrl(responseBody), ...explainHeader(responseBody)]
  if (lines.length > 0 || !responseBody.includes('no_matching_signature')) return lines
  return [
    'The receiver rejects the signature, so it verifies with a different secret. Give it mock.secret. ' +
      'For a second receiver with its own secret, use mock.tenant() or mock.subscribe({ receiver, secret }).',
  ]
}

/** Explains why receivers rejected genuine deliveries, or failed, in one line for each reason. */
export const explainRejections = (deliveries: readonly RecordedDelivery[]): string[] => {
  const lines = deliveries
    .filter(({ status, faults }) => status === 401 && !faults.includes('tamper'))
    .flatMap(({ responseBody }) => explainResponse(responseBody))
  const throws = deliveries.some(({ outcome, status }) => outcome === 'failed' && status === 500)
  const failed =
    'A handler of the receiver throws. The receiver passes its error to onError, and without it prints it.'
  return [...new Set(throws ? [...lines, failed] : lines)]
}
