import {
  type BrokenServer,
  changeEvent,
  changeSummary,
  drop,
  editEvents,
  sendLater,
  sendTwice,
  shift,
  withHeader,
} from '../mutations.ts'
import type { Hook, Mutation } from '../reference.ts'

const webhookToUrl = (port: string, path: string): string => {
  const url = new URL(port)
  url.pathname = path
  return url.href
}

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

const rename = (hook: Hook, event: string): Hook => ({
  ...hook,
  headers: withHeader(hook.headers, 'webhook-id', `${hook.headers.get('webhook-id')}-${event}`),
  body: { ...hook.body, event },
})

/** Holds back an event of a call until a later one is sent. */
function holdUntil(held: RegExp, later: RegExp): Mutation {
  const waiting = new Map<unknown, () => Promise<Response>>()
  return {
    webhook: async ({ body: { event, callId } }, send) => {
      if (held.test(String(event))) {
        waiting.set(callId, () => send())
        return new Response(null, { status: 204 })
      }
      if (later.test(String(event))) await waiting.get(callId)?.()
      waiting.delete(later.test(String(event)) ? callId : undefined)
      return send()
    },
  }
}

/** Servers with one mistake each in events of calls. */
export const createCallEventFlaws = (): BrokenServer[] => [
  { name: 'publishes no CALL_ACCEPTED', caughtBy: 'events.call.all-steps-arrive', ...drop('CALL_ACCEPTED') },
  { name: 'publishes no CALL_ENDED', caughtBy: 'events.call.all-steps-arrive', ...drop('CALL_ENDED') },
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
  {
    name: 'sends a different call id in the summary',
    caughtBy: 'events.call.all-steps-arrive',
    ...changeSummary((body) => ({ ...body, callId: `summary-${body.callId}` })),
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
    name: 'states the time of CALL_ACCEPTED as the start',
    caughtBy: 'events.call.times',
    ...changeEvent('CALL_ACCEPTED', (body) => ({ ...body, callStartedAt: shift(body.callStartedAt, 200) })),
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
  {
    name: 'states the local time of New York as UTC',
    caughtBy: 'events.times.of-groups-are-in-utc',
    ...changeEvent('GROUP_CREATED', (body) => ({
      ...body,
      groupCreatedAt: shift(body.groupCreatedAt, -5 * 3_600_000),
    })),
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
    name: 'states when the summary was saved as the end of a call',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeSummary((body) => ({ ...body, callEndedAt: shift(body.callEndedAt, 1_600) })),
  },
  {
    name: 'publishes nothing of calls that are missed',
    caughtBy: 'events.call.initiated-when-missed',
    ...holdUntil(/_INITIATED$/, /^CALL_ACCEPTED$/),
  },
  {
    name: 'publishes no CALL_ENDED of calls without a summary',
    caughtBy: 'events.call.steps-without-a-summary',
    ...holdUntil(/^CALL_ENDED$/, /^CALL_AI_SUMMARY$/),
  },
  {
    name: 'states the local time of New York as the end of calls',
    caughtBy: 'events.times.of-calls-are-in-utc',
    ...editEvents(({ callStartedAt, callEndedAt }) =>
      callEndedAt === undefined
        ? {}
        : {
            callStartedAt: shift(callStartedAt, -5 * 3_600_000),
            callEndedAt: shift(callEndedAt, -5 * 3_600_000),
          },
    ),
  },
]
