import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BrokenServer,
  changeEvent,
  isCreate,
  omit,
  readFields,
  setType,
  toJson,
  withHeader,
  withId,
  withoutHeader,
} from '../mutations.ts'
import type { Hook, Mutation } from '../reference.ts'

const setHeader = (name: string, create: (value: string) => string): Mutation => ({
  webhook: (hook, send) =>
    send({ ...hook, headers: withHeader(hook.headers, name, create(hook.headers.get(name) ?? '')) }),
})

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

/** Responds 500 to create requests whose webhook got a 500. */
function failWithWebhook(): Mutation {
  const waiting = new Map<unknown, (status: number) => void>()
  return {
    api: async (call, respond) => {
      const { groupId } = readFields(call)
      // A repeated request has no webhook.
      if (!isCreate(call) || groupId === undefined || waiting.has(groupId)) return respond()
      const { promise, resolve } = Promise.withResolvers<number>()
      waiting.set(groupId, resolve)
      const response = await respond()
      const status = await Promise.race([promise, sleep(5_000)])
      return response.status === 200 && status === 500 ? toJson(500, {}, response.headers) : response
    },
    webhook: async ({ body }, send) => {
      const response = await send()
      waiting.get(body.groupId)?.(response.status)
      return response
    },
  }
}

/** Also sends an event on the main number to the subscription on another number. */
const sendToAdded = (event: string): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (hook.body.event === event && hook.url.endsWith('/whatsapp'))
      await send({ ...hook, url: hook.url.replace('/whatsapp', '/added') })
    return response
  },
})

/** Servers with one mistake each in deliveries. */
export const createDeliveryFlaws = (): BrokenServer[] => [
  {
    name: 'fails to create a group if its webhook fails',
    caughtBy: 'webhooks.failure.is-not-the-clients',
    ...failWithWebhook(),
  },
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
    name: 'sends static headers only with the first attempt',
    caughtBy: 'webhooks.headers.are-sent-again',
    ...countAttempts((hook, attempt) =>
      attempt === 1 ? hook : { ...hook, headers: withoutHeader(hook.headers, 'x-acceptance') },
    ),
  },
  {
    name: 'sends the groups of a number to the subscriptions on another one',
    caughtBy: 'webhooks.subscription.gets-its-groups-only',
    ...sendToAdded('GROUP_CREATED'),
  },
  {
    name: 'sends the summaries of a number to the subscriptions on another one',
    caughtBy: 'webhooks.subscription.gets-its-summaries-only',
    ...sendToAdded('CALL_AI_SUMMARY'),
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
    name: 'attempts deliveries again that were accepted',
    caughtBy: 'webhooks.retry.not-after-a-204',
    webhook: async (_, send) => {
      await send()
      await send()
      return send()
    },
  },
  {
    name: 'takes a 404 for the end of a delivery',
    caughtBy: 'webhooks.retry.follows-a-404',
    webhook: async (_, send) => {
      const response = await send()
      return response.status === 404 ? new Response(null, { status: 204 }) : response
    },
  },
  {
    name: 'loses a delivery whose connection is closed',
    caughtBy: 'webhooks.retry.follows-a-closed-connection',
    webhook: (_, send) => send().catch(() => new Response(null, { status: 204 })),
  },
  {
    name: 'publishes only summaries that were generated automatically',
    caughtBy: 'events.summary.arrives-when-requested',
    webhook: async ({ body }, send) =>
      body.event === 'CALL_AI_SUMMARY' && JSON.stringify(body.summary).includes('Generated again.')
        ? new Response(null, { status: 204 })
        : send(),
  },
  {
    name: 'never repeats a failed CALL_AI_SUMMARY',
    caughtBy: 'events.summary.failed-delivery-is-retried',
    webhook: async ({ body }, send) => {
      const response = await send()
      return body.event === 'CALL_AI_SUMMARY' ? new Response(null, { status: 204 }) : response
    },
  },
]
