// Services that differ as live ones are published or reported to differ. Written from those facts, not from the probe.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export const serviceKey = 'live-key-5b1e07c2a94f'
export const wabaNumber = '+12025550188'
export const subject = 'Order 77-secret'
export const pstnCall = 'call_pstn_91x'
export const whatsAppCall = 'call_wa_44y'

type Asked = {
  readonly method: string
  readonly path: string
  readonly callId: string | null
  readonly authorization: string | undefined
  readonly ownHeader: string | undefined
  readonly body: Record<string, unknown>
  /** Number of the request, from 1. */
  readonly count: number
}

type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

export type Service = {
  readonly differs: string
  respond(asked: Asked): Reply
  /** State of the PSTN call. @default it has a summary */
  readonly pstn?: 'pending' | 'never'
  /** Every question that this service answers, with the statuses of its responses, or that a key is accepted. Nothing else can be known. */
  readonly knows: Readonly<Record<string, readonly (number | 'accepted')[]>>
}

const summary = {
  callId: pstnCall,
  channel: 'PSTN',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-05T10:00:00.000Z',
  callEndedAt: '2026-01-05T10:00:42.000Z',
  from: '+12025550188',
  to: '+12025550143',
  channelNumber: '+12025550188',
  customerNumber: '+12025550143',
  agentNumber: '+12025550117',
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  summary: { recap: 'Private words.', keyPoints: ['private'], nextSteps: [] },
}

const refuse = (statusCode: number, message: unknown, error?: string): Reply => ({
  status: statusCode,
  json: { statusCode, message, ...(error !== undefined && { error }) },
})

type Rules = {
  /** Whether the key may be read from these headers. */
  acceptsFetch?(asked: Asked): boolean
  acceptsCreate?(asked: Asked): boolean
  readonly wrongKey?: 401 | 403
  readonly unknownCall?: (asked: Asked) => Reply
  readonly record?: Reply
  readonly whatsApp?: Reply
  readonly noCallId?: Reply
  readonly unknownPath?: (asked: Asked) => Reply
  readonly wrongMethod?: (asked: Asked) => Reply
  create?(asked: Asked): Reply
}

const hasKey = ({ authorization, ownHeader }: Asked): boolean =>
  authorization !== undefined || ownHeader !== undefined

/** A service that follows the published pages in what it does not change. */
const publish = (rules: Rules): Service['respond'] => {
  const {
    acceptsFetch = ({ authorization }) => authorization === serviceKey,
    acceptsCreate = ({ ownHeader }) => ownHeader === serviceKey,
    wrongKey = 403,
    unknownCall = () => refuse(404, 'No such call', 'Not Found'),
    record = { status: 200, json: summary },
    whatsApp = refuse(404, 'No such call', 'Not Found'),
    noCallId = refuse(400, ['callId must be a string'], 'Bad Request'),
    unknownPath = ({ method, path }) => refuse(404, `Cannot ${method} ${path}`, 'Not Found'),
    wrongMethod = unknownPath,
    create = ({ body }) => ({
      status: 200,
      json: { success: true, groupId: body.groupId, wabaNumber: body.wabaNumber },
    }),
  } = rules
  return (asked) => {
    if (asked.path === '/whatsapp/wa-group/create') {
      if (asked.method !== 'POST') return wrongMethod(asked)
      return acceptsCreate(asked) ? create(asked) : refuse(401, 'Unauthorized')
    }
    if (asked.path !== '/v1/call/ai-summary') return unknownPath(asked)
    if (!acceptsFetch(asked)) {
      const isOther = asked.authorization === undefined || asked.authorization === serviceKey
      return hasKey(asked) && !isOther && wrongKey === 403
        ? refuse(403, 'Forbidden resource', 'Forbidden')
        : refuse(401, 'Unauthorized')
    }
    if (asked.callId === null) return noCallId
    if (asked.callId === pstnCall) return record
    return asked.callId === whatsAppCall ? whatsApp : unknownCall(asked)
  }
}

/** What is known of a service that answers every question as published. */
const published: Service['knows'] = {
  'fetch.missing-key': [401],
  'fetch.wrong-key': [403],
  'fetch.key.authorization': ['accepted'],
  'fetch.key.bearer': [403],
  'fetch.key.x-public-api-key': [401],
  'fetch.key.both': ['accepted'],
  'fetch.unknown-call': [404],
  'fetch.missing-call-id': [400],
  'fetch.summary.PSTN': [200],
  'fetch.summary.WHATSAPP': [404],
  'create.key.x-public-api-key': ['accepted'],
  'create.response': [200],
  'wrong-method': [404],
  'unknown-path': [404],
}

const without = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(published).filter(([name]) => !names.includes(name)))

const isEither = ({ authorization, ownHeader }: Asked): boolean =>
  [serviceKey, `Bearer ${serviceKey}`].includes(authorization ?? '') || ownHeader === serviceKey

const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  text: `<html><h1>${status}</h1></html>`,
})

const { summary: texts, ...call } = summary

export const services: readonly Service[] = [
  { differs: 'in nothing from the published pages', respond: publish({}), knows: published },
  {
    differs: 'in its headers: either, with or without Bearer; a wrong key is 401 with WWW-Authenticate',
    respond: (asked) => {
      const reply = publish({ acceptsFetch: isEither, acceptsCreate: isEither, wrongKey: 401 })(asked)
      return reply.status === 401 ? { ...reply, headers: { 'www-authenticate': 'Bearer' } } : reply
    },
    knows: {
      ...published,
      'fetch.wrong-key': [401],
      'fetch.key.bearer': ['accepted'],
      'fetch.key.x-public-api-key': ['accepted'],
    },
  },
  {
    differs: 'in front of it: a proxy whose errors are HTML, and an empty 405',
    respond: publish({
      unknownPath: () => html(404),
      wrongMethod: () => ({ status: 405, headers: { allow: 'POST' } }),
      noCallId: { status: 422, headers: { 'x-request-id': 'r-1' }, text: 'callId is missing' },
    }),
    knows: { ...published, 'wrong-method': [405], 'fetch.missing-call-id': [422] },
  },
  {
    differs: 'in the record: in data, with a text as summary; WhatsApp calls have one',
    respond: publish({
      record: {
        status: 200,
        json: { success: true, data: { ...call, agentNumber: '', summary: texts.recap } },
      },
      whatsApp: { status: 200, json: { ...texts, unknownName: 'Ada' } },
    }),
    knows: { ...published, 'fetch.summary.WHATSAPP': [200] },
  },
  {
    differs: 'in its organization: without PSTN calling, every key gets 403',
    respond: publish({ acceptsFetch: () => false, acceptsCreate: isEither }),
    knows: {
      ...without(
        'fetch.unknown-call',
        'fetch.missing-call-id',
        'fetch.summary.PSTN',
        'fetch.summary.WHATSAPP',
      ),
      'fetch.key.authorization': [401],
      'fetch.key.both': [401],
    },
  },
  {
    differs: 'in its limit: the fourth request is too many, until a date',
    respond: (asked) =>
      asked.count > 3
        ? {
            ...refuse(429, 'Slow down', 'Too Many Requests'),
            headers: { 'retry-after': 'Sun, 01 Mar 2026 10:00:00 GMT' },
          }
        : publish({})(asked),
    knows: {
      'fetch.missing-key': [401],
      'fetch.key.authorization': ['accepted'],
      'fetch.unknown-call': [404],
      'fetch.key.x-public-api-key': [401],
      'rate-limited': [429],
    },
  },
  {
    differs: 'in waiting: 202 with Retry-After and a status',
    pstn: 'pending',
    respond: publish({
      record: { status: 202, headers: { 'retry-after': '5' }, json: { status: 'PENDING' } },
    }),
    knows: { ...without('fetch.summary.PSTN'), 'fetch.pending': [202] },
  },
  {
    differs: 'in never: 422 with a code; groups need Authorization, and get an id of the service',
    pstn: 'never',
    respond: publish({
      record: { status: 422, json: { statusCode: 422, message: 'Too short', code: 'TOO_SHORT' } },
      acceptsCreate: ({ authorization }) => authorization === serviceKey,
      create: () => ({ status: 200, json: { groupId: '66f1c0ffee', wabaNumber: '12025550188' } }),
    }),
    knows: {
      ...without('fetch.summary.PSTN'),
      'fetch.unavailable': [422],
      'create.key.x-public-api-key': [401],
      'create.key.authorization': ['accepted'],
    },
  },
  {
    differs: 'from itself: two gateways answer in turn for a call that does not exist',
    respond: publish({
      acceptsFetch: isEither,
      unknownCall: ({ count }) =>
        count % 2 === 0
          ? { status: 404, json: { message: ['unknown'], code: 'NOT_FOUND' } }
          : { status: 400, json: { errors: [{}], title: '' } },
    }),
    knows: {
      ...published,
      'fetch.key.authorization': ['accepted'],
      'fetch.key.x-public-api-key': ['accepted'],
      'fetch.key.both': ['accepted'],
      'fetch.key.bearer': ['accepted'],
      'fetch.unknown-call': [400, 404],
      'fetch.wrong-key': [403],
    },
  },
  {
    differs: 'in its groups: the plan allows no more',
    respond: publish({ create: () => refuse(422, 'Limit reached', 'Unprocessable Entity') }),
    knows: { ...without('create.response'), 'create.refused': [422] },
  },
  {
    differs: 'in its health: half of it fails, redirects, or sends half an answer',
    respond: publish({
      unknownPath: () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/login' } }),
      wrongMethod: () => ({ status: 503, text: 'unavailable' }),
      noCallId: { status: 400, headers: { 'content-type': 'application/json' }, text: '{"statusCode":40' },
      record: { ...html(403), headers: { 'content-type': 'text/html', 'cf-ray': '1' } },
      create: () => ({ status: 500, json: { message: 'failed' } }),
    }),
    knows: without(
      ...['unknown-path', 'wrong-method', 'fetch.missing-call-id', 'fetch.summary.PSTN'],
      ...['create.response', 'create.key.x-public-api-key'],
    ),
  },
  {
    differs:
      'in what it tells strangers: a page without a key, an error object with a wrong one, and 200 for any call',
    respond: ({ path, method, callId, authorization, ownHeader, body }) => {
      if (authorization === undefined && ownHeader === undefined) return html(401)
      if (authorization !== serviceKey && ownHeader !== serviceKey)
        return { status: 403, json: { error: { code: 1042, message: 'No such key' } } }
      if (path === '/whatsapp/wa-group/create' && method === 'POST')
        return { status: 201, json: { data: { groupId: body.groupId } } }
      if (path !== '/v1/call/ai-summary') return { status: 404 }
      if (callId === whatsAppCall) return { status: 204 }
      return {
        status: 200,
        json: { success: callId === pstnCall, data: callId === pstnCall ? summary : null },
      }
    },
    knows: {
      ...published,
      'fetch.key.bearer': [403],
      'fetch.key.x-public-api-key': ['accepted'],
      'fetch.unknown-call': [200],
      'fetch.missing-call-id': [200],
      'fetch.summary.WHATSAPP': [204],
      'create.response': [201],
    },
  },
  {
    differs: 'in its statuses: 403 without a key, problem documents, 422 for what it does not know',
    respond: ({ path, method, callId, authorization, ownHeader, body }) => {
      const problem = (status: number, title: string): Reply => ({
        status,
        headers: { 'content-type': 'application/problem+json' },
        json: { type: 'about:blank', title, status },
      })
      const isKnown =
        [`Bearer ${serviceKey}`, serviceKey].includes(authorization ?? '') || ownHeader === serviceKey
      if (!isKnown)
        return authorization === undefined && ownHeader === undefined
          ? problem(403, 'Key?')
          : problem(401, 'Key!')
      if (path === '/whatsapp/wa-group/create' && method === 'POST')
        return { status: 200, json: { success: true, groupId: body.groupId } }
      if (path !== '/v1/call/ai-summary') return problem(405, 'No')
      if (callId !== pstnCall && callId !== whatsAppCall) return problem(422, 'No such call')
      return {
        status: 200,
        json: { callId, summary: texts.recap, durationInSeconds: '42', agentNumber: null },
      }
    },
    knows: {
      ...published,
      'fetch.missing-key': [403],
      'fetch.wrong-key': [401],
      'fetch.key.bearer': ['accepted'],
      'fetch.key.x-public-api-key': ['accepted'],
      'fetch.unknown-call': [422],
      'fetch.missing-call-id': [422],
      'fetch.summary.WHATSAPP': [200],
      'wrong-method': [405],
      'unknown-path': [405],
    },
  },
  {
    differs:
      'in its validation: a header that it does not find is a 400 like any field, Bearer alone is known, and a record is a list',
    respond: ({ path, callId, authorization }) => {
      if (authorization === undefined) return { status: 400, json: { errors: [{ field: 'authorization' }] } }
      if (authorization !== `Bearer ${serviceKey}`) return { status: 401, json: { code: 'BAD_KEY' } }
      if (path !== '/v1/call/ai-summary') return { status: 404, json: { code: 'NO_ROUTE' } }
      if (callId === null) return { status: 400, json: { errors: [{ field: 'callId' }] } }
      return callId === pstnCall ? { status: 200, json: [summary] } : { status: 404, json: 'unknown call' }
    },
    knows: {
      ...without('create.key.x-public-api-key', 'create.response'),
      'fetch.missing-key': [400],
      'fetch.wrong-key': [401],
      'fetch.key.authorization': [401],
      'fetch.key.x-public-api-key': [400],
      'fetch.key.both': [401],
      'fetch.key.bearer': ['accepted'],
      'create.key.x-public-api-key': [400],
      'create.key.authorization': [401],
    },
  },
  {
    differs: 'in everything: it is another server',
    respond: ({ path }) => refuse(404, `Cannot GET ${path}`, 'Not Found'),
    knows: {},
  },
]

/** Starts a service on a free port of this machine. */
export const startService = async ({ respond }: Pick<Service, 'respond'>) => {
  const received: string[] = []
  const read = async (incoming: IncomingMessage): Promise<Asked> => {
    const url = new URL(incoming.url ?? '/', 'http://localhost')
    const body = await text(incoming)
    const { authorization, 'x-public-api-key': ownHeader } = incoming.headers
    received.push(`${incoming.method} ${url.pathname}`)
    return {
      method: incoming.method ?? 'GET',
      path: url.pathname,
      callId: url.searchParams.get('callId'),
      authorization,
      ownHeader: ownHeader === undefined ? undefined : String(ownHeader),
      body: body === '' ? {} : JSON.parse(body),
      count: received.length,
    }
  }
  const server = createServer(async (incoming, outgoing) => {
    const { status, headers = {}, json, text: plain } = respond(await read(incoming))
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    outgoing.writeHead(status, { ...type, ...headers })
    outgoing.end(json === undefined ? plain : JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Method and path of each request. */
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
