import { type EventName, eventNames } from '@wabakit/wire'
import { callEventExamples, groupEventExamples } from '@wabakit/wire/definitions'

/** The questions that `wabakit probe` asks, each about the response to one kind of request. */
export const apiQuestions = [
  'fetch.missing-key',
  'fetch.wrong-key',
  'fetch.key.authorization',
  'fetch.key.bearer',
  'fetch.key.x-public-api-key',
  'fetch.key.both',
  'fetch.unknown-call',
  'fetch.missing-call-id',
  'fetch.summary.PSTN',
  'fetch.summary.WHATSAPP',
  'fetch.pending',
  'fetch.unavailable',
  'create.key.authorization',
  'create.key.x-public-api-key',
  'create.response',
  'create.invalid',
  'create.refused',
  'wrong-method',
  'unknown-path',
  'rate-limited',
] as const
export type ApiQuestion = (typeof apiQuestions)[number]

/**
 * The JSON type of a field. A string is `empty`, or the number of a phone with or without a plus sign (`+digits`,
 * `digits`), or the id that the request contained (`as-sent`), or another `string`.
 */
export const fieldKinds = [
  ...(['string', 'empty', 'digits', '+digits', 'as-sent'] as const),
  ...(['number', 'boolean', 'null', 'array', 'object'] as const),
] as const
export type FieldKind = (typeof fieldKinds)[number]

/** The response headers that are recorded: only their names, and the form of `retry-after`. */
export const responseHeaders = [
  ...(['ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate', 'x-request-id'] as const),
  ...(['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const),
] as const
export type ResponseHeader = (typeof responseHeaders)[number]

const channelForms = ['PSTN', 'WHATSAPP'] as const

/** An event whose fields are recorded together: the events of the two channels have different ones. */
export type EventForm =
  | Extract<EventName, `GROUP_${string}`>
  | `${Extract<EventName, `CALL_${string}`>}/${(typeof channelForms)[number]}`

const isOfGroup = (name: EventName): name is Extract<EventName, `GROUP_${string}`> =>
  name.startsWith('GROUP_')
const isOfCall = (name: EventName): name is Extract<EventName, `CALL_${string}`> => !isOfGroup(name)

export const eventForms: readonly EventForm[] = [
  ...eventNames.filter(isOfGroup),
  ...eventNames
    .filter(isOfCall)
    .flatMap((name) => channelForms.map((channel) => `${name}/${channel}` as const)),
]

/** Returns the form of an event. An event of a call that states no channel is one of a WhatsApp call. */
export const findEventForm = (name: EventName, { channel }: { readonly channel?: unknown }): EventForm => {
  if (isOfGroup(name)) return name
  return isOfCall(name) ? `${name}/${channel === 'PSTN' ? 'PSTN' : 'WHATSAPP'}` : name
}

const listPaths = (value: object, prefix = ''): string[] =>
  Object.entries(value).flatMap(([name, part]) => [
    prefix + name,
    ...(typeof part === 'object' && part !== null && !Array.isArray(part)
      ? listPaths(part, `${prefix}${name}.`)
      : []),
  ])

/** Fields of live services that no example has. */
const furtherFields = [
  ...['customerId', 'chatId', 'chatMessageId', 'pickedBy', 'rejectedBy', 'endedBy', 'deviceId'],
  ...['failedReason', 'recordingUrl', 'isChatAssigned', 'orgId', 'integrationId'],
]

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]

/** The paths of all known fields of events, such as `summary.recap`. Others are not recorded. */
export const eventFields: readonly string[] = unique([
  ...[...Object.values(groupEventExamples), ...Object.values(callEventExamples)]
    .flatMap((example) => listPaths(example))
    .filter((path) => path !== 'event'),
  ...furtherFields,
])

const recordFields = [...listPaths(callEventExamples.CALL_AI_SUMMARY), 'recap', 'keyPoints', 'nextSteps']

/** The paths of all known fields of responses. Others are not recorded. */
export const responseFields: readonly string[] = unique([
  ...['statusCode', 'status', 'message', 'error', 'errors', 'code', 'issues', 'details', 'detail'],
  ...['title', 'type', 'success', 'groupId', 'wabaNumber', 'timestamp', 'path', 'requestId', 'data'],
  ...recordFields,
  ...recordFields.map((field) => `data.${field}`),
])
