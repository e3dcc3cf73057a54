import { equal } from './assert.ts'
import { beginOne, delivered, listAll, publish, settle, setUp } from './deliveries.ts'
import { buildCall, buildOrganization, buildSubscription, start } from './records.ts'
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

  'prunes no more calls of all organizations per call than the limit': async (store) => {
    await setUp(store, [])
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    for (const call of [{ callId: 'c1' }, { callId: 'c2' }, { organizationId: 'other' }]) {
      await store.saveCall({ call: buildCall(call), event: null })
    }
    const prune = () => store.prune({ before: 0, recordsBefore: start + 1, limit: 2 })
    equal([await prune(), await prune(), await prune()], [2, 1, 0])
  },
})
