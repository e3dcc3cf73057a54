import type { ApiCall, Hook, Mutation } from './reference.ts'

/** A server that breaks one rule, and the check that must detect it. */
export type BrokenServer = Mutation & {
  readonly name: string
  readonly caughtBy: string
  /** Duration of random sequences in minutes, for mistakes that only they find. */
  readonly minutes?: number
}

type Fields = Readonly<Record<string, unknown>>
type Matches = (call: ApiCall) => boolean
type Sent = { status: number; headers: Headers; body: Record<string, unknown> }

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const readFields = ({ body }: ApiCall): Fields => (isObject(body) ? body : {})
export const isCreate: Matches = ({ method, path }) => method === 'POST' && path.endsWith('/create')
export const isFetch: Matches = ({ path }) => path.endsWith('/ai-summary')
const readKey = ({ headers }: ApiCall): string | null => headers.get('authorization')
export const hasOwnKey: Matches = (call) => readKey(call) === 'wk_acceptance_0123456789'

export const toJson = (status: number, body: unknown, headers: HeadersInit = {}): Response => {
  const all = new Headers(headers)
  all.set('content-type', 'application/json')
  all.delete('content-length')
  return new Response(JSON.stringify(body), { status, headers: all })
}

let generated = 0
export const accept = (matches: Matches): Mutation => ({
  api: async (call, respond) => {
    if (!isCreate(call) || !matches(call)) return respond()
    const { groupId } = readFields(call)
    generated += 1
    return toJson(
      200,
      { success: true, groupId: typeof groupId === 'string' ? groupId : `group-${generated}` },
      { 'x-request-id': `req-${generated}` },
    )
  },
})

/** Accepts otherwise valid requests in which this field matches. */
const acceptField = (name: string, matches: (value: unknown) => boolean): Mutation =>
  accept(
    (call) =>
      hasOwnKey(call) &&
      isObject(call.body) &&
      'subject' in { subject: 1, ...call.body } &&
      matches(call.body[name]) &&
      (name === 'subject' || call.body.subject === 'Acceptance check'),
  )

const refuse = (matches: Matches, status = 400): Mutation => ({
  api: async (call, respond) => {
    const response = await respond()
    if (response.status !== 200 || !isCreate(call) || !matches(call)) return response
    const body = { statusCode: status, error: 'Bad Request', message: 'No.', code: 'invalid_body' }
    return toJson(status, body, response.headers)
  },
})

const refuseField = (name: string, matches: (value: unknown) => boolean): Mutation =>
  refuse((call) => matches(readFields(call)[name]))

/** Changes responses. */
export const change = (
  matches: (call: ApiCall, sent: Sent) => boolean,
  edit: (sent: Sent, call: ApiCall) => Partial<Sent>,
): Mutation => ({
  api: async (call, respond) => {
    const response = await respond()
    const body: unknown = await response.clone().json()
    const sent = {
      status: response.status,
      headers: response.headers,
      body: isObject(body) ? { ...body } : {},
    }
    if (!matches(call, sent)) return response
    const edited = { ...sent, ...edit(sent, call) }
    return toJson(edited.status, edited.body, edited.headers)
  },
})

export const hasStatus =
  (status: number) =>
  (_: ApiCall, sent: Sent): boolean =>
    sent.status === status

const swapStatus = (from: number, to: number, matches: Matches = () => true): Mutation =>
  change(
    (call, sent) => sent.status === from && matches(call),
    () => ({ status: to }),
  )

const omit = (fields: Fields, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))

export const withoutHeader = (headers: Headers, name: string): Headers => {
  const rest = new Headers(headers)
  rest.delete(name)
  return rest
}

export const withHeader = (headers: Headers, name: string, value: string): Headers => {
  const all = new Headers(headers)
  all.set(name, value)
  return all
}

/** Changes the webhook bodies of one event. */
export const changeEvent = (event: string, edit: (body: Fields) => Fields): Mutation => ({
  webhook: (hook, send) => (hook.body.event === event ? send({ ...hook, body: edit(hook.body) }) : send()),
})

const changeSummary = (edit: (body: Fields) => Fields): Mutation => changeEvent('CALL_AI_SUMMARY', edit)
const setSummary = (name: string, value: unknown): Mutation =>
  changeSummary((body) => ({ ...body, [name]: value }))
const setPart = (name: string, value: unknown): Mutation =>
  changeSummary((body) => ({
    ...body,
    summary: { ...(isObject(body.summary) ? body.summary : {}), [name]: value },
  }))

const drop = (event: string): Mutation => ({
  webhook: async (hook, send) => (hook.body.event === event ? new Response(null, { status: 204 }) : send()),
})

const withId = (hook: Hook, id: string): Hook => ({
  ...hook,
  headers: withHeader(hook.headers, 'webhook-id', id),
})

const sendTwice = (matches: (hook: Hook) => boolean): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (response.status === 204 && matches(hook))
      await send(withId(hook, `${hook.headers.get('webhook-id')}-again`))
    return response
  },
})

/** Holds back one event of a call until another one has been sent. */
const sendLater = (event: string, after: string): Mutation => {
  const held = new Map<unknown, () => Promise<Response>>()
  return {
    webhook: async (hook, send) => {
      if (hook.body.event === event) {
        held.set(hook.body.callId, () => send())
        return new Response(null, { status: 204 })
      }
      const response = await send()
      if (hook.body.event === after) await held.get(hook.body.callId)?.()
      return response
    },
  }
}

const setHeader = (name: string, create: (value: string) => string): Mutation => ({
  webhook: (hook, send) =>
    send({ ...hook, headers: withHeader(hook.headers, name, create(hook.headers.get(name) ?? '')) }),
})

/** Publishes a summary along with another event of the same call. */
const inventSummaryAt = (matches: (name: string) => boolean): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (!matches(String(hook.body.event))) return response
    const summary = { recap: 'Invented.', keyPoints: [], nextSteps: [] }
    await send(
      withId(
        { ...hook, body: { ...hook.body, event: 'CALL_AI_SUMMARY', callStatus: 'END', summary } },
        `${hook.headers.get('webhook-id')}-x`,
      ),
    )
    return response
  },
})

const countCharacters = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0)
const isFetched = (call: ApiCall, sent: Sent): boolean => isFetch(call) && sent.status === 200

const webhookToUrl = (port: string, path: string): string => {
  const url = new URL(port)
  url.pathname = path
  return url.href
}

const rememberCreates = (
  respondAgain: (first: Response, count: number) => Promise<Response | undefined>,
): Mutation => {
  const seen = new Map<unknown, number>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined || response.status !== 200) return response
      const count = (seen.get(groupId) ?? 0) + 1
      seen.set(groupId, count)
      return count === 1 ? response : ((await respondAgain(response, count)) ?? response)
    },
  }
}

const createServers = (): BrokenServer[] => [
  // Requests accepted that should be refused.
  {
    name: 'accepts an empty subject',
    caughtBy: 'create.subject.empty-is-400',
    ...acceptField('subject', (value) => value === ''),
  },
  {
    name: 'accepts a missing subject',
    caughtBy: 'create.subject.missing-is-400',
    ...acceptField('subject', (value) => value === undefined),
  },
  {
    name: 'accepts a number as subject',
    caughtBy: 'create.subject.number-is-400',
    ...acceptField('subject', (value) => typeof value === 'number'),
  },
  {
    name: 'accepts null as subject',
    caughtBy: 'create.subject.null-is-400',
    ...acceptField('subject', (value) => value === null),
  },
  {
    name: 'accepts a subject of 129 characters',
    caughtBy: 'create.subject.129-is-400',
    ...acceptField('subject', (value) => typeof value === 'string' && value.length === 129),
  },
  {
    name: 'does not count emoji',
    caughtBy: 'create.subject.129-emoji-is-400',
    ...acceptField('subject', (value) => countCharacters(value) === 129 && String(value).length > 129),
  },
  {
    name: 'accepts a NUL',
    caughtBy: 'create.subject.nul-is-400',
    ...acceptField('subject', (value) => String(value).includes('\0')),
  },
  {
    name: 'accepts a lone surrogate',
    caughtBy: 'create.subject.lone-surrogate-is-400',
    ...acceptField('subject', (value) => String(value).includes('\ud800') && String(value).length < 5),
  },
  {
    name: 'accepts a description of 2049 characters',
    caughtBy: 'create.description.2049-is-400',
    ...acceptField('description', (value) => countCharacters(value) === 2049),
  },
  {
    name: 'accepts a number as description',
    caughtBy: 'create.description.number-is-400',
    ...acceptField('description', (value) => typeof value === 'number'),
  },
  {
    name: 'accepts any join approval mode',
    caughtBy: 'create.join-approval-mode.other-is-400',
    ...acceptField('joinApprovalMode', (value) => value === 'open'),
  },
  {
    name: 'ignores the case of join approval modes',
    caughtBy: 'create.join-approval-mode.upper-case-is-400',
    ...acceptField('joinApprovalMode', (value) => value === 'AUTO_APPROVE'),
  },
  {
    name: 'treats an empty join approval mode as absent',
    caughtBy: 'create.join-approval-mode.empty-is-400',
    ...acceptField('joinApprovalMode', (value) => value === ''),
  },
  {
    name: 'accepts a group id of 51 characters',
    caughtBy: 'create.group-id.51-is-400',
    ...acceptField('groupId', (value) => countCharacters(value) === 51),
  },
  {
    name: 'truncates a long group id',
    caughtBy: 'create.group-id.51-is-400',
    ...acceptField('groupId', (value) => countCharacters(value) > 50),
  },
  {
    name: 'accepts a number as group id',
    caughtBy: 'create.group-id.number-is-400',
    ...acceptField('groupId', (value) => typeof value === 'number'),
  },
  {
    name: 'treats an empty group id as absent',
    caughtBy: 'create.group-id.empty-is-400',
    ...acceptField('groupId', (value) => value === ''),
  },
  {
    name: 'has a default WABA number',
    caughtBy: 'create.waba-number.missing-is-400',
    ...acceptField('wabaNumber', (value) => value === undefined),
  },
  {
    name: 'accepts a JSON number as WABA number',
    caughtBy: 'create.waba-number.number-is-400',
    ...acceptField('wabaNumber', (value) => typeof value === 'number'),
  },
  {
    name: 'accepts a number that no organization has',
    caughtBy: 'create.waba-number.unknown-is-400',
    ...acceptField('wabaNumber', (value) => value === '+19995550000'),
  },
  {
    name: 'accepts a word as WABA number',
    caughtBy: 'create.waba-number.text-is-400',
    ...acceptField('wabaNumber', (value) => value === 'main'),
  },
  {
    name: 'accepts an empty object',
    caughtBy: 'create.body.empty-object-is-400',
    ...accept(({ text }) => text === '{}'),
  },
  { name: 'accepts an array', caughtBy: 'create.body.array-is-400', ...accept(({ text }) => text === '[]') },
  {
    name: 'accepts malformed JSON',
    caughtBy: 'create.body.malformed-json-is-400',
    ...accept((call) => hasOwnKey(call) && call.text === '{"subject":'),
  },
  {
    name: 'accepts a text/plain body',
    caughtBy: 'create.body.text-is-415',
    ...accept(({ headers }) => headers.get('content-type') === 'text/plain'),
  },
  {
    name: 'requires no key',
    caughtBy: 'create.key.missing-is-401',
    ...accept((call) => readKey(call) === null),
  },
  {
    name: 'treats an empty key as valid',
    caughtBy: 'create.key.empty-is-401',
    ...accept((call) => readKey(call) === ''),
  },
  {
    name: 'accepts any key',
    caughtBy: 'create.key.unknown-is-401',
    ...accept((call) => readKey(call)?.startsWith('wk_unknown') === true),
  },
  {
    name: 'looks for the key anywhere in the header',
    caughtBy: 'create.key.prefixed-is-401',
    ...accept((call) => readKey(call)?.startsWith('xwk_') === true),
  },
  {
    name: 'ignores the permissions of keys',
    caughtBy: 'create.other-key.is-403',
    ...accept(
      (call) =>
        readKey(call) === 'wk_acceptance_other_6789' && readFields(call).subject === 'Acceptance check',
    ),
  },
  {
    name: 'creates groups on a disabled integration',
    caughtBy: 'create.disabled-number.is-422',
    ...acceptField('wabaNumber', (value) => value === '+15550190002'),
  },

  // Requests refused that should be accepted.
  {
    name: 'allows only 127 characters',
    caughtBy: 'create.subject.128-is-200',
    ...refuseField('subject', (value) => value === 's'.repeat(128)),
  },
  {
    name: 'counts UTF-16 code units',
    caughtBy: 'create.subject.128-emoji-is-200',
    ...refuseField('subject', (value) => typeof value === 'string' && value.length > 128),
  },
  {
    name: 'requires two characters in a subject',
    caughtBy: 'create.subject.one-character-is-200',
    ...refuseField('subject', (value) => value === 'x'),
  },
  {
    name: 'accepts only ASCII',
    caughtBy: 'create.subject.non-ascii-is-200',
    ...refuseField('subject', (value) => String(value).includes('東')),
  },
  {
    name: 'trims the subject before validating it',
    caughtBy: 'create.subject.whitespace-is-200',
    ...refuseField('subject', (value) => value === ' '),
  },
  {
    name: 'refuses an empty description',
    caughtBy: 'create.description.empty-is-200',
    ...refuseField('description', (value) => value === ''),
  },
  {
    name: 'allows 2047 characters of description',
    caughtBy: 'create.description.2048-is-200',
    ...refuseField('description', (value) => value === 'd'.repeat(2048)),
  },
  {
    name: 'rejects approval_required',
    caughtBy: 'create.join-approval-mode.approval-required-is-200',
    ...refuseField('joinApprovalMode', (value) => value === 'approval_required'),
  },
  {
    name: 'rejects auto_approve',
    caughtBy: 'create.join-approval-mode.auto-approve-is-200',
    ...refuseField('joinApprovalMode', (value) => value === 'auto_approve'),
  },
  {
    name: 'requires a group id',
    caughtBy: 'create.group-id.omitted-is-200',
    ...refuseField('groupId', (value) => value === undefined),
  },
  {
    name: 'allows 49 characters in a group id',
    caughtBy: 'create.group-id.50-is-200',
    ...refuseField('groupId', (value) => countCharacters(value) === 50 && !String(value).includes('🙂')),
  },
  {
    name: 'refuses unknown fields',
    caughtBy: 'create.body.unknown-field-is-200',
    ...refuseField('colorOfTheGroup', (value) => value !== undefined),
  },
  {
    name: 'compares numbers as text',
    caughtBy: 'create.waba-number.other-spelling-is-200',
    ...refuseField('wabaNumber', (value) => value !== '+15550190001'),
  },
  {
    name: 'does not accept Bearer',
    caughtBy: 'create.key.bearer-is-200',
    api: (call, respond) =>
      respond(
        readKey(call)?.startsWith('Bearer')
          ? { ...call, headers: withHeader(call.headers, 'authorization', 'wk_unknown') }
          : call,
      ),
  },

  // Other statuses and bodies.
  { name: 'responds 403 to a missing key', caughtBy: 'create.key.missing-is-401', ...swapStatus(401, 403) },
  {
    name: 'responds 401 to a missing permission',
    caughtBy: 'create.other-key.is-403',
    ...swapStatus(403, 401),
  },
  {
    name: 'responds 404 to an unknown number',
    caughtBy: 'create.waba-number.unknown-is-400',
    ...swapStatus(400, 404, (call) => readFields(call).wabaNumber === '+19995550000'),
  },
  {
    name: 'responds 422 to invalid fields',
    caughtBy: 'create.subject.empty-is-400',
    ...swapStatus(400, 422, isCreate),
  },
  {
    name: 'responds 400 for a disabled integration',
    caughtBy: 'create.disabled-number.is-422',
    ...swapStatus(422, 400, isCreate),
  },
  {
    name: 'responds 500 to malformed JSON',
    caughtBy: 'create.body.malformed-json-is-400',
    ...swapStatus(400, 500, (call) => call.text === '{"subject":'),
  },
  {
    name: 'responds 201 for a new group',
    caughtBy: 'create.valid.is-200',
    ...swapStatus(200, 201, isCreate),
  },
  {
    name: 'returns success: "true"',
    caughtBy: 'create.response.success-is-true',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: { ...body, success: 'true' } }),
    ),
  },
  {
    name: 'omits success',
    caughtBy: 'create.response.success-is-true',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: omit(body, 'success') }),
    ),
  },
  {
    name: 'wraps the response in data',
    caughtBy: 'create.response.fields-are-typed',
    ...change(
      (call, { status }) => isCreate(call) && status === 200,
      ({ body }) => ({ body: { data: body } }),
    ),
  },
  {
    name: 'returns a different id',
    caughtBy: 'create.group-id.is-the-supplied-one',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId !== undefined,
      ({ body }) => ({ body: { ...body, groupId: `own-${body.groupId}` } }),
    ),
  },
  {
    name: 'generates no id',
    caughtBy: 'create.group-id.omitted-is-generated',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
      ({ body }) => ({ body: omit(body, 'groupId') }),
    ),
  },
  {
    name: 'generates the same id every time',
    caughtBy: 'create.group-id.generated-ids-differ',
    ...change(
      (call, { status }) => isCreate(call) && status === 200 && readFields(call).groupId === undefined,
      ({ body }) => ({ body: { ...body, groupId: 'group-1' } }),
    ),
  },
  {
    name: 'sends text/html',
    caughtBy: 'create.response.is-json',
    api: async (call, respond) => {
      const response = await respond()
      return isCreate(call) && response.status === 200
        ? new Response(await response.text(), {
            status: 200,
            headers: withHeader(response.headers, 'content-type', 'text/html'),
          })
        : response
    },
  },

  // Repeated requests.
  {
    name: 'refuses a repeated request',
    caughtBy: 'create.repeat.is-the-same-group',
    ...rememberCreates(async ({ headers }) =>
      toJson(
        422,
        { statusCode: 422, error: 'Unprocessable Content', message: 'Used.', code: 'group_id_conflict' },
        headers,
      ),
    ),
  },
  {
    name: 'creates two groups for one repeat',
    caughtBy: 'create.repeat.is-the-same-group',
    ...rememberCreates(async ({ headers }, count) =>
      toJson(200, { success: true, groupId: `second-${count}` }, headers),
    ),
  },
  {
    name: 'accepts another request with a used id',
    caughtBy: 'create.repeat.changed-is-422',
    ...accept((call) => readFields(call).subject === 'Another subject'),
  },
  {
    name: 'fails on concurrent requests',
    caughtBy: 'create.repeat.concurrent-is-one-group',
    ...rememberCreates(async ({ headers }, count) =>
      count > 4
        ? toJson(
            500,
            { statusCode: 500, error: 'Internal Server Error', message: 'Oops.', code: 'internal_error' },
            headers,
          )
        : undefined,
    ),
  },

  // Fetches.
  {
    name: 'shows summaries without a key',
    caughtBy: 'fetch.key.missing-is-401',
    ...change(
      (call, { status }) => isFetch(call) && status === 401 && readKey(call) === null,
      () => ({ status: 404 }),
    ),
  },
  {
    name: 'shows summaries to any key',
    caughtBy: 'fetch.key.unknown-is-401',
    ...change(
      (call, { status }) => isFetch(call) && status === 401 && readKey(call) !== null,
      () => ({ status: 404 }),
    ),
  },
  {
    name: 'responds 404 without a callId',
    caughtBy: 'fetch.call-id.missing-is-400',
    ...swapStatus(400, 404, isFetch),
  },
  {
    name: 'responds 200 for an unknown call',
    caughtBy: 'fetch.call-id.unknown-is-404',
    ...swapStatus(404, 200, isFetch),
  },
  { name: 'never finds a summary', caughtBy: 'fetch.summary.is-200', ...swapStatus(200, 404, isFetch) },
  {
    name: 'omits keyPoints from the fetched summary',
    caughtBy: 'fetch.summary.has-all-parts',
    ...change(isFetched, ({ body }) => ({
      body: { ...body, summary: omit(isObject(body.summary) ? body.summary : {}, 'keyPoints') },
    })),
  },
  {
    name: 'returns a different recap than the event',
    caughtBy: 'fetch.summary.equals-event',
    ...change(isFetched, ({ body }) => ({
      body: { ...body, summary: { ...(isObject(body.summary) ? body.summary : {}), recap: 'Another.' } },
    })),
  },
  {
    name: 'returns the event with its name',
    caughtBy: 'fetch.summary.is-the-event-without-its-name',
    ...change(isFetched, ({ body }) => ({ body: { event: 'CALL_AI_SUMMARY', ...body } })),
  },
  {
    name: 'omits Retry-After from 202',
    caughtBy: 'fetch.in-progress.retry-after',
    ...change(hasStatus(202), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  { name: 'responds 404 during a call', caughtBy: 'fetch.in-progress.is-202', ...swapStatus(202, 404) },
  {
    name: 'responds 404 for calls without a summary',
    caughtBy: 'fetch.missed.is-422',
    ...swapStatus(422, 404, isFetch),
  },
  {
    name: 'shows every key all calls',
    caughtBy: 'fetch.other-key.whatsapp-call-is-404',
    api: async (call, respond) =>
      isFetch(call) && readKey(call) === 'wk_acceptance_other_6789'
        ? respond({ ...call, headers: withHeader(call.headers, 'authorization', 'wk_acceptance_0123456789') })
        : respond(),
  },

  // Group events.
  { name: 'publishes no GROUP_CREATED', caughtBy: 'events.group-created.follows', ...drop('GROUP_CREATED') },
  {
    name: 'publishes GROUP_CREATED twice',
    caughtBy: 'events.group-created.once',
    ...sendTwice(({ body }) => body.event === 'GROUP_CREATED'),
  },
  {
    name: 'publishes GROUP_CREATED with a different id',
    caughtBy: 'events.group-created.carries-the-group-id',
    ...changeEvent('GROUP_CREATED', (body) => ({ ...body, groupId: 'internal-1' })),
  },
  {
    name: 'omits the name from GROUP_CREATED',
    caughtBy: 'events.group-created.names-the-group',
    ...changeEvent('GROUP_CREATED', (body) => omit(body, 'groupName')),
  },
  {
    name: 'publishes no GROUP_PARTICIPANT_LEFT',
    caughtBy: 'events.participant-left.references-the-group-id',
    ...drop('GROUP_PARTICIPANT_LEFT'),
  },
  {
    name: 'reports a removal as a departure',
    caughtBy: 'events.participant-removed.references-the-group-id',
    ...changeEvent('GROUP_PARTICIPANT_REMOVED', (body) => ({ ...body, event: 'GROUP_PARTICIPANT_LEFT' })),
  },
  {
    name: 'publishes GROUP_PARTICIPANT_JOINED without the group',
    caughtBy: 'events.participant-joined.references-the-group-id',
    ...changeEvent('GROUP_PARTICIPANT_JOINED', (body) => omit(body, 'groupId')),
  },
  {
    name: 'calls every group the same after its creation',
    caughtBy: 'events.participants.fields',
    ...changeEvent('GROUP_PARTICIPANT_LEFT', (body) => ({ ...body, groupName: 'Group' })),
  },

  // Call events.
  { name: 'publishes no CALL_ACCEPTED', caughtBy: 'events.call.all-steps-arrive', ...drop('CALL_ACCEPTED') },
  { name: 'publishes no CALL_ENDED', caughtBy: 'events.call.all-steps-arrive', ...drop('CALL_ENDED') },
  {
    name: 'publishes no CALL_AI_SUMMARY',
    caughtBy: 'events.summary.arrives-for-pstn',
    ...drop('CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes CALL_ENDED twice',
    caughtBy: 'events.call.steps-once',
    ...sendTwice(({ body }) => body.event === 'CALL_ENDED'),
  },
  {
    name: 'publishes CALL_ACCEPTED after CALL_ENDED',
    caughtBy: 'events.call.order',
    ...sendLater('CALL_ACCEPTED', 'CALL_ENDED'),
  },
  {
    name: 'starts every call as an incoming one',
    caughtBy: 'events.call.initiated-matches-the-direction',
    ...changeEvent('CALL_OUTGOING_INITIATED', (body) => ({ ...body, event: 'CALL_INCOMING_INITIATED' })),
  },
  {
    name: 'sends ENDED in CALL_ENDED',
    caughtBy: 'events.call.status',
    ...changeEvent('CALL_ENDED', (body) => ({ ...body, callStatus: 'ENDED' })),
  },
  {
    name: 'publishes an unspecified event',
    caughtBy: 'events.call.only-known-events',
    ...changeEvent('CALL_ACCEPTED', (body) => ({ ...body, event: 'CALL_PICKED_UP' })),
  },
  {
    name: 'sends telephone calls to the WhatsApp webhook',
    caughtBy: 'events.channel.whatsapp-webhook-gets-its-calls-only',
    webhook: (hook, send) =>
      hook.body.channel === 'PSTN' ? send({ ...hook, url: webhookToUrl(hook.url, '/whatsapp') }) : send(),
  },

  // CALL_AI_SUMMARY.
  {
    name: 'publishes the summary twice',
    caughtBy: 'events.summary.once-per-call',
    ...sendTwice(({ body }) => body.event === 'CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes the summary before CALL_ENDED',
    caughtBy: 'events.summary.after-call-ended',
    ...sendLater('CALL_ENDED', 'CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes a summary for every call that starts',
    caughtBy: 'events.summary.none-when-missed',
    ...inventSummaryAt((name) => name.endsWith('_INITIATED')),
  },
  {
    name: 'publishes a summary for every call that ends',
    caughtBy: 'events.summary.none-when-no-recording',
    ...inventSummaryAt((name) => name === 'CALL_ENDED'),
  },
  {
    name: 'names the channel in lower case',
    caughtBy: 'events.summary.channel-is-named',
    ...changeSummary((body) => ({ ...body, channel: String(body.channel).toLowerCase() })),
  },
  {
    name: 'sends INBOUND as the direction',
    caughtBy: 'events.summary.call-direction-is-named',
    ...setSummary('callDirection', 'INBOUND'),
  },
  {
    name: 'sends ENDED in the summary',
    caughtBy: 'events.summary.call-status-is-never-ended',
    ...setSummary('callStatus', 'ENDED'),
  },
  {
    name: 'omits the status from the summary',
    caughtBy: 'events.summary.call-status-is-a-string',
    ...changeSummary((body) => omit(body, 'callStatus')),
  },
  {
    name: 'sends the duration as a string',
    caughtBy: 'events.summary.duration-is-a-number',
    ...setSummary('durationInSeconds', '42'),
  },
  {
    name: 'sends Unix times',
    caughtBy: 'events.summary.started-at-is-iso-8601',
    ...setSummary('callStartedAt', 1_760_000_000),
  },
  {
    name: 'sends an empty end time',
    caughtBy: 'events.summary.ended-at-is-iso-8601',
    ...setSummary('callEndedAt', ''),
  },
  {
    name: 'swaps start and end',
    caughtBy: 'events.summary.ended-at-is-not-before-started-at',
    ...changeSummary((body) => ({
      ...body,
      callStartedAt: body.callEndedAt,
      callEndedAt: body.callStartedAt,
    })),
  },
  {
    name: 'sends local time',
    caughtBy: 'events.summary.timestamps-are-utc',
    ...setSummary('callEndedAt', '2099-01-01T10:00:00+05:30'),
  },
  {
    name: 'swaps from and to',
    caughtBy: 'events.summary.channel-number-equals-from',
    ...changeSummary((body) => ({ ...body, from: body.to, to: body.from })),
  },
  {
    name: 'omits customerNumber',
    caughtBy: 'events.summary.customer-number-equals-to',
    ...changeSummary((body) => omit(body, 'customerNumber')),
  },
  {
    name: 'sends an empty agentNumber',
    caughtBy: 'events.summary.agent-number-absent-not-empty',
    ...changeSummary((body) => ({ agentNumber: '', ...body })),
  },
  {
    name: 'sends null as agentNumber',
    caughtBy: 'events.summary.agent-number-absent-not-empty',
    ...changeSummary((body) => ({ agentNumber: null, ...body })),
  },
  {
    name: 'names an agent in bot calls',
    caughtBy: 'events.summary.agent-number-absent-for-bots',
    ...changeSummary((body) => ({ agentNumber: '+15550190008', ...body })),
  },
  {
    name: 'sends an unspecified call type',
    caughtBy: 'events.summary.call-type-is-named',
    ...setSummary('callType', 'BOT'),
  },
  {
    name: 'sends an unspecified trigger',
    caughtBy: 'events.summary.triggered-via-is-named',
    ...setSummary('triggeredVia', 'app'),
  },
  {
    name: 'sends the summary as a string',
    caughtBy: 'events.summary.has-a-summary',
    ...setSummary('summary', 'The customer asked.'),
  },
  {
    name: 'omits the recap',
    caughtBy: 'events.summary.recap-is-a-string',
    ...setPart('recap', undefined),
  },
  {
    name: 'sends key points as a single string',
    caughtBy: 'events.summary.key-points-are-strings',
    ...setPart('keyPoints', 'one, two'),
  },
  {
    name: 'sends null as next steps',
    caughtBy: 'events.summary.next-steps-are-strings',
    ...setPart('nextSteps', null),
  },
  {
    name: 'sends a different call id in the summary',
    caughtBy: 'events.call.all-steps-arrive',
    ...changeSummary((body) => ({ ...body, callId: `summary-${body.callId}` })),
  },
  {
    name: 'forgets a summary that could not be delivered',
    caughtBy: 'events.summary.failed-delivery-keeps-the-summary',
    ...forgetUndelivered(),
  },
  {
    name: 'lets the summary overtake a failed CALL_ENDED',
    caughtBy: 'events.summary.waits-for-a-failed-call-ended',
    webhook: async (hook, send) => {
      const response = await send()
      if (hook.body.event === 'CALL_ENDED' && response.status === 500) {
        const summary = { recap: 'Early.', keyPoints: [], nextSteps: [] }
        await send(withId({ ...hook, body: { ...hook.body, event: 'CALL_AI_SUMMARY', summary } }, 'early'))
      }
      return response
    },
  },

  // Deliveries.
  {
    name: 'does not sign',
    caughtBy: 'webhooks.signature.is-valid',
    ...setHeader('webhook-signature', () => 'none'),
  },
  {
    name: 'signs with another secret',
    caughtBy: 'webhooks.signature.is-valid',
    ...setHeader('webhook-signature', () => `v2,${Buffer.alloc(32).toString('base64')}`),
  },
  {
    name: 'sends the timestamp in milliseconds',
    caughtBy: 'webhooks.timestamp.is-now',
    ...setHeader('webhook-timestamp', (value) => `${value}000`),
  },
  {
    name: 'gives every event the same webhook-id',
    caughtBy: 'webhooks.id.is-unique',
    ...setHeader('webhook-id', () => 'evt_1'),
  },
  {
    name: 'gives every attempt a different webhook-id',
    caughtBy: 'webhooks.retry.keeps-the-id',
    ...countAttempts((hook, attempt) => withId(hook, `${hook.headers.get('webhook-id')}-${attempt}`)),
  },
  {
    name: 'changes the body of a second attempt',
    caughtBy: 'webhooks.retry.keeps-the-body',
    ...countAttempts((hook, attempt) => ({ ...hook, body: { ...hook.body, attempt } })),
  },
  {
    name: 'does not retry',
    caughtBy: 'webhooks.retry.follows-a-failure',
    webhook: async (_, send) => {
      await send()
      return new Response(null, { status: 204 })
    },
  },
  {
    name: 'follows redirects',
    caughtBy: 'webhooks.redirect.is-not-followed',
    webhook: async (hook, send) => {
      const response = await send()
      const location = response.headers.get('location')
      return location === null ? response : send({ ...hook, url: new URL(location, hook.url).href })
    },
  },
  {
    name: 'omits the event name',
    caughtBy: 'webhooks.event.is-named',
    ...changeEvent('GROUP_CREATED', (body) => omit(body, 'event')),
  },

  // Errors and limits.
  {
    name: 'sends no error codes',
    caughtBy: 'errors.body.has-the-documented-fields',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: omit(body, 'code') }),
    ),
  },
  {
    name: 'sends a different status in the body',
    caughtBy: 'errors.body.status-code-is-the-status',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: { ...body, statusCode: 500 } }),
    ),
  },
  {
    name: 'sends Error as every message',
    caughtBy: 'errors.body.error-is-the-reason-phrase',
    ...change(
      (_, { status }) => status >= 400,
      ({ body }) => ({ body: { ...body, error: 'Error' } }),
    ),
  },
  {
    name: 'names no invalid field',
    caughtBy: 'errors.body.issues-name-the-field',
    ...change(
      (_, { status }) => status === 400,
      ({ body }) => ({ body: omit(body, 'issues') }),
    ),
  },
  {
    name: 'sends the same code for all invalid fields',
    caughtBy: 'errors.code.invalid-description',
    ...change(
      (call, { status }) => isCreate(call) && status === 400,
      ({ body }) => ({ body: { ...body, code: 'invalid_body' } }),
    ),
  },
  {
    name: 'sends HTML pages for errors',
    caughtBy: 'errors.body.is-json',
    api: async (_, respond) => {
      const response = await respond()
      return response.status < 400
        ? response
        : new Response('<h1>Error</h1>', { status: response.status, headers: response.headers })
    },
  },
  {
    name: 'sends no request ids',
    caughtBy: 'errors.request-id.is-present',
    ...change(
      () => true,
      ({ headers }) => ({ headers: withoutHeader(headers, 'x-request-id') }),
    ),
  },
  {
    name: 'repeats the key',
    caughtBy: 'errors.key.is-not-repeated',
    ...change(hasStatus(401), ({ body }, call) => ({
      body: { ...body, message: `The key ${readKey(call)} is invalid.` },
    })),
  },
  {
    name: 'names no allowed method',
    caughtBy: 'errors.method-not-allowed.names-the-allowed',
    ...change(hasStatus(405), ({ headers }) => ({ headers: withoutHeader(headers, 'allow') })),
  },
  {
    name: 'omits Retry-After from 429',
    caughtBy: 'limits.429.retry-after',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withoutHeader(headers, 'retry-after') })),
  },
  {
    name: 'sends Retry-After as a date',
    caughtBy: 'limits.429.retry-after',
    ...change(hasStatus(429), ({ headers }) => ({
      headers: withHeader(headers, 'retry-after', new Date().toUTCString()),
    })),
  },
  {
    name: 'sends 429 without a body',
    caughtBy: 'limits.429.is-json',
    api: async (_, respond) => {
      const response = await respond()
      return response.status === 429
        ? new Response(null, { status: 429, headers: response.headers })
        : response
    },
  },
  {
    name: 'omits the RateLimit headers',
    caughtBy: 'limits.429.ratelimit',
    ...change(hasStatus(429), ({ headers }) => ({ headers: withoutHeader(headers, 'ratelimit') })),
  },

  // Mistakes that only a sequence of requests reveals.
  {
    name: 'fails when an id was refused before',
    caughtBy: 'random.sequences.follow-the-specification',
    minutes: 0.1,
    ...failForRefusedIds(),
  },
  {
    name: 'forgets a group after a repeat',
    caughtBy: 'random.sequences.follow-the-decisions',
    minutes: 0.1,
    ...forgetAfterRepeat(),
  },
]

const deny = (headers: Headers): Response =>
  toJson(
    404,
    { statusCode: 404, error: 'Not Found', message: 'There is no summary.', code: 'summary_not_found' },
    headers,
  )

function forgetUndelivered(): Mutation {
  const forgotten = new Set<unknown>()
  return {
    webhook: async (hook, send) => {
      const response = await send()
      if (hook.body.event === 'CALL_AI_SUMMARY' && response.status === 500) forgotten.add(hook.body.callId)
      return response
    },
    api: async (call, respond) => {
      const response = await respond()
      return isFetch(call) && forgotten.has(call.query.get('callId')) ? deny(response.headers) : response
    },
  }
}

function countAttempts(edit: (hook: Hook, attempt: number) => Hook): Mutation {
  const attempts = new Map<string, number>()
  return {
    webhook: (hook, send) => {
      const id = hook.headers.get('webhook-id') ?? ''
      const attempt = (attempts.get(id) ?? 0) + 1
      attempts.set(id, attempt)
      return send(edit(hook, attempt))
    },
  }
}

function failForRefusedIds(): Mutation {
  const refused = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId } = readFields(call)
      if (!isCreate(call) || groupId === undefined) return response
      if (response.status === 400) refused.add(groupId)
      if (response.status !== 200 || !refused.has(groupId)) return response
      const body = {
        statusCode: 500,
        error: 'Internal Server Error',
        message: 'Oops.',
        code: 'internal_error',
      }
      return toJson(500, body, response.headers)
    },
  }
}

function forgetAfterRepeat(): Mutation {
  const seen = new Set<unknown>()
  const forgotten = new Set<unknown>()
  return {
    api: async (call, respond) => {
      const response = await respond()
      const { groupId, subject } = readFields(call)
      if (
        !isCreate(call) ||
        groupId === undefined ||
        subject === 'Acceptance check' ||
        subject === 'Another subject'
      )
        return response
      if (response.status === 200 && seen.has(groupId)) forgotten.add(groupId)
      if (response.status === 200) seen.add(groupId)
      return response.status === 422 && forgotten.has(groupId)
        ? toJson(200, { success: true, groupId }, response.headers)
        : response
    },
  }
}

/** Creates servers that each break one rule. Mutations keep state, so each run needs new ones. */
export const createBrokenServers = createServers
