import { generateSecret, type SignWebhookOptions, signWebhook } from '@wabakit/webhooks'

/** The secret of all signed test requests. */
export const secret: string = generateSecret()

/** A valid event of a group. */
export const joined = {
  event: 'GROUP_PARTICIPANT_JOINED',
  groupId: 'g-1',
  customerPhone: '+14155550123',
} as const

/** A valid summary. */
export const summary = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId: 'call-1',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-01T10:00:00Z',
  callEndedAt: '2026-01-01T10:00:42Z',
  from: '+14155550100',
  to: '+14155550123',
  channelNumber: '+14155550100',
  customerNumber: '+14155550123',
  callType: 'AI_BOT',
  triggeredVia: 'API',
  summary: { recap: 'Grüße aus Köln 👋', keyPoints: ['a/b'], nextSteps: [] },
} as const

/** Options for a signed request. */
export type SignedOptions = Partial<Pick<SignWebhookOptions, 'id' | 'timestamp' | 'secret'>> & {
  readonly headers?: Record<string, string>
}

/** Body and headers of a signed delivery. */
export const signed = async (event: object | string, { headers, ...options }: SignedOptions = {}) => {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const { headers: own } = await signWebhook({ payload: body, secret, ...options })
  return { method: 'POST', body, headers: { ...own, ...headers } }
}

/** A signed delivery as a Fetch request. */
export const signedRequest = async (event: object | string, options?: SignedOptions): Promise<Request> =>
  new Request('http://localhost/webhooks', await signed(event, options))
