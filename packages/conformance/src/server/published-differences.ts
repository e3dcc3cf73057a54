import { readField } from './api/api-request.ts'
import type { Lab } from './lab.ts'

type Broken = { readonly observed: string; readonly lab: Lab }

type Difference = {
  readonly published: string
  /** Limits the difference to what is published. @default every observation */
  readonly fits?: (broken: Broken) => boolean
}

const unsigned: Difference = { published: 'webhooks have no id, timestamp and signature' }
const notRetried: Difference = { published: 'a delivery is repeated at most once, and only after a time-out' }
const wrongKey: Difference = {
  published: 'a wrong key is 403 where summaries are fetched',
  fits: ({ observed }) => observed.startsWith('403'),
}
/** All kinds of wrong keys except a missing key, which gets a 401. */
const wrongKeys = [
  ...['empty', 'unknown', 'prefixed', 'suffixed', 'with-a-word-after', 'bearer-with-a-word-after'],
  ...['in-a-list', 'a-pattern', 'an-injection', 'an-inherited-name', 'cut', 'in-the-other-case'],
]
const whatsAppCall: Difference = {
  published: 'WhatsApp calls have no summary to fetch',
  fits: ({ observed }) => observed.startsWith('404') && !observed.includes(' of PSTN '),
}
const emptyAgent: Difference = {
  published: 'an unset field is an empty string',
  fits: ({ observed }) => observed.includes('"agentNumber":""'),
}
const nullGroupId: Difference = {
  published: 'groupId is null until the id is known',
  fits: ({ lab }) => lab.listener?.webhooks.some(({ json }) => readField(json, 'groupId') === null) ?? false,
}

/**
 * The documented behavior of live services where a rule requires something else, by the rule's id or the
 * start of the id.
 */
const differences: Readonly<Record<string, Difference>> = {
  'create.key.bearer-is-200': { published: 'the key is sent without Bearer' },
  ...Object.fromEntries(wrongKeys.map((wrong) => [`fetch.key.${wrong}-is-401`, wrongKey])),
  'fetch.in-progress.is-202': whatsAppCall,
  'fetch.in-progress.retry-after': { published: '202 has no Retry-After' },
  'fetch.missed.is-422': whatsAppCall,
  'fetch.no-recording.is-422': whatsAppCall,
  'fetch.nothing-said.is-422': whatsAppCall,
  'fetch.rejected.is-422': whatsAppCall,
  'fetch.summary.agent-number-absent-not-empty': emptyAgent,
  'fetch.summary.is-200': whatsAppCall,
  'fetch.summary.is-the-event-without-its-name': { published: 'the fields of a fetched summary differ' },
  'events.call.fields': { published: 'call events have nineteen fields, with "" and 0 for what is unset' },
  'events.call.only-known-events': {
    published: 'CALL_MISSED, CALL_REJECTED and CALL_NOT_PICKED',
    fits: ({ observed }) => /"event":"CALL_(?:MISSED|REJECTED|NOT_PICKED)"/.test(observed),
  },
  'events.channel.whatsapp-webhook-gets-its-calls-only': {
    published: 'events of WhatsApp calls state no channel',
    fits: ({ observed }) => !observed.includes('"channel"'),
  },
  'events.group-created.carries-the-group-id': nullGroupId,
  'events.group-created.carries-the-supplied-id': nullGroupId,
  'events.group-created.fields': { published: 'group events also have orgId and integrationId' },
  'events.group-created.follows': nullGroupId,
  'events.group-created.one-for-every-group': nullGroupId,
  'events.group-created.names-the-group': { published: 'groupName may be null' },
  'events.participant-joined.references-the-group-id': nullGroupId,
  'events.participant-left.references-the-group-id': nullGroupId,
  'events.participant-removed.references-the-group-id': nullGroupId,
  'events.participants.every-step': nullGroupId,
  'events.participants.fields': { published: 'group events also have orgId and integrationId' },
  'events.participants.left-after-joined': nullGroupId,
  'events.participants.order': nullGroupId,
  'events.summary.agent-number-absent-for-bots': emptyAgent,
  'events.summary.agent-number-absent-not-empty': emptyAgent,
  'webhooks.deferral.is-attempted-again': notRetried,
  'webhooks.id.is-unique': unsigned,
  'webhooks.retry.follows-a-404': notRetried,
  'webhooks.retry.follows-a-closed-connection': notRetried,
  'webhooks.retry.follows-a-failure': notRetried,
  'webhooks.rotation.both-secrets-sign': unsigned,
  'webhooks.signature.is-valid': unsigned,
  'webhooks.timestamp.is-now': unsigned,
  'errors.body.error-is-the-reason-phrase': { published: 'some errors have no error' },
  'errors.body.has-the-documented-fields': { published: 'message may be a list, and error may be absent' },
  'errors.body.issues-name-the-field': { published: 'messages say what is wrong, without issues' },
  'errors.code': { published: 'errors have no code' },
  'errors.request-id.is-present': { published: 'responses have no x-request-id' },
  'limits.429.code': { published: 'errors have no code' },
  'limits.429.ratelimit': { published: '429 has Retry-After and no RateLimit headers' },
  'limits.429.ratelimit-policy': { published: '429 has Retry-After and no RateLimit headers' },
}

/** Returns what live services document instead of a broken rule, or `undefined` if they document nothing else. */
export const findPublishedDifference = (id: string, broken: Broken): string | undefined => {
  const { published, fits = () => true } =
    differences[id] ?? differences[id.slice(0, id.lastIndexOf('.'))] ?? {}
  return published !== undefined && fits(broken) ? published : undefined
}
