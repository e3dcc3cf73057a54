import type { ApiCall, Hook, Mutation } from './reference.ts'

/** A server that breaks one rule, and the check that must detect it. */
export type BrokenServer = Mutation & {
  readonly name: string
  readonly caughtBy: string
  /** Duration of random sequences in minutes, for mistakes that only they find. */
  readonly minutes?: number
}

export type Fields = Readonly<Record<string, unknown>>

export type Matches = (call: ApiCall) => boolean

export type Sent = { status: number; headers: Headers; body: Record<string, unknown> }

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readFields = ({ body }: ApiCall): Fields => (isObject(body) ? body : {})

export const isCreate: Matches = ({ method, path }) => method === 'POST' && path.endsWith('/create')

export const isFetch: Matches = ({ path }) => path.endsWith('/ai-summary')

export const readKey = ({ headers }: ApiCall): string | null => headers.get('authorization')

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
export const acceptField = (name: string, matches: (value: unknown) => boolean): Mutation =>
  accept(
    (call) =>
      hasOwnKey(call) &&
      isObject(call.body) &&
      'subject' in { subject: 1, ...call.body } &&
      matches(call.body[name]) &&
      (name === 'subject' || call.body.subject === 'Acceptance check'),
  )

export const refuse = (matches: Matches, status = 400): Mutation => ({
  api: async (call, respond) => {
    const response = await respond()
    if (response.status !== 200 || !isCreate(call) || !matches(call)) return response
    const body = { statusCode: status, error: 'Bad Request', message: 'No.', code: 'invalid_body' }
    return toJson(status, body, response.headers)
  },
})

export const refuseField = (name: string, matches: (value: unknown) => boolean): Mutation =>
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

export const swapStatus = (from: number, to: number, matches: Matches = () => true): Mutation =>
  change(
    (call, sent) => sent.status === from && matches(call),
    () => ({ status: to }),
  )

export const omit = (fields: Fields, name: string): Record<string, unknown> =>
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

export const changeSummary = (edit: (body: Fields) => Fields): Mutation =>
  changeEvent('CALL_AI_SUMMARY', edit)

export const drop = (event: string): Mutation => ({
  webhook: async (hook, send) => (hook.body.event === event ? new Response(null, { status: 204 }) : send()),
})

export const withId = (hook: Hook, id: string): Hook => ({
  ...hook,
  headers: withHeader(hook.headers, 'webhook-id', id),
})

export const sendTwice = (matches: (hook: Hook) => boolean): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (response.status === 204 && matches(hook))
      await send(withId(hook, `${hook.headers.get('webhook-id')}-again`))
    return response
  },
})

/** Holds back one event of a call until another one has been sent. */
export const sendLater = (event: string, after: string): Mutation => {
  const held = new Map<unknown, () => Promise<Response>>()
  return {
    webhook: async (hook, send) => {
      if (hook.body.event === event) {
        held.set(hook.body.callId ?? hook.body.groupId, () => send())
        return new Response(null, { status: 204 })
      }
      const response = await send()
      if (hook.body.event === after) await held.get(hook.body.callId ?? hook.body.groupId)?.()
      return response
    },
  }
}

export const countCharacters = (value: unknown): number => (typeof value === 'string' ? [...value].length : 0)

export const isFetched = (call: ApiCall, sent: Sent): boolean => isFetch(call) && sent.status === 200

export const isValidBut = (matches: (call: ApiCall) => boolean): Mutation =>
  accept((call) => hasOwnKey(call) && isObject(call.body) && matches(call))

export const acceptText = (name: string, part: string): Mutation =>
  isValidBut((call) => String(readFields(call)[name] ?? '').includes(part))

export const ownKey = 'wk_acceptance_0123456789'

/** Accepts a request if it would be valid with this other value of a field. */
export const acceptAs = (name: string, read: (value: string) => string): Mutation => ({
  api: (call, respond) => {
    const value = readFields(call)[name]
    if (!isCreate(call) || typeof value !== 'string') return respond()
    const text = JSON.stringify({ ...readFields(call), [name]: read(value) })
    return respond({ ...call, text, body: JSON.parse(text) })
  },
})

export const refuseText = (name: string, isLong: (text: string) => boolean): Mutation => ({
  api: async (call, respond) => {
    const value = readFields(call)[name]
    if (!hasOwnKey(call) || typeof value !== 'string' || !isLong(value)) return respond()
    return toJson(400, { statusCode: 400, error: 'Bad Request', message: 'Too long.', code: 'invalid_body' })
  },
})

export const editHooks = (edit: (hook: Hook) => Partial<Hook>): Mutation => ({
  webhook: (hook, send) => send({ ...hook, ...edit(hook) }),
})

export const editEvents = (edit: (body: Fields) => Fields): Mutation =>
  editHooks(({ body }) => ({ body: { ...body, ...edit(body) } }))

export const editRecord = (edit: (body: Fields) => Fields): Mutation =>
  change(isFetched, ({ body }) => ({ body: { ...body, ...edit(body) } }))

export const swapParties = (body: Fields): Fields =>
  'from' in body
    ? { from: body.to, to: body.from, channelNumber: body.customerNumber, customerNumber: body.channelNumber }
    : {}

export const shift = (time: unknown, ms: number): string =>
  new Date(Date.parse(String(time)) + ms).toISOString()

export const setType = (type: string): Mutation =>
  editHooks(({ headers }) => ({ headers: withHeader(headers, 'content-type', type) }))

export const countGraphemes = (text: string): number => [...new Intl.Segmenter().segment(text)].length

/** Accepts a text that is too long in code points, but not in graphemes. */
export const countingGraphemes = (name: string, limit: number): Mutation =>
  acceptAs(name, (text) => ([...text].length > limit && countGraphemes(text) <= limit ? 'short' : text))

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
