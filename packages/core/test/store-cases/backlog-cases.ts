import type { Backlog } from '../../src/store-requests.ts'
import { equal } from './assert.ts'
import { begin, delivered, publish, retry, settle, setUp } from './deliveries.ts'
import { buildOrganization, buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const nothing: Backlog = {
  waiting: 0,
  due: 0,
  later: 0,
  oldestDueMs: 0,
  failingSubscriptions: 0,
  behindSubscriptions: 0,
  disabledSubscriptions: 0,
}
const limit = 100

/** The backlog. */
export const backlogCases = defineCases({
  'measures an empty backlog if all deliveries are finished': async (store) => {
    equal(await store.measureBacklog({ now: start, limit }), nothing)
    await setUp(store)
    await publish(store, {})
    for (const each of await begin(store)) await settle(store, each, delivered)
    equal(await store.measureBacklog({ now: start + 9_999, limit }), nothing)
  },

  'counts waiting and due deliveries, and those that are due later': async (store) => {
    await setUp(store)
    await publish(store, { subject: 's1' }, { subject: 's1' }, { subject: 's1' }, { subject: 's2' })
    await publish(store, { subject: 's3', occurredAt: start + 5 }, { subject: 's4', occurredAt: start + 5 })
    const [first] = await begin(store)
    if (first !== undefined) await settle(store, first, retry(5_000))
    equal(await store.measureBacklog({ now: start + 20, limit }), {
      ...nothing,
      waiting: 2,
      due: 3,
      later: 1,
      oldestDueMs: 20,
      failingSubscriptions: 1,
    })
  },

  'counts the deliveries of all organizations, each kind up to the limit': async (store) => {
    await setUp(store)
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await store.saveSubscription(buildSubscription({ organizationId: 'other' }))
    for (const organizationId of ['acme', 'other']) {
      await publish(store, ...[1, 2, 3].map((index) => ({ organizationId, subject: `s${index}` })))
      await publish(store, ...[1, 2].map(() => ({ organizationId, subject: 's1' })))
    }
    const count = async (most: number) => {
      const { waiting, due } = await store.measureBacklog({ now: start, limit: most })
      return [waiting, due]
    }
    equal(await count(100), [4, 6])
    equal(await count(5), [4, 5])
    equal(await count(1), [1, 1])
  },

  'counts subscriptions as behind whose oldest due delivery waits for more than a minute': async (store) => {
    const digits = ['0', '1', '2']
    const others = digits.map((each, index) => buildSubscription({ id: `sub_${index + 2}`, digits: each }))
    await setUp(store, [buildSubscription(), ...others])
    // The first has a lane whose head fails below. The second and the third only wait. The fourth is disabled.
    await publish(store, { subject: 's1' }, { subject: 's1' }, { subject: 's2', digits: '0' })
    await publish(
      store,
      { subject: 's3', digits: '1', occurredAt: start + 30_000 },
      { subject: 's4', digits: '2' },
    )
    await store.saveSubscription(
      buildSubscription({ id: 'sub_4', digits: '2', revision: 2, disabledReason: 'by_hand' }),
    )
    const failing = (await begin(store)).find(({ event }) => event.subject === 's1')
    if (failing !== undefined) await settle(store, failing, retry(600_000))
    const count = async (now: number) => (await store.measureBacklog({ now, limit })).behindSubscriptions
    const subscriptionIds = ['sub_1', 'sub_2', 'sub_3', 'sub_4']
    const measures = await store.measureUnfinished({ organizationId: 'acme', subscriptionIds, limit })
    equal(await count(start + 60_000), 0)
    equal(await count(start + 60_001), 1)
    equal(await count(start + 90_001), 2)
    // Its first attempt failed, so it is failing, however long its next one has been due.
    equal(await count(start + 700_000), 2)
    equal(
      measures.map(({ dueAt }) => dueAt),
      [start + 600_000, start, start + 30_000, null],
    )
  },

  'counts failing subscriptions until they succeed, and disabled ones': async (store) => {
    const others = ['sub_2', 'sub_3', 'sub_4'].map((id, index) =>
      buildSubscription({ id, digits: `${index}` }),
    )
    await setUp(store, [buildSubscription(), ...others])
    await publish(store, { subject: 's1' }, { subject: 's2', digits: '0' }, { subject: 's3', digits: '1' })
    for (const each of await begin(store)) await settle(store, each, retry(1_000))
    const again = (await begin(store, { now: start + 1_000 })).find(({ event }) => event.subject === 's1')
    if (again !== undefined) await settle(store, again, delivered)
    for (const [id, digits] of [
      ['sub_3', '1'],
      ['sub_4', '2'],
    ] as const) {
      await store.saveSubscription(buildSubscription({ id, digits, revision: 2, disabledReason: 'by_hand' }))
    }
    const { failingSubscriptions, disabledSubscriptions } = await store.measureBacklog({ now: start, limit })
    equal([failingSubscriptions, disabledSubscriptions], [1, 2])
  },
})
