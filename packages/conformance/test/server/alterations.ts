import type { BrokenServer } from './mutations.ts'
import {
  accept,
  change,
  changeEvent,
  hasOwnKey,
  isCreate,
  isFetch,
  isObject,
  readFields,
  toJson,
  withHeader,
} from './mutations.ts'
import type { ApiCall, Hook, Mutation } from './reference.ts'

type Fields = Readonly<Record<string, unknown>>

const ownKey = 'wk_acceptance_0123456789'
const foreignKey = 'wk_acceptance_foreign_89'

/** Accepts keys that this function turns into the right one, on both endpoints. */
const readKeyAs = (read: (header: string) => string): Mutation => ({
  api: (call, respond) =>
    read(call.headers.get('authorization') ?? '') === ownKey
      ? respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      : respond(),
})

/** Accepts a request if it would be valid with this other value of a field. */
const acceptAs = (name: string, read: (value: string) => string): Mutation => ({
  api: (call, respond) => {
    const value = readFields(call)[name]
    if (!isCreate(call) || typeof value !== 'string') return respond()
    const text = JSON.stringify({ ...readFields(call), [name]: read(value) })
    return respond({ ...call, text, body: JSON.parse(text) })
  },
})

const acceptType = (type: string): Mutation => accept(({ headers }) => headers.get('content-type') === type)

const refuseText = (name: string, isLong: (text: string) => boolean): Mutation => ({
  api: async (call, respond) => {
    const value = readFields(call)[name]
    if (!hasOwnKey(call) || typeof value !== 'string' || !isLong(value)) return respond()
    return toJson(400, { statusCode: 400, error: 'Bad Request', message: 'Too long.', code: 'invalid_body' })
  },
})

/** Returns another group id than the one that was supplied. */
const returnIdAs = (edit: (groupId: string) => string): Mutation =>
  change(
    (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId !== undefined,
    ({ body }) => ({ body: { ...body, groupId: edit(String(body.groupId)) } }),
  )

const editHooks = (edit: (hook: Hook) => Partial<Hook>): Mutation => ({
  webhook: (hook, send) => send({ ...hook, ...edit(hook) }),
})

const editEvents = (edit: (body: Fields) => Fields): Mutation =>
  editHooks(({ body }) => ({ body: { ...body, ...edit(body) } }))

const isFetched = (call: ApiCall, { status }: { status: number }): boolean => isFetch(call) && status === 200

const editRecord = (edit: (body: Fields) => Fields): Mutation =>
  change(isFetched, ({ body }) => ({ body: { ...body, ...edit(body) } }))

const swapParties = (body: Fields): Fields =>
  'from' in body
    ? { from: body.to, to: body.from, channelNumber: body.customerNumber, customerNumber: body.channelNumber }
    : {}

/** Changes the durations of all events and records. */
const measureAs = (edit: (seconds: number) => number): Mutation => {
  const editFields = (body: Fields): Fields =>
    typeof body.durationInSeconds === 'number' ? { durationInSeconds: edit(body.durationInSeconds) } : {}
  return { ...editRecord(editFields), ...editEvents(editFields) }
}

const shift = (time: unknown, ms: number): string => new Date(Date.parse(String(time)) + ms).toISOString()

const setType = (type: string): Mutation =>
  editHooks(({ headers }) => ({ headers: withHeader(headers, 'content-type', type) }))

const onlySummary = (edit: (body: Fields) => Fields): Mutation =>
  changeEvent('CALL_AI_SUMMARY', (body) => ({ ...body, ...edit(body) }))

const countGraphemes = (text: string): number => [...new Intl.Segmenter().segment(text)].length
/** Accepts a text that is too long in code points, but not in graphemes. */
const countingGraphemes = (name: string, limit: number): Mutation =>
  acceptAs(name, (text) => ([...text].length > limit && countGraphemes(text) <= limit ? 'short' : text))
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Servers that swap, cut, trim or measure in another way what they should leave as it is. */
export const createAlteringServers = (): BrokenServer[] => [
  // Keys.
  {
    name: 'accepts a key followed by anything',
    caughtBy: 'create.key.suffixed-is-401',
    ...readKeyAs((key) => key.slice(0, ownKey.length)),
  },
  {
    name: 'shows summaries to a key followed by anything',
    caughtBy: 'fetch.key.suffixed-is-401',
    ...readKeyAs((key) => key.slice(0, ownKey.length)),
  },
  {
    name: 'reads the first word of the header as the key',
    caughtBy: 'create.key.with-a-word-after-is-401',
    ...readKeyAs((key) => key.split(' ')[0] ?? ''),
  },
  {
    name: 'reads the second word of the header as the key',
    caughtBy: 'create.key.bearer-with-a-word-after-is-401',
    ...readKeyAs((key) => key.split(' ')[1] ?? ''),
  },
  {
    name: 'reads the first of several keys',
    caughtBy: 'create.key.in-a-list-is-401',
    ...readKeyAs((key) => key.split(',')[0] ?? ''),
  },
  {
    name: 'ignores the case of keys',
    caughtBy: 'create.key.in-the-other-case-is-401',
    ...readKeyAs((key) => (key.toLowerCase() === ownKey ? ownKey : '')),
  },
  {
    name: 'shows summaries to keys in another case',
    caughtBy: 'fetch.key.in-the-other-case-is-401',
    ...readKeyAs((key) => (key.toLowerCase() === ownKey ? ownKey : '')),
  },
  {
    name: 'accepts a key that is cut',
    caughtBy: 'create.key.cut-is-401',
    ...readKeyAs((key) => (key.length > 10 && ownKey.startsWith(key) ? ownKey : '')),
  },

  // Lengths.
  {
    name: 'counts the graphemes of a subject',
    caughtBy: 'create.subject.129-in-few-graphemes-is-400',
    ...countingGraphemes('subject', 128),
  },
  {
    name: 'counts the characters of a subject after composing them',
    caughtBy: 'create.subject.130-decomposed-is-400',
    ...acceptAs('subject', (text) => text.normalize('NFC')),
  },
  {
    name: 'counts the graphemes of a description',
    caughtBy: 'create.description.2049-in-few-graphemes-is-400',
    ...countingGraphemes('description', 2_048),
  },
  {
    name: 'counts the graphemes of a group id',
    caughtBy: 'create.group-id.51-in-few-graphemes-is-400',
    ...countingGraphemes('groupId', 50),
  },
  {
    name: 'counts the bytes of a subject',
    caughtBy: 'create.subject.128-non-ascii-is-200',
    ...refuseText('subject', (text) => encode(text).length > 128),
  },
  {
    name: 'counts the bytes of a description',
    caughtBy: 'create.description.2048-non-ascii-is-200',
    ...refuseText('description', (text) => encode(text).length > 2_048),
  },
  {
    name: 'counts the bytes of a group id',
    caughtBy: 'create.group-id.50-non-ascii-is-200',
    ...refuseText('groupId', (text) => encode(text).length > 50),
  },

  // Values with something before or after them.
  {
    name: 'trims join approval modes',
    caughtBy: 'create.join-approval-mode.with-a-space-is-400',
    ...acceptAs('joinApprovalMode', (mode) => mode.trim()),
  },
  {
    name: 'looks only at the beginning of join approval modes',
    caughtBy: 'create.join-approval-mode.longer-is-400',
    ...acceptAs('joinApprovalMode', (mode) => mode.slice(0, 12)),
  },
  {
    name: 'looks only at the beginning of the WABA number',
    caughtBy: 'create.waba-number.longer-is-400',
    ...acceptAs('wabaNumber', (number) => number.slice(0, 12)),
  },
  {
    name: 'completes the WABA number',
    caughtBy: 'create.waba-number.cut-is-400',
    ...acceptAs('wabaNumber', (number) => (number === '+1555019000' ? '+15550190001' : number)),
  },
  {
    name: 'strips letters from the WABA number',
    caughtBy: 'create.waba-number.with-a-letter-is-400',
    ...acceptAs('wabaNumber', (number) => number.replace(/[a-z]/g, '')),
  },
  {
    name: 'looks only at the beginning of the content type',
    caughtBy: 'create.body.longer-type-is-415',
    ...acceptType('application/jsonp'),
  },

  // Other organizations.
  {
    name: 'shows the calls of other organizations',
    caughtBy: 'fetch.foreign-key.finds-no-pstn-call',
    api: (call, respond) =>
      isFetch(call) && call.headers.get('authorization') === foreignKey
        ? respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
        : respond(),
  },
  {
    name: 'creates groups on the numbers of other organizations',
    caughtBy: 'create.foreign-key.is-refused',
    ...readKeyAs((key) => (key === foreignKey ? ownKey : '')),
  },

  // Group ids.
  {
    name: 'cuts group ids to 36 characters in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => [...groupId].slice(0, 36).join('')),
  },
  {
    name: 'trims group ids in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => groupId.trim()),
  },
  {
    name: 'composes the characters of group ids in responses',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => groupId.normalize('NFC')),
  },
  {
    name: 'cuts group ids to 36 characters in events',
    caughtBy: 'events.group-created.carries-the-supplied-id',
    ...editEvents(({ groupId }) =>
      typeof groupId === 'string' ? { groupId: [...groupId].slice(0, 36).join('') } : {},
    ),
  },
  {
    name: 'trims group ids in events',
    caughtBy: 'events.group-created.carries-the-supplied-id',
    ...editEvents(({ groupId }) => (typeof groupId === 'string' ? { groupId: groupId.trim() } : {})),
  },
  {
    name: 'finds a group by its id in any case',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnFirstSpelling(),
  },

  // Calls.
  {
    name: 'swaps from and to everywhere',
    caughtBy: 'events.summary.from-is-the-own-number',
    ...editRecord(swapParties),
    ...editEvents(swapParties),
  },
  {
    name: 'swaps from and to for PSTN calls',
    caughtBy: 'events.summary.from-is-the-own-number',
    ...editEvents((body) => (body.channel === 'PSTN' ? swapParties(body) : {})),
  },
  {
    name: 'swaps from and to in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) => ({ ...body, ...swapParties(body) })),
  },
  {
    name: 'measures durations in milliseconds',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds * 1_000),
  },
  {
    name: 'measures durations in minutes',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds / 60),
  },
  {
    name: 'measures durations until now',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds + 60),
  },
  {
    name: 'states other times in the summary than in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary((body) => ({
      callStartedAt: shift(body.callStartedAt, -3_600_000),
      callEndedAt: shift(body.callEndedAt, -3_600_000),
    })),
  },
  {
    name: 'states another start in CALL_ACCEPTED than in the summary',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ACCEPTED', (body) => ({
      ...body,
      callStartedAt: shift(body.callStartedAt, -3_600_000),
    })),
  },
  {
    name: 'states the time of CALL_ACCEPTED as the start',
    caughtBy: 'events.call.times',
    ...changeEvent('CALL_ACCEPTED', (body) => ({ ...body, callStartedAt: shift(body.callStartedAt, 200) })),
  },
  {
    name: 'states when the summary was generated as the end',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary((body) => ({ callEndedAt: shift(body.callEndedAt, 15_000) })),
  },
  {
    name: 'states another direction in the summary than in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary(() => ({ callDirection: 'INCOMING', triggeredVia: 'INBOUND', callType: 'AGENT' })),
  },
  {
    name: 'states a direction that contradicts the trigger',
    caughtBy: 'events.summary.direction-fits-the-trigger',
    ...onlySummary(() => ({ triggeredVia: 'UI' })),
  },
  {
    name: 'writes END in lower case',
    caughtBy: 'events.summary.call-status-is-never-ended',
    ...onlySummary(() => ({ callStatus: 'end' })),
  },

  // Webhooks and fetched records.
  {
    name: 'sends webhooks as text',
    caughtBy: 'webhooks.body.has-the-type-of-json',
    ...setType('text/plain'),
  },
  {
    name: 'sends webhooks as a form',
    caughtBy: 'webhooks.body.has-the-type-of-json',
    ...setType('application/x-www-form-urlencoded'),
  },
  {
    name: 'sends webhooks as a sequence of JSON texts',
    caughtBy: 'webhooks.body.has-the-type-of-json',
    ...setType('application/json-seq'),
  },
  {
    name: 'fetches other times than those of the event',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({
      callStartedAt: shift(body.callStartedAt, 3_600_000),
      callEndedAt: shift(body.callEndedAt, 3_600_000),
    })),
  },
  {
    name: 'fetches a duration in milliseconds',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({ durationInSeconds: Number(body.durationInSeconds) * 1_000 })),
  },
  {
    name: 'swaps from and to in fetched records',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord(swapParties),
  },
  {
    name: 'fetches an empty agentNumber',
    caughtBy: 'fetch.summary.agent-number-absent-not-empty',
    ...editRecord((body) => ({ agentNumber: body.agentNumber ?? '' })),
  },
  {
    name: 'fetches the agent of another call',
    caughtBy: 'fetch.summary.agrees-with-the-event',
    ...editRecord((body) => ({ agentNumber: body.agentNumber ?? '+15550190077' })),
  },
  {
    name: 'cuts fetched recaps',
    caughtBy: 'fetch.summary.equals-event',
    ...editRecord(({ summary }) => ({
      summary: { ...(isObject(summary) ? summary : {}), recap: 'The customer asked' },
    })),
  },
  {
    name: 'states the duration in milliseconds in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) => ({
      ...body,
      durationInSeconds: Number(body.durationInSeconds) * 1_000,
    })),
  },
  {
    name: 'states the number of the customer as that of the agent',
    caughtBy: 'events.summary.agent-number-is-not-the-customers',
    ...onlySummary((body) => ({ agentNumber: body.customerNumber })),
  },
  {
    name: 'publishes CALL_ACCEPTED when a call begins to ring',
    caughtBy: 'events.call.not-accepted-when-missed',
    webhook: async (hook, send) => {
      const response = await send()
      if (/_INITIATED$/.test(String(hook.body.event))) await send(rename(hook, 'CALL_ACCEPTED'))
      return response
    },
  },

  // Groups.
  {
    name: 'returns group ids of digits as numbers without their zeros',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...returnIdAs((groupId) => (/^\d+$/.test(groupId) ? String(Number(groupId)) : groupId)),
  },
  {
    name: 'refuses group ids of digits',
    caughtBy: 'create.group-id.digits-is-200',
    ...refuseText('groupId', (groupId) => /^\d+$/.test(groupId)),
  },
  {
    name: 'reads only the first JSON value of a body',
    caughtBy: 'create.body.trailing-text-is-400',
    api: (call, respond) => respond({ ...call, text: call.text?.replace(/ \{$/, '') }),
  },
  {
    name: 'ignores case in the names of fields',
    caughtBy: 'create.body.field-in-other-case-is-200',
    api: (call, respond) =>
      'Subject' in readFields(call)
        ? respond({ ...call, text: call.text?.replace('Acceptance check', '') })
        : respond(),
  },
  {
    name: 'creates a group before it checks the permission',
    caughtBy: 'events.group-created.none-when-refused',
    api: async (call, respond) => {
      const response = await respond()
      if (response.status === 403)
        await respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      return response
    },
  },
  {
    name: 'cuts the names of groups',
    caughtBy: 'events.group-created.names-the-group',
    ...changeEvent('GROUP_CREATED', (body) => ({ ...body, groupName: String(body.groupName).slice(0, 100) })),
  },
  {
    name: 'states the local time of New York as UTC',
    caughtBy: 'events.times.of-groups-are-in-utc',
    ...changeEvent('GROUP_CREATED', (body) => ({
      ...body,
      groupCreatedAt: shift(body.groupCreatedAt, -5 * 3_600_000),
    })),
  },
  {
    name: 'reports only the first time that a person joins',
    caughtBy: 'events.participants.every-step',
    ...reportOnce('GROUP_PARTICIPANT_JOINED'),
  },
  {
    name: 'sends events of groups to the webhooks of PSTN numbers',
    caughtBy: 'events.channel.pstn-webhook-gets-its-calls-only',
    webhook: async (hook, send) => {
      if (hook.body.groupId !== undefined)
        await send({ ...hook, url: hook.url.replace('/whatsapp', '/pstn') })
      return send()
    },
  },
  {
    name: 'attempts deliveries again that were accepted',
    caughtBy: 'webhooks.retry.not-after-a-204',
    webhook: async (_, send) => {
      await send()
      await send()
      return send()
    },
  },

  // Fetched records.
  {
    name: 'requires a key only for WhatsApp calls',
    caughtBy: 'fetch.call-id.without-a-key-is-401',
    api: async (call, respond) => {
      const response = await respond()
      if (!isFetch(call) || response.status !== 401) return response
      const found = await respond({ ...call, headers: withHeader(call.headers, 'authorization', ownKey) })
      return found.status === 200 ? found : response
    },
  },
  {
    name: 'finds a call without the last character of its id',
    caughtBy: 'fetch.call-id.cut-is-404',
    ...findById((callId, known) => known.find((each) => callId !== '' && each.startsWith(callId))),
  },
  {
    name: 'looks for calls with LIKE',
    caughtBy: 'fetch.call-id.pattern-is-404',
    ...findById((callId, known) => (callId === '%' ? known[0] : undefined)),
  },
  {
    name: 'returns a summary to any method',
    caughtBy: 'fetch.method.post-is-refused',
    api: (call, respond) => respond(isFetch(call) ? { ...call, method: 'GET' } : call),
  },
  {
    name: 'finds a call by the beginning of its id',
    caughtBy: 'fetch.call-id.longer-is-404',
    api: (call, respond) => {
      const callId = call.query.get('callId') ?? ''
      return isFetch(call) && callId.endsWith('x')
        ? respond({ ...call, query: new URLSearchParams({ callId: callId.slice(0, -1) }) })
        : respond()
    },
  },
]

const rename = (hook: Hook, event: string): Hook => ({
  ...hook,
  headers: withHeader(hook.headers, 'webhook-id', `${hook.headers.get('webhook-id')}-${event}`),
  body: { ...hook.body, event },
})

/** Publishes an event only once for each group. */
function reportOnce(event: string): Mutation {
  const reported = new Set<unknown>()
  return {
    webhook: async (hook, send) => {
      const isAgain = hook.body.event === event && reported.has(hook.body.groupId)
      if (hook.body.event === event) reported.add(hook.body.groupId)
      return isAgain ? new Response(null, { status: 204 }) : send()
    },
  }
}

/** Looks up a fetched call in another way, among the ids whose summaries were fetched before. */
function findById(find: (callId: string, known: readonly string[]) => string | undefined): Mutation {
  const known: string[] = []
  return {
    api: async (call, respond) => {
      const callId = call.query.get('callId') ?? ''
      const response = await respond()
      if (!isFetch(call)) return response
      if (response.status === 200) known.push(callId)
      const found = response.status === 404 ? find(callId, known) : undefined
      return found === undefined
        ? response
        : respond({ ...call, query: new URLSearchParams({ callId: found }) })
    },
  }
}

function returnFirstSpelling(): Mutation {
  const first = new Map<string, string>()
  return returnIdAs((groupId) => {
    const known = first.get(groupId.toLowerCase()) ?? groupId
    first.set(groupId.toLowerCase(), known)
    return known
  })
}

const respell = (body: Fields): Fields => ({
  callStartedAt: String(body.callStartedAt).replace('Z', '+00:00'),
  callEndedAt: String(body.callEndedAt).replace('Z', '000Z'),
  customerNumber: String(body.customerNumber).replace('+', ''),
})

const ringFirst = (body: Fields): Fields => ({ callStartedAt: shift(body.callStartedAt, -4_000) })

/** Correct servers that do otherwise what the specification leaves open. */
export const createFreeServers = (): Readonly<Record<string, Mutation>> => ({
  'refuses group ids with spaces': refuseText('groupId', (groupId) => groupId.includes(' ')),
  'spells the times and numbers of fetched records in another way': change(isFetched, ({ body }) => ({
    body: { data: { ...body, ...respell(body) } },
  })),
  'returns nothing but the summary': change(isFetched, ({ body }) => ({
    body: isObject(body.summary) ? { ...body.summary } : {},
  })),
  'counts the ringing in the times of a call, but not in its duration': {
    ...editRecord(ringFirst),
    ...editEvents((body) => (body.event === 'CALL_AI_SUMMARY' ? ringFirst(body) : {})),
  },
  'states nothing in the events before the summary': editHooks(({ body }) => ({
    body:
      String(body.event).startsWith('CALL_') && body.event !== 'CALL_AI_SUMMARY'
        ? { event: body.event, callId: body.callId, channel: body.channel }
        : body,
  })),
  'leaves fields empty in the events before the summary': editHooks(({ body }) => ({
    body:
      body.event === 'CALL_ENDED'
        ? { ...body, customerNumber: '', callStartedAt: '', callEndedAt: '', durationInSeconds: 0 }
        : body,
  })),
  'sends webhooks with a charset and a type of its own': setType(
    'application/vnd.example+json; charset=utf-8',
  ),
})
