import type { AttemptVerdict } from '@wabakit/core'
import type { Operation } from './race.ts'
import {
  attempt,
  day,
  event,
  groupEvent,
  organizationId,
  type Prepared,
  toEnded,
  toLeft,
  toParticipant,
} from './records.ts'

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
