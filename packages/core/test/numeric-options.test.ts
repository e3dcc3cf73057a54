import * as core from '@wabakit/core'
import {
  type NumericOptions,
  type NumericOptionsOfParts,
  testNumericOptions,
} from '../../../tools/numeric-options.ts'

const { createReferenceServer } = core
const deliver = (delivery: core.DeliveryOptions) => createReferenceServer({ delivery })
const limit = (name: 'organization' | 'key' | 'call' | 'ip') =>
  ({
    [`rateLimit.${name}.requests`]: (requests: number) =>
      createReferenceServer({ rateLimit: { [name]: { requests, perMs: 1_000 } } }),
    [`rateLimit.${name}.perMs`]: (perMs: number) =>
      createReferenceServer({ rateLimit: { [name]: { requests: 1, perMs } } }),
  }) as Record<`rateLimit.${typeof name}.${'requests' | 'perMs'}`, (value: number) => unknown>
const server = createReferenceServer({
  organizations: [
    { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], pstnNumbers: ['+15550100002'] },
  ],
})
const { dispatcher, events, deliveries, figures, calls, groups, subscriptions, organizations, participants } =
  server
const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: 'https://a.example/' } as const
const { id: added } = await subscriptions.create('acme', subscription)
const startCall = async () => {
  const { callId } = await calls.start('acme', {
    channel: 'PSTN',
    direction: 'INCOMING',
    callType: 'AGENT',
    channelNumber: '+15550100002',
    customerNumber: '+15550100009',
  })
  return callId
}
const [ringing, accepted] = [await startCall(), await startCall()]
await calls.accept('acme', accepted)

testNumericOptions('core', {
  createReferenceServer: {
    'delivery.timeoutMs': (timeoutMs) => deliver({ timeoutMs }),
    'delivery.concurrency': (concurrency) => deliver({ concurrency }),
    'delivery.perSubscription': (perSubscription) => deliver({ perSubscription }),
    'delivery.leaseMs': (leaseMs) => deliver({ leaseMs }),
    'delivery.pollMs': (pollMs) => deliver({ pollMs }),
    ...limit('organization'),
    ...limit('key'),
    ...limit('call'),
    ...limit('ip'),
  },
} satisfies NumericOptions<typeof core, 'store.shards'>)

type Change = (selection: core.DeliveriesToChange) => unknown
const change = (run: Change) => ({
  occurredFrom: (occurredFrom: number) => run({ occurredFrom }),
  occurredBefore: (occurredBefore: number) => run({ occurredBefore }),
  attemptedFrom: (attemptedFrom: number) => run({ attemptedFrom }),
  attemptedBefore: (attemptedBefore: number) => run({ attemptedBefore }),
  finishedFrom: (finishedFrom: number) => run({ finishedFrom }),
  finishedBefore: (finishedBefore: number) => run({ finishedBefore }),
})

const parts = {
  dispatcher: {
    stop: { graceMs: (graceMs) => dispatcher.stop({ graceMs }) },
  },
  calls: {
    accept: { startedAt: (startedAt) => calls.accept('acme', ringing, { startedAt }) },
    end: {
      durationInSeconds: (durationInSeconds) =>
        calls.end('acme', accepted, { durationInSeconds, recorded: true, spoken: true }),
    },
    list: {
      limit: (limit) => calls.list('acme', { limit }),
      maxExamined: (maxExamined) => calls.list('acme', { maxExamined }),
      from: (from) => calls.list('acme', { from }),
      before: (before) => calls.list('acme', { before }),
    },
  },
  events: {
    list: {
      limit: (limit) => events.list('acme', { limit }),
      maxExamined: (maxExamined) => events.list('acme', { maxExamined }),
      occurredFrom: (occurredFrom) => events.list('acme', { occurredFrom }),
      occurredBefore: (occurredBefore) => events.list('acme', { occurredBefore }),
    },
  },
  figures: {
    list: { from: (from) => figures.list('acme', { subscriptionIds: [''], from }) },
    measureUnfinished: {
      limit: (limit) => figures.measureUnfinished('acme', { subscriptionIds: [added], limit }),
    },
  },
  groups: {
    list: {
      limit: (limit) => groups.list('acme', { limit }),
      maxExamined: (maxExamined) => groups.list('acme', { maxExamined }),
      from: (from) => groups.list('acme', { from }),
      before: (before) => groups.list('acme', { before }),
    },
  },
  subscriptions: {
    list: { limit: (limit) => subscriptions.list('acme', { limit }) },
    rotateSecret: { overlapMs: (overlapMs) => subscriptions.rotateSecret('acme', added, { overlapMs }) },
  },
  organizations: {
    list: { limit: (limit) => organizations.list({ limit }) },
  },
  participants: {
    list: { limit: (limit) => participants.list('acme', { groupId: 'g-1', limit }) },
  },
  deliveries: {
    list: {
      ...change((selection) => deliveries.list('acme', selection)),
      limit: (limit) => deliveries.list('acme', { limit }),
      maxExamined: (maxExamined) => deliveries.list('acme', { maxExamined }),
    },
    resend: change((selection) => deliveries.resend('acme', selection)),
    resendPart: change((selection) => deliveries.resendPart('acme', selection)),
    cancelPart: change((selection) => deliveries.cancelPart('acme', selection)),
    retryPart: change((selection) => deliveries.retryPart('acme', selection)),
  },
  // `null` removes the limit of attempts. The schema of a subscription checks it.
} satisfies NumericOptionsOfParts<core.ReferenceServer, 'maxAttemptsPerSecond'>
for (const [part, uses] of Object.entries(parts)) testNumericOptions(part, uses)
