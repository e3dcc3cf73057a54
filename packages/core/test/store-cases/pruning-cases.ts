import { equal } from './assert.ts'
import { beginOne, delivered, listAll, publish, settle, setUp } from './deliveries.ts'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildSubscription,
  buildSummary,
  start,
} from './records.ts'
import { defineCases } from './store-case.ts'

const byNumber = (index: number) => ({ subject: `group:g${index}`, occurredAt: start + index })

/** Pruning. */
export const pruningCases = defineCases({
  'prunes finished deliveries with their attempts, and events without deliveries': async (store) => {
    await setUp(store)
    const [old, unsettled, recent] = await publish(store, byNumber(1), byNumber(2), byNumber(3))
    const begun = await beginOne(store, { limit: 1, now: start + 3 })
    await settle(store, begun, delivered, start + 10)
    equal(await store.prune({ before: start + 10, limit: 100 }), 0)
    equal(await store.prune({ before: start + 11, limit: 100 }), 2)
    equal(await store.prune({ before: start + 11, limit: 100 }), 0)
    const { items } = await store.listEvents({ organizationId: 'acme', limit: 10 })
    equal(
      items.map(({ id }) => id),
      [unsettled?.id, recent?.id],
    )
    equal(
      (await listAll(store)).map(({ eventId }) => eventId),
      [unsettled?.id, recent?.id],
    )
    equal(await store.listAttempts('acme', begun.delivery.id), [])
    equal((await store.listDeliveries({ organizationId: 'acme', eventId: old?.id, limit: 10 })).items, [])
  },

  'treats the settlement of a pruned delivery as stale': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    await store.saveSubscription(buildSubscription({ revision: 2, disabledReason: 'by_hand' }))
    await store.prune({ before: start + 1, limit: 100 })
    const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
    equal(items, [])
    equal((await settle(store, begun, delivered)).outcome, 'stale')
  },

  'prunes no more records per call than the limit': async (store) => {
    await setUp(store, [])
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await publish(store, byNumber(1), byNumber(2), { ...byNumber(3), organizationId: 'other' })
    equal(await store.prune({ before: start + 9, limit: 2 }), 2)
    equal(await store.prune({ before: start + 9, limit: 2 }), 1)
    equal(await store.prune({ before: start + 9, limit: 2 }), 0)
  },

  'prunes a call only when it and its summary are old, and a group only when its members are': async (
    store,
  ) => {
    await setUp(store, [])
    await store.createGroup({ group: buildGroup({ createdAt: start }), event: buildEvent() })
    await store.saveCall({ call: buildCall({ updatedAt: start }), event: null })
    const prune = (recordsBefore: number) => store.prune({ before: 0, recordsBefore, limit: 100 })
    equal(await prune(start), 0)
    await store.saveSummary({ summary: buildSummary({ generatedAt: start + 5 }), event: buildEvent() })
    equal(await prune(start + 1), 1)
    equal(await store.findGroup('acme', buildGroup().clientCustomGroupId), undefined)
    equal(await prune(start + 5), 0)
    equal(await prune(start + 6), 1)
    equal(await store.findCall('acme', 'c1'), undefined)
  },

  'remembers after pruning that a call has a summary and a group id is taken': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    await settle(store, await beginOne(store), delivered)
    await store.saveCall({ call: buildCall(), event: null })
    await store.saveSummary({ summary: buildSummary(), event: buildEvent({ subject: 'call:c1' }) })
    await settle(store, await beginOne(store), delivered)
    equal(await store.prune({ before: start + 1, limit: 100 }), 4)
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'replaced')
    equal((await store.createGroup({ group: buildGroup(), event: buildEvent() })).outcome, 'same')
    equal(await listAll(store), [])
  },
})
