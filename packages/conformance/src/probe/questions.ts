import type { ApiQuestion } from '@wabakit/contract/profile'

/** A question on which services differ. */
export type ProbeQuestion = {
  /** The question in words. */
  readonly asks: string
  /** The answer in the specification. */
  readonly specification: string
  /** The answer of a mock in the profile `live`. */
  readonly live: string
}

const notShown = 'not shown'

export const probeQuestions: { readonly [Name in ApiQuestion]: ProbeQuestion } = {
  'fetch.missing-key': {
    asks: 'What is a request for a summary without a key?',
    specification: '401',
    live: '401',
  },
  'fetch.wrong-key': { asks: 'What is one with a wrong key?', specification: '401', live: '403' },
  'fetch.key.authorization': {
    asks: 'Is the key accepted in Authorization, as it is?',
    specification: notShown,
    live: 'accepted',
  },
  'fetch.key.x-public-api-key': {
    asks: 'Is it accepted in x-public-api-key?',
    specification: notShown,
    live: '401',
  },
  'fetch.key.bearer': {
    asks: 'Is it accepted in Authorization, after Bearer?',
    specification: notShown,
    live: '403',
  },
  'fetch.key.both': {
    asks: 'Is it accepted in both headers at once, as the client sends it?',
    specification: notShown,
    live: 'accepted',
  },
  'fetch.unknown-call': { asks: 'What is a call that does not exist?', specification: notShown, live: '404' },
  'fetch.missing-call-id': {
    asks: 'What is a request without callId?',
    specification: notShown,
    live: '400',
  },
  'fetch.summary.PSTN': {
    asks: 'What is the summary of a PSTN call?',
    specification: notShown,
    live: '200, the event without its name',
  },
  'fetch.summary.WHATSAPP': {
    asks: 'What is the summary of a WhatsApp call?',
    specification: notShown,
    live: '404',
  },
  'fetch.pending': {
    asks: 'What is a summary that is not ready?',
    specification: notShown,
    live: '202 {}, without Retry-After',
  },
  'fetch.unavailable': {
    asks: 'What is a summary that will never exist?',
    specification: notShown,
    live: '422',
  },
  'create.key.x-public-api-key': {
    asks: 'Is the key accepted in x-public-api-key to create a group?',
    specification: notShown,
    live: 'accepted',
  },
  'create.key.authorization': {
    asks: 'Is it accepted in Authorization, as it is, to create a group?',
    specification: notShown,
    live: '401',
  },
  'create.response': {
    asks: 'What is the response to a create request, and is its groupId the one that was sent?',
    specification: '200 with success and groupId, the supplied one',
    live: '200 with success, groupId and wabaNumber, the supplied one',
  },
  'create.invalid': {
    asks: 'What is a create request that the service calls invalid?',
    specification: '400',
    live: '400, message is a list',
  },
  'create.refused': {
    asks: 'What is a create request that breaks a rule of the service?',
    specification: '422',
    live: '422',
  },
  'wrong-method': { asks: 'What is GET to the create endpoint?', specification: notShown, live: '404' },
  'unknown-path': { asks: 'What is a path that does not exist?', specification: notShown, live: '404' },
  'rate-limited': {
    asks: 'What is a request too many?',
    specification: '429',
    live: '429, Retry-After in seconds',
  },
}
