import type { CallQuery, DeliverySelection, GroupQuery } from '../../src/store.ts'
import { equal, ok } from './assert.ts'
import {
  begin,
  beginOne,
  buildAttempt,
  delivered,
  exhausted,
  listAll,
  publish,
  retry,
  settle,
  setUp,
} from './deliveries.ts'
import { buildCall, buildEvent, buildGroup, buildOrganization, buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const byNumber = (index: number) => ({ subject: `group:g${index}`, occurredAt: start + index })

/** Finding and paging through everything else. */
export const listingCases = defineCases({
  'finds deliveries by the subject and the name of their event': async (store) => {
    await setUp(store)
    const [first] = await publish(store, { name: 'A', subject: 's1' }, { name: 'B', subject: 's1' })
    await publish(store, { name: 'A', subject: 's2' })
    const find = async (query: object) => {
      const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10, ...query })
      return items.map(({ eventId }) => eventId)
    }
    equal((await find({ subject: 's1' })).length, 2)
    equal((await find({ names: ['A'] })).length, 2)
    equal(await find({ subject: 's1', names: ['A'], subscriptionId: 'sub_1' }), [first?.id])
    equal(await find({ subject: 's1', subscriptionId: 'nobody' }), [])
  },

  'finds deliveries by id, event, subscription, status and time': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2', events: ['B'] })])
    const [first, second] = await publish(store, { ...byNumber(1), name: 'A' }, { ...byNumber(2), name: 'B' })
    await settle(store, await beginOne(store, { now: start + 1 }), delivered)
    const find = async (query: object) => {
      const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10, ...query })
      return items.map(({ eventId, subscriptionId }) => `${eventId} ${subscriptionId}`).sort()
    }
    const all = [`${first?.id} sub_1`, `${second?.id} sub_1`, `${second?.id} sub_2`]
    equal(await find({}), all)
    equal(await find({ eventId: second?.id }), all.slice(1))
    equal(await find({ subscriptionId: 'sub_1' }), all.slice(0, 2))
    equal(await find({ statuses: ['delivered'] }), all.slice(0, 1))
    equal(await find({ statuses: ['pending', 'delivered'] }), all)
    equal(await find({ occurredFrom: start + 2 }), all.slice(1))
    equal(await find({ occurredBefore: start + 2 }), all.slice(0, 1))
    const [one] = await listAll(store)
    equal(await find({ deliveryId: one?.id }), all.slice(0, 1))
    equal(await find({ deliveryId: 'nobody' }), [])
  },

  'lists the attempts of a delivery in order, only for its own organization': async (store) => {
    await setUp(store)
    await publish(store, {})
    const first = await beginOne(store)
    await settle(store, first, retry(1_000))
    await settle(store, await beginOne(store, { now: start + 1_000 }), delivered)
    const { id } = first.delivery
    equal(await store.listAttempts('acme', id), [
      { ...buildAttempt({ status: 500 }), deliveryId: id, number: 1, succeeded: false, deferred: false },
      { ...buildAttempt(), deliveryId: id, number: 2, succeeded: true, deferred: false },
    ])
    equal(await store.listAttempts('other', id), [])
    equal(await store.listAttempts('acme', 'nobody'), [])
  },

  'finds deliveries by their last response, and lists their last attempts': async (store) => {
    await setUp(store)
    await publish(store, { subject: 'group:a' }, { subject: 'group:b' }, { subject: 'group:c' })
    const [first, second] = await begin(store, { limit: 3 })
    ok(first !== undefined && second !== undefined, 'two deliveries are begun')
    await settle(store, first, retry(1_000))
    await settle(store, second, exhausted)
    const again = await beginOne(store, { now: start + 1_000 })
    await settle(store, again, {
      kind: 'retry',
      delayMs: 1,
      releasesLane: false,
      attempt: buildAttempt({ status: null }),
    })
    const find = async (...responses: number[]) => {
      const page = await store.listDeliveries({ organizationId: 'acme', limit: 10, responses })
      return page.items.map(({ id }) => id)
    }
    equal(await find(500), [second.delivery.id])
    equal(await find(0), [again.delivery.id])
    equal((await find(0, 500)).length, 2)
    equal(await find(200), [])
    const ids = [
      again.delivery.id,
      second.delivery.id,
      'nobody',
      ...(await listAll(store)).slice(2).map(({ id }) => id),
    ]
    const last = await store.listLastAttempts('acme', ids)
    equal(
      last.map(({ deliveryId, number, status }) => [deliveryId, number, status]).sort(),
      [
        [again.delivery.id, 2, null],
        [second.delivery.id, 1, 500],
      ].sort(),
    )
    equal(await store.listLastAttempts('other', ids), [])
    equal(
      await store.resendDeliveries({
        organizationId: 'acme',
        now: start,
        limit: 10,
        webhookIdSuffix: null,
        responses: [500],
      }),
      {
        resent: 1,
      },
    )
  },

  'finds deliveries by one of their attempts, also after they were delivered': async (store) => {
    await setUp(store)
    await publish(store, { subject: 'group:a' }, { subject: 'group:b' })
    const [first, second] = await begin(store, { limit: 2 })
    ok(first !== undefined && second !== undefined, 'two deliveries are begun')
    await settle(store, first, {
      ...retry(1_000),
      attempt: buildAttempt({ status: 503, startedAt: start + 10 }),
    })
    await settle(store, second, { ...delivered, attempt: buildAttempt({ startedAt: start + 20 }) })
    const again = await beginOne(store, { now: start + 1_010 })
    await settle(store, again, { ...delivered, attempt: buildAttempt({ startedAt: start + 1_010 }) })
    const [recovered, smooth] = [first.delivery.id, second.delivery.id]
    const find = async (query: Partial<DeliverySelection>) => {
      const page = await store.listDeliveries({ organizationId: 'acme', limit: 10, ...query })
      return page.items.map(({ id }) => id)
    }
    equal(await find({ responses: [503] }), [])
    equal(await find({ anyResponses: [503] }), [recovered])
    equal(await find({ anyResponses: [0, 404] }), [])
    equal(await find({ anyResponses: [200] }), [recovered, smooth])
    equal(await find({ attemptedFrom: start + 21 }), [recovered])
    equal(await find({ attemptedFrom: start + 1_010 }), [recovered])
    equal(await find({ attemptedFrom: start + 1_011 }), [])
    equal(await find({ attemptedBefore: start + 11 }), [recovered])
    equal(await find({ attemptedBefore: start + 10 }), [])
    equal(await find({ attemptedFrom: start + 20, attemptedBefore: start + 21 }), [smooth])
    // One attempt has to match everything: the one with 503 was over by then.
    equal(await find({ anyResponses: [503], attemptedFrom: start + 11 }), [])
    equal(await find({ anyResponses: [503], attemptedFrom: start + 10, subject: 'group:a' }), [recovered])
    equal(await find({ anyResponses: [503], subscriptionId: 'sub_1', statuses: ['delivered'] }), [recovered])
  },

  'lists calls and groups newest first, page by page, and filters them': async (store) => {
    await setUp(store, [])
    const times = [3, 1, 2, 2].map((ms) => start + ms)
    for (const [index, time] of times.entries()) {
      const digits = index === 0 ? '1' : '2'
      const state = index === 1 ? 'ended' : 'initiated'
      const call = buildCall({ callId: `c.${index}`, initiatedAt: time, digits, state })
      await store.saveCall({ call, event: null })
      const group = buildGroup({
        clientCustomGroupId: `g.${index}`,
        createdAt: time,
        digits,
        subject: `Team_${index}`,
      })
      await store.createGroup({ group, event: buildEvent() })
    }
    type Query = Partial<GroupQuery> & Pick<CallQuery, 'state'>
    const listCalls = async (query: Query) => {
      const { items, ...rest } = await store.listCalls({ organizationId: 'acme', limit: 10, ...query })
      return { ids: items.map(({ callId }) => callId), ...rest }
    }
    const listGroups = async ({ state: _, ...query }: Query) => {
      const { items, ...rest } = await store.listGroups({ organizationId: 'acme', limit: 10, ...query })
      return { ids: items.map(({ clientCustomGroupId: id }) => id.replace('g', 'c')), ...rest }
    }
    for (const list of [listCalls, listGroups]) {
      equal(await list({}), { ids: ['c.0', 'c.3', 'c.2', 'c.1'] })
      const first = await list({ limit: 2 })
      equal(first.ids, ['c.0', 'c.3'])
      equal(await list({ limit: 2, cursor: first.nextCursor }), { ids: ['c.2', 'c.1'] })
      equal((await list({ digits: '1' })).ids, ['c.0'])
      equal((await list({ from: start + 2 })).ids, ['c.0', 'c.3', 'c.2'])
      equal((await list({ before: start + 2 })).ids, ['c.1'])
      equal((await list({ text: '.2' })).ids, ['c.2'])
      const examined = await list({ digits: '2', maxExamined: 2 })
      equal(examined.ids, ['c.3'])
      equal((await list({ digits: '2', cursor: examined.nextCursor })).ids, ['c.2', 'c.1'])
      equal(await list({ digits: '1', maxExamined: 4 }), { ids: ['c.0'] })
      equal(await list({ organizationId: 'nobody' }), { ids: [] })
    }
    equal((await listCalls({ state: 'ended' })).ids, ['c.1'])
    const { customerNumber } = buildCall()
    equal((await listCalls({ text: customerNumber.slice(2) })).ids.length, 4)
    equal((await listCalls({ text: `2 ${customerNumber}` })).ids, [], 'a text is in the id or in the number')
    equal((await listGroups({ text: 'team_3' })).ids, ['c.3'])
  },

  'lists subscriptions oldest first, page by page': async (store) => {
    await store.saveOrganization(buildOrganization())
    for (const id of ['sub_c', 'sub_a', 'sub_b']) await store.saveSubscription(buildSubscription({ id }))
    const first = await store.listSubscriptions('acme', { limit: 2 })
    equal(
      first.items.map(({ id }) => id),
      ['sub_c', 'sub_a'],
    )
    const second = await store.listSubscriptions('acme', { limit: 2, cursor: first.nextCursor })
    equal(second, { items: [buildSubscription({ id: 'sub_b' })] })
  },
})
