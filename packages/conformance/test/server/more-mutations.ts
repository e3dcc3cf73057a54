import type { BrokenServer } from './mutations.ts'
import {
  accept,
  change,
  changeEvent,
  hasOwnKey,
  hasStatus,
  isCreate,
  isFetch,
  isObject,
  readFields,
  toJson,
  withHeader,
  withoutHeader,
} from './mutations.ts'
import type { ApiCall, Hook, Mutation } from './reference.ts'

const isValidBut = (matches: (call: ApiCall) => boolean): Mutation =>
  accept((call) => hasOwnKey(call) && isObject(call.body) && matches(call))

const acceptText = (name: string, part: string): Mutation =>
  isValidBut((call) => String(readFields(call)[name] ?? '').includes(part))

const swap = (first: string, second: string): Mutation => ({
  webhook: (hook, send) => {
    const { event } = hook.body
    const other = event === first ? second : event === second ? first : undefined
    return other === undefined ? send() : send({ ...hook, body: { ...hook.body, event: other } })
  },
})

/** Responds to every fetch with the first summary that was ever fetched. */
const mixUpSummaries = (): Mutation => {
  let first: Record<string, unknown> | undefined
  return change(
    (call, { status }) => isFetch(call) && status === 200,
    ({ body }) => {
      first ??= body
      return { body: first }
    },
  )
}

/** Responds to every fetch with the latest summary. */
const returnLatest = (): Mutation => {
  let latest: Record<string, unknown> | undefined
  return {
    ...change(
      (call, { status }) => isFetch(call) && status === 200,
      ({ body }) => ({ body: latest ?? body }),
    ),
    webhook: (hook, send) => {
      const { event, ...summary } = hook.body
      if (event === 'CALL_AI_SUMMARY') latest = summary
      return send()
    },
  }
}

/** Responds that pending summaries may be fetched again after 0 s, except for the first calls. */
const rushAfter = (calls: number): Mutation => {
  const seen = new Set<string | null>()
  return change(
    (call, { status }) => status === 202 && seen.add(call.query.get('callId')).size > calls,
    ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') }),
  )
}

const repeatGeneratedIds = (): Mutation => {
  let count = 0
  return change(
    (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
    ({ body }) => {
      count += 1
      return { body: { ...body, groupId: `group-${count % 4}` } }
    },
  )
}

const spoilSignature = (event: string): Mutation => ({
  webhook: (hook, send) => {
    if (hook.body.event !== event) return send()
    const wrong = `v0,${hook.headers.get('webhook-signature')?.slice(3)}`
    return send({ ...hook, headers: withHeader(hook.headers, 'webhook-signature', wrong) })
  },
})

/** Sends one of several signatures, with the signed body. */
const keepSignature = (index: number): Mutation => ({
  webhook: ({ url, headers, body }) => {
    const signatures = headers.get('webhook-signature')?.split(' ') ?? []
    const kept = withHeader(headers, 'webhook-signature', signatures[index] ?? signatures[0] ?? '')
    return fetch(url, { method: 'POST', headers: kept, body: JSON.stringify(body), redirect: 'manual' })
  },
})

const addForeign = (change: (hook: Hook) => Hook): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (hook.body.event === 'CALL_ENDED' || hook.body.event === 'GROUP_CREATED') {
      const foreign = change(hook)
      await send({
        ...foreign,
        headers: withHeader(foreign.headers, 'webhook-id', `evt_foreign_${Math.random()}`),
      })
    }
    return response
  },
})

const later = (text: unknown): string => new Date(Date.parse(String(text)) + 3_600_000).toISOString()

/** Servers that break rules found in later trials, which earlier ones reported as advice or missed. */
export const createMoreBrokenServers = (): BrokenServer[] => [
  {
    name: 'signs CALL_ENDED wrongly',
    caughtBy: 'webhooks.signature.is-valid',
    ...spoilSignature('CALL_ENDED'),
  },
  {
    name: 'signs GROUP_CREATED wrongly',
    caughtBy: 'webhooks.signature.is-valid',
    ...spoilSignature('GROUP_CREATED'),
  },
  {
    name: 'signs GROUP_PARTICIPANT_JOINED wrongly',
    caughtBy: 'webhooks.signature.is-valid',
    ...spoilSignature('GROUP_PARTICIPANT_JOINED'),
  },
  {
    name: 'signs CALL_AI_SUMMARY wrongly',
    caughtBy: 'webhooks.signature.is-valid',
    ...spoilSignature('CALL_AI_SUMMARY'),
  },
  {
    name: 'returns the summary of another call',
    caughtBy: 'fetch.summary.is-of-this-call',
    ...mixUpSummaries(),
  },
  {
    name: 'returns the summary of the latest call',
    caughtBy: 'fetch.summary.is-of-this-call',
    ...returnLatest(),
  },
  {
    name: 'returns 200 and no summary while it is pending',
    caughtBy: 'fetch.response.200-is-a-summary',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 202,
      () => ({ status: 200, body: { status: 'pending' } }),
    ),
  },
  {
    name: 'returns 200 and an empty object for an unknown call',
    caughtBy: 'fetch.response.200-is-a-summary',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 404,
      () => ({ status: 200, body: {} }),
    ),
  },
  {
    name: 'writes group ids in lower case',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...change(
      (call, sent) => isCreate(call) && sent.status === 200,
      ({ body }) => ({ body: { ...body, groupId: String(body.groupId).toLowerCase() } }),
    ),
  },
  {
    name: 'limits bodies to 60 KiB',
    caughtBy: 'create.body.64-kib-is-200',
    api: async (call, respond) => {
      const response = await respond()
      const isLarge = isCreate(call) && (call.text?.length ?? 0) > 60 * 1_024 && response.status === 200
      const body = { statusCode: 413, error: 'Payload Too Large', message: 'No.', code: 'body_too_large' }
      return isLarge ? toJson(413, body, response.headers) : response
    },
  },
  {
    name: 'accepts NUL in a group id',
    caughtBy: 'create.group-id.nul-is-400',
    ...acceptText('groupId', '\0'),
  },
  {
    name: 'accepts NUL in a description',
    caughtBy: 'create.description.nul-is-400',
    ...acceptText('description', '\0'),
  },
  {
    name: 'accepts a lone surrogate in a group id',
    caughtBy: 'create.group-id.lone-surrogate-is-400',
    ...acceptText('groupId', '\ud800'),
  },
  {
    name: 'accepts any content type that ends in +json',
    caughtBy: 'create.body.json-suffix-is-415',
    ...isValidBut(({ headers }) => headers.get('content-type') === 'application/vnd.api+json'),
  },
  {
    name: 'reports that a participant left before it joined',
    caughtBy: 'events.participants.left-after-joined',
    ...swap('GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'),
  },
  {
    name: 'states that a call ends in an hour',
    caughtBy: 'events.times.are-not-in-the-future',
    ...changeEvent('CALL_ENDED', (body) => ({ ...body, callEndedAt: later(body.callEndedAt) })),
  },
  {
    name: 'states that a group will be created in an hour',
    caughtBy: 'events.times.are-not-in-the-future',
    ...changeEvent('GROUP_CREATED', (body) => ({ ...body, groupCreatedAt: later(body.groupCreatedAt) })),
  },
  {
    name: 'sends no Retry-After for a pending summary',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  {
    name: 'allows fetching a pending summary again after 0 s',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') })),
  },
  {
    name: 'after two calls, allows fetching a pending summary again after 0 s',
    caughtBy: 'fetch.in-progress.retry-after',
    ...rushAfter(2),
  },
  {
    name: 'allows a limited client to retry after 0 s',
    caughtBy: 'limits.429.retry-after',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withHeader(headers, 'retry-after', '0') })),
  },
  {
    name: 'returns errors as HTML',
    caughtBy: 'errors.body.is-json',
    api: async (_, respond) => {
      const response = await respond()
      if (response.status < 400) return response
      return new Response('<h1>Error</h1>', {
        status: response.status,
        headers: withHeader(response.headers, 'content-type', 'text/html'),
      })
    },
  },
  {
    name: 'names another customer in the summary',
    caughtBy: 'events.summary.names-the-customer-of-its-call',
    ...changeEvent('CALL_AI_SUMMARY', (body) => ({ ...body, customerNumber: '+15550190099' })),
  },
  {
    name: 'generates duplicate group ids',
    caughtBy: 'create.group-id.generated-ids-stay-different',
    ...repeatGeneratedIds(),
  },
  {
    name: "also publishes other customers' calls",
    caughtBy: 'events.subject.belongs-to-the-run',
    ...addForeign((hook) => ({
      ...hook,
      body: { ...hook.body, callId: 'call_of_others', groupId: undefined },
    })),
  },
  {
    name: "also publishes other customers' groups",
    caughtBy: 'events.subject.belongs-to-the-run',
    ...addForeign((hook) => ({
      ...hook,
      body: { ...hook.body, groupId: 'group_of_others', callId: undefined },
    })),
  },
  {
    name: 'treats 409 as success',
    caughtBy: 'webhooks.deferral.is-attempted-again',
    webhook: async (_, send) => {
      const response = await send()
      return response.status === 409 ? new Response(null, { status: 204 }) : response
    },
  },
  {
    name: 'sends no static headers',
    caughtBy: 'webhooks.headers.are-sent',
    webhook: (hook, send) => send({ ...hook, headers: withoutHeader(hook.headers, 'x-acceptance') }),
  },
  {
    name: 'signs only with the new secret after a rotation',
    caughtBy: 'webhooks.rotation.both-secrets-sign',
    ...keepSignature(0),
  },
  {
    name: 'signs only with the previous secret after a rotation',
    caughtBy: 'webhooks.rotation.both-secrets-sign',
    ...keepSignature(1),
  },
  {
    name: 'continues after 410',
    caughtBy: 'webhooks.gone.disables-the-subscription',
    webhook: async (_, send) => {
      const response = await send()
      return response.status === 410 ? new Response(null, { status: 204 }) : response
    },
  },
  {
    name: 'reports a summary as pending that was never requested',
    caughtBy: 'fetch.manual.is-404',
    ...change(
      (call, sent) => isFetch(call) && sent.status === 404 && /^call_/.test(call.query.get('callId') ?? ''),
      ({ headers }) => ({ status: 202, headers: withHeader(headers, 'retry-after', '5') }),
    ),
  },
]

/** Correct servers in other styles, with permitted behavior. */
export const createUnusualServers = (): Readonly<Record<string, Mutation>> => ({
  'delivers every event twice under one id': {
    webhook: async (_, send) => {
      const response = await send()
      if (response.status === 204) await send()
      return response
    },
  },
  'adds a field to every event': {
    webhook: (hook, send) => send({ ...hook, body: { ...hook.body, region: 'eu' } }),
  },
  'adds headers to every response': change(
    () => true,
    ({ headers }) => ({ headers: withHeader(headers, 'server', 'nginx') }),
  ),
  'waits before it responds': {
    api: async (_, respond) => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return respond()
    },
  },
  'signs with two secrets': {
    webhook: (hook, send) => {
      const signature = hook.headers.get('webhook-signature') ?? ''
      const both = `${signature} v1,${Buffer.alloc(32).toString('base64')}`
      return send({ ...hook, headers: withHeader(hook.headers, 'x-webhook-signature', both) })
    },
  },
})
