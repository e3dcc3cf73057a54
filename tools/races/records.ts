import type {
  AttemptResult,
  CallRecord,
  EventRecord,
  ParticipantRecord,
  Settlement,
  Store,
} from '@wabakit/core'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
} from '../../packages/core/test/store-cases/records.ts'

export const organizationId = 'org'
export const day = 86_400_000

const pstn = { organizationId, channel: 'PSTN', digits: '1' } as const

export const event = (id: string, subject: string): EventRecord =>
  buildEvent({ ...pstn, id, name: 'CALL_ENDED', subject, payload: '{}', occurredAt: 1_000 })

const toCall = (callId: string): CallRecord =>
  buildCall({
    ...pstn,
    callId,
    state: 'accepted',
    channelNumber: '1',
    initiatedAt: 0,
    updatedAt: 0,
    startedAt: 0,
  })

export const toParticipant = (digits: string): ParticipantRecord =>
  buildParticipant({ organizationId, groupId: 'group', phone: digits, digits, changedAt: 0 })

/** Changes the last participant of the group, or one that has left. */
export const toLeft = (digits: string): ParticipantRecord => ({
  ...toParticipant(digits),
  revision: 2,
  state: 'left',
  changedAt: 4_000,
})

export const toEnded = (callId: string): CallRecord => ({
  ...toCall(callId),
  revision: 2,
  state: 'ended',
  updatedAt: 4_000,
})

export const attempt = (status: number): AttemptResult => ({
  startedAt: 2_000,
  durationMs: 1,
  url: 'https://receiver.example/',
  status,
  error: null,
  responseBody: null,
})

/** An event of the group, to which there is no subscription. */
export const groupEvent = (id: string): EventRecord => ({ ...event(id, 'group:group'), channel: 'WHATSAPP' })

/** The initial records that operations need. */
export type Prepared = {
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
  const organization = { id: organizationId, integrations: [], pstnNumbers: [], createdAt: 0 }
  await store.saveOrganization(buildOrganization(organization))
  for (const id of ['sub_1', 'sub_2'])
    await store.saveSubscription(buildSubscription({ ...pstn, id, number: '1', createdAt: 0, updatedAt: 0 }))
  for (const callId of ['0', '1']) await store.saveCall({ call: toCall(callId), event: null })
  const group = { organizationId, clientCustomGroupId: 'group', requestHash: null, digits: '1', createdAt: 0 }
  await store.createGroup({ group: buildGroup(group), event: groupEvent('created') })
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
