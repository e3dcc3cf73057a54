import * as core from '@wabakit/core'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'

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
const { dispatcher, events, deliveries, calls, groups, subscriptions, organizations, participants } = server
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

testNumericOptions('dispatcher', {
  stop: { graceMs: (graceMs) => dispatcher.stop({ graceMs }) },
} satisfies NumericOptions<typeof dispatcher>)

testNumericOptions('calls', {
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
} satisfies NumericOptions<typeof calls>)

testNumericOptions('events', {
  list: {
    limit: (limit) => events.list('acme', { limit }),
    maxExamined: (maxExamined) => events.list('acme', { maxExamined }),
    occurredFrom: (occurredFrom) => events.list('acme', { occurredFrom }),
    occurredBefore: (occurredBefore) => events.list('acme', { occurredBefore }),
  },
} satisfies NumericOptions<typeof events>)

testNumericOptions('groups', {
  list: {
    limit: (limit) => groups.list('acme', { limit }),
    maxExamined: (maxExamined) => groups.list('acme', { maxExamined }),
    from: (from) => groups.list('acme', { from }),
    before: (before) => groups.list('acme', { before }),
  },
} satisfies NumericOptions<typeof groups>)

testNumericOptions('subscriptions', {
  list: { limit: (limit) => subscriptions.list('acme', { limit }) },
  rotateSecret: { overlapMs: (overlapMs) => subscriptions.rotateSecret('acme', added, { overlapMs }) },
  // `null` removes the limit of attempts. The schema of a subscription checks it.
} satisfies NumericOptions<typeof subscriptions, 'maxAttemptsPerSecond'>)

testNumericOptions('organizations', {
  list: { limit: (limit) => organizations.list({ limit }) },
} satisfies NumericOptions<typeof organizations>)

testNumericOptions('participants', {
  list: { limit: (limit) => participants.list('acme', { groupId: 'g-1', limit }) },
} satisfies NumericOptions<typeof participants>)

type Change = (selection: core.DeliveriesToChange) => unknown
const change = (run: Change) => ({
  occurredFrom: (occurredFrom: number) => run({ occurredFrom }),
  occurredBefore: (occurredBefore: number) => run({ occurredBefore }),
  attemptedFrom: (attemptedFrom: number) => run({ attemptedFrom }),
  attemptedBefore: (attemptedBefore: number) => run({ attemptedBefore }),
  finishedFrom: (finishedFrom: number) => run({ finishedFrom }),
  finishedBefore: (finishedBefore: number) => run({ finishedBefore }),
})
testNumericOptions('deliveries', {
  list: {
    ...change((selection) => deliveries.list('acme', selection)),
    limit: (limit) => deliveries.list('acme', { limit }),
    maxExamined: (maxExamined) => deliveries.list('acme', { maxExamined }),
  },
  resend: change((selection) => deliveries.resend('acme', selection)),
  resendPart: change((selection) => deliveries.resendPart('acme', selection)),
  cancelAll: change((selection) => deliveries.cancelAll('acme', selection)),
  cancelPart: change((selection) => deliveries.cancelPart('acme', selection)),
  retryPart: change((selection) => deliveries.retryPart('acme', selection)),
} satisfies NumericOptions<typeof deliveries>)
