import {
  change,
  editEvents,
  editHooks,
  editRecord,
  type Fields,
  isFetched,
  isObject,
  refuseText,
  setType,
  shift,
  withHeader,
} from './mutations.ts'
import type { Mutation } from './reference.ts'

const respell = (body: Fields): Fields => ({
  callStartedAt: String(body.callStartedAt).replace('Z', '+00:00'),
  callEndedAt: String(body.callEndedAt).replace('Z', '000Z'),
  customerNumber: String(body.customerNumber).replace('+', ''),
})

/** A call of less than half a second, in which nothing was said. */
const endAtOnce = (body: Fields): Fields => ({
  ...('durationInSeconds' in body && { durationInSeconds: 0, callEndedAt: body.callStartedAt }),
  ...('summary' in body && { summary: { recap: '', keyPoints: [], nextSteps: [] } }),
})

const ringFirst = (body: Fields): Fields => ({ callStartedAt: shift(body.callStartedAt, -4_000) })

/** Correct servers that do otherwise what the specification leaves open. */
export const createCorrectServers = (): Readonly<Record<string, Mutation>> => ({
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
  'adds headers to every response, and states Retry-After as a date': change(
    () => true,
    ({ status, headers }) => ({
      headers:
        status === 429
          ? withHeader(headers, 'retry-after', new Date(Date.now() + 1_000).toUTCString())
          : withHeader(headers, 'server', 'nginx'),
    }),
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
  'refuses group ids with spaces': refuseText('groupId', (groupId) => groupId.includes(' ')),
  'spells the times and numbers of fetched records in another way': change(isFetched, ({ body }) => ({
    body: { data: { ...body, ...respell(body) } },
  })),
  'states a duration of 0 and an empty summary for a call that ended at once': {
    ...editRecord(endAtOnce),
    ...editEvents(endAtOnce),
  },
  'writes the type of its responses in other letters, with a charset': {
    api: async (_, respond) => {
      const response = await respond()
      const headers = withHeader(response.headers, 'content-type', 'Application/JSON;charset=UTF-8')
      return new Response(response.body, { status: response.status, headers })
    },
  },
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
