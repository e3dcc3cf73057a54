import type {
  AttemptResult,
  AttemptVerdict,
  CallRecord,
  EventRecord,
  ParticipantRecord,
  Settlement,
  Store,
} from '@wabakit/core'
import type { Operation } from './race.ts'

const organizationId = 'org'
const day = 86_400_000

const event = (id: string, subject: string): EventRecord => ({
  id,
  organizationId,
  name: 'CALL_ENDED',
  subject,
  channel: 'PSTN',
  digits: '1',
  payload: '{}',
  waitsFor: null,
  traceparent: null,
  hasCustomPayload: false,
  occurredAt: 1_000,
})

const call: CallRecord = {
  organizationId,
  callId: '1',
  revision: 1,
  state: 'accepted',
  channel: 'PSTN',
  direction: 'INCOMING',
  channelNumber: '1',
  digits: '1',
  customerNumber: '2',
  agentNumber: null,
  callType: 'AGENT',
  triggeredVia: 'UI',
  publishesEvents: true,
  initiatedAt: 0,
  updatedAt: 0,
  startedAt: 0,
  endedAt: null,
  durationInSeconds: null,
  recorded: null,
  spoken: null,
}

const toParticipant = (digits: string): ParticipantRecord => ({
  organizationId,
  groupId: 'group',
  phone: digits,
  digits,
  revision: 1,
  state: 'joined',
  changedAt: 0,
})

/** Changes the last participant of the group, or one that has left. */
const toLeft = (digits: string): ParticipantRecord => ({
  ...toParticipant(digits),
  revision: 2,
  state: 'left',
  changedAt: 4_000,
})

const toEnded = (callId: string): CallRecord => ({
  ...call,
  callId,
  revision: 2,
  state: 'ended',
  updatedAt: 4_000,
})

const attempt = (status: number): AttemptResult => ({
  startedAt: 2_000,
  durationMs: 1,
  url: 'https://receiver.example/',
  status,
  error: null,
  responseBody: null,
})

/** An event of the group, to which there is no subscription. */
const groupEvent = (id: string): EventRecord => ({ ...event(id, 'group:group'), channel: 'WHATSAPP' })

/** The initial records that operations need. */
type Prepared = {
  readonly settlement: Omit<Settlement, 'result'>
  readonly shard: number
  readonly epoch: number
}

/**
 * Saves an organization with two subscriptions, which get three events each. In one, the first delivery is being
 * attempted by a dead worker, the second waits behind it, and the third is in another lane. In the other, the first and
 * the third are delivered. There are two calls, and a group with a participant and one that has left.
 */
export const prepareRecords = async (store: Store): Promise<Prepared> => {
  const common = { revision: 1, createdAt: 0 }
  await store.saveOrganization({
    id: organizationId,
    callSummaries: 'automatic',
    integrations: [],
    pstnNumbers: [],
    ...common,
  })
  for (const id of ['sub_1', 'sub_2']) {
    await store.saveSubscription({
      id,
      organizationId,
      channel: 'PSTN',
      number: '1',
      digits: '1',
      url: 'https://receiver.example/',
      events: 'all',
      secret: 'whsec_',
      previousSecret: null,
      headers: {},
      maxAttemptsPerSecond: null,
      disabledReason: null,
      failingSince: null,
      isReported: false,
      updatedAt: 0,
      ...common,
    })
  }
  for (const callId of ['0', '1']) await store.saveCall({ call: { ...call, callId }, event: null })
  await store.createGroup({
    group: {
      organizationId,
      clientCustomGroupId: 'group',
      requestHash: null,
      wabaNumber: '1',
      digits: '1',
      subject: 'group',
      description: null,
      joinApprovalMode: 'auto_approve',
      inviteLink: null,
      createdAt: 0,
    },
    event: groupEvent('created'),
  })
  await store.saveParticipant({
    participant: { ...toParticipant('1'), state: 'left' },
    event: groupEvent('left before'),
  })
  await store.saveParticipant({ participant: toParticipant('2'), event: groupEvent('joined') })
  await store.addEvent(event('first', 'call:1'))
  await store.addEvent(event('second', 'call:1'))
  await store.addEvent(event('third', 'call:2'))

  const { shards } = await store.renewWorker({ worker: 'former owner', leaseMs: day, now: 0 })
  const taken = await store.takeShards({ worker: 'former owner', shards, now: 0 })
  const { queues } = await store.readQueues({ shards: taken.map(({ shard }) => shard), limit: 10 })
  const settlements: Settlement[] = []
  for (const { state } of queues) {
    const { heads } = await store.readHeads({ queue: state.queue, after: -1, limit: 10 })
    const epoch = taken.find(({ shard }) => shard === state.shard)?.epoch ?? -1
    const keys = heads.map(({ id, version }) => ({ id, version, shard: state.shard, epoch }))
    const loaded = await store.loadDeliveries(keys)
    for (const [index, key] of keys.entries()) {
      const delivery = loaded[index]?.delivery
      if (delivery === undefined) throw new Error('A delivery could not be loaded.')
      const result = { kind: 'delivered' as const, attempt: attempt(200) }
      settlements.push({ ...key, delivery, now: 3_000, result, failingLimitMs: day })
    }
  }
  const [settlement, ...others] = settlements.filter(({ delivery }) => delivery.eventId !== 'second')
  if (settlement === undefined) throw new Error('There is nothing to settle.')
  await store.settleDeliveries(others.filter(({ delivery }) => delivery.subscriptionId === 'sub_2'))
  await store.renewWorker({ worker: 'former owner', leaseMs: -1, now: 0 })
  await store.renewWorker({ worker: 'new owner', leaseMs: day, now: 0 })
  return { settlement, shard: settlement.shard, epoch: settlement.epoch }
}

const settle = (name: string, result: AttemptVerdict, { settlement }: Prepared): Operation => ({
  name,
  run: async (store) => {
    const [outcome] = await store.settleDeliveries([{ ...settlement, result }])
    // The next head depends on earlier events, and is not guaranteed.
    return outcome?.outcome === 'settled'
      ? { status: outcome.delivery.status, disabled: outcome.disabled }
      : outcome
  },
})

const publish = (id: string, subject: string): Operation => ({
  name: `publish ${id}`,
  run: (store) => store.addEvent(event(id, subject)),
})

const takeOver = (name: string, { shard, epoch }: Prepared): Operation => ({
  name,
  run: async (store) =>
    (await store.takeShards({ worker: 'new owner', shards: [{ shard, epoch }], now: 0 })).length,
})

/** Returns the racing operations by name. */
export const createOperations = (prepared: Prepared): Readonly<Record<OperationName, Operation>> => {
  const { settlement, shard, epoch } = prepared
  const deliveryId = settlement.id
  const byHand = { organizationId, deliveryId, now: 4_000 }
  return {
    publish: publish('fourth', 'call:1'),
    publishAlso: publish('fifth', 'call:1'),
    settle: settle('settle a success', { kind: 'delivered', attempt: attempt(200) }, prepared),
    settleAgain: settle('settle the same success', { kind: 'delivered', attempt: attempt(200) }, prepared),
    fail: settle(
      'settle a failure',
      { kind: 'retry', attempt: attempt(500), delayMs: 5_000, releasesLane: false },
      prepared,
    ),
    gone: settle('settle a 410', { kind: 'gone', attempt: attempt(410) }, prepared),
    takeOver: takeOver('take over', prepared),
    takeOverAlso: takeOver('take over again', prepared),
    renew: {
      name: 'renew the lease of the former owner',
      run: async (store) => {
        await store.renewWorker({ worker: 'former owner', leaseMs: day, now: 0 })
        // The former owner may learn only from its next renewal that a shard was taken. The epoch fences it until then.
        return 'renewed'
      },
    },
    give: {
      name: 'give up the shard',
      run: (store) => store.giveShards({ worker: 'former owner', shards: [{ shard, epoch }], now: 0 }),
    },
    end: { name: 'end the former owner', run: (store) => store.endWorker('former owner') },
    disable: {
      name: 'disable',
      run: async (store) => {
        const found = await store.findSubscription(organizationId, 'sub_1')
        if (found === undefined) return 'missing'
        return store.saveSubscription({ ...found, revision: found.revision + 1, disabledReason: 'by_hand' })
      },
    },
    remove: { name: 'remove', run: (store) => store.removeSubscription(organizationId, 'sub_1') },
    removeAlso: { name: 'remove again', run: (store) => store.removeSubscription(organizationId, 'sub_1') },
    removeOrganization: {
      name: 'remove the organization',
      run: (store) => store.removeOrganization(organizationId),
    },
    erase: {
      name: 'erase',
      run: (store) =>
        store.erase({
          organizationId,
          // Not in key order.
          callIds: ['1', '0'],
          participants: ['2', '1'].map((digits) => ({ groupId: 'group', digits })),
          eventIds: ['first', 'second'],
          now: 4_000,
        }),
    },
    prune: {
      name: 'prune',
      run: (store) => store.prune({ before: 0, recordsBefore: 3_000, limit: 10 }),
    },
    endCall: {
      name: 'end the call',
      run: (store) => store.saveCall({ call: toEnded('1'), event: event('ended', 'call:1') }),
    },
    endCalls: {
      name: 'end both calls in one batch',
      run: (store) =>
        Promise.all(['0', '1'].map((callId) => store.saveCall({ call: toEnded(callId), event: null }))),
    },
    summarize: {
      name: 'save the summary',
      run: (store) =>
        store.saveSummary({
          summary: {
            organizationId,
            callId: '1',
            summary: { recap: '', keyPoints: [], nextSteps: [] },
            generatedBy: 'automatic',
            generatedAt: 4_000,
          },
          event: event('summary', 'call:1'),
        }),
    },
    leave: {
      name: 'leave the group',
      run: (store) => store.saveParticipant({ participant: toLeft('2'), event: groupEvent('left') }),
    },
    leaveAll: {
      name: 'change both participants in one batch',
      run: (store) =>
        Promise.all(
          ['1', '2'].map((digits) =>
            store.saveParticipant({ participant: toLeft(digits), event: groupEvent(`left ${digits}`) }),
          ),
        ),
    },
    join: {
      name: 'join the group',
      run: (store) =>
        store.saveParticipant({
          participant: { ...toParticipant('3'), changedAt: 4_000 },
          event: groupEvent('joined too'),
        }),
    },
    cancel: { name: 'cancel', run: (store) => store.cancelDelivery(byHand) },
    retry: { name: 'retry by hand', run: (store) => store.retryDelivery(byHand) },
    resend: {
      name: 'resend',
      run: (store) =>
        store.resendDeliveries({ organizationId, now: 4_000, limit: 20, webhookIdSuffix: null }),
    },
  }
}

export type OperationName =
  | 'publish'
  | 'publishAlso'
  | 'settle'
  | 'settleAgain'
  | 'fail'
  | 'gone'
  | 'takeOver'
  | 'takeOverAlso'
  | 'renew'
  | 'give'
  | 'end'
  | 'disable'
  | 'remove'
  | 'removeAlso'
  | 'removeOrganization'
  | 'erase'
  | 'prune'
  | 'endCall'
  | 'endCalls'
  | 'summarize'
  | 'leave'
  | 'leaveAll'
  | 'join'
  | 'cancel'
  | 'retry'
  | 'resend'

const settlements = ['settle', 'fail', 'gone'] as const
const changes = ['publish', 'takeOver', 'disable', 'remove', 'erase'] as const

/** Pairs of operations on the same records, most important first, and some groups of three. */
export const scenarios: readonly (readonly OperationName[])[] = [
  ...settlements.flatMap((settlement) => changes.map((change) => [settlement, change] as const)),
  ['settle', 'settleAgain'],
  ['publish', 'publishAlso'],
  ['publish', 'disable'],
  ['publish', 'remove'],
  ['publish', 'erase'],
  ['publish', 'removeOrganization'],
  ['publish', 'takeOver'],
  ['disable', 'remove'],
  ['disable', 'erase'],
  ['remove', 'removeAlso'],
  ['remove', 'erase'],
  ['remove', 'removeOrganization'],
  ['takeOver', 'disable'],
  ['takeOver', 'remove'],
  ['takeOver', 'erase'],
  ['settle', 'removeOrganization'],
  ['settle', 'cancel'],
  ['settle', 'retry'],
  ['settle', 'resend'],
  ['fail', 'cancel'],
  ['fail', 'retry'],
  ['resend', 'erase'],
  ['resend', 'remove'],
  ['resend', 'disable'],
  ['cancel', 'erase'],
  ['takeOver', 'takeOverAlso'],
  ['takeOver', 'renew'],
  ['takeOver', 'give'],
  ['takeOver', 'end'],
  ['settle', 'renew'],
  ['settle', 'give'],
  ['settle', 'end'],
  ['renew', 'end'],
  ['erase', 'endCall'],
  ['erase', 'summarize'],
  ['erase', 'leave'],
  ['prune', 'summarize'],
  ['prune', 'join'],
  ['settle', 'takeOver', 'renew'],
  ['settle', 'takeOver', 'give'],
  ['settle', 'takeOver', 'disable'],
  ['publish', 'publishAlso', 'settle'],
  ['publish', 'settle', 'erase'],
  // While the first one holds the last record, the others wait for it, or for each other.
  ['endCall', 'erase', 'endCalls'],
  ['leave', 'erase', 'leaveAll'],
]

/** Scenarios with too many orders to run them all, and the switches to which they are limited. */
export const maxSwitches: Readonly<Record<string, number>> = {
  'remove,removeOrganization': 2,
  'endCall,erase,endCalls': 1,
  'leave,erase,leaveAll': 1,
}
