import type { CallQuery, GroupQuery } from '../store.ts'
import { equal, ok } from './assert.ts'
import { buildAttempt, claimOne, delivered, listAll, publish, retry, settle, setUp } from './deliveries.ts'
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

/** Lists, pages, values and pruning. */
export const listingCases = defineCases({
  'lists events in the order in which they happened, and in reverse': async (store) => {
    await setUp(store, [])
    const published = await publish(store, byNumber(2), byNumber(1), byNumber(3))
    const ids = published.map(({ id }) => id)
    const forward = await store.listEvents({ organizationId: 'acme', limit: 10 })
    equal(
      forward.items.map(({ id }) => id),
      ids,
    )
    const backward = await store.listEvents({ organizationId: 'acme', limit: 10, order: 'newest_first' })
    equal(
      backward.items.map(({ id }) => id),
      ids.toReversed(),
    )
    equal(backward.nextCursor, undefined)
  },

  'returns an event as it was stored': async (store) => {
    await setUp(store, [])
    const published = buildEvent({ waitsFor: 'CALL_ENDED', subject: 'call:c1' })
    await store.addEvent(published)
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [published])
  },

  'finds events by id, names and subject': async (store) => {
    await setUp(store, [])
    const [first, second] = await publish(store, { name: 'A', subject: 's1' }, { name: 'B', subject: 's1' })
    await publish(store, { name: 'A', subject: 's2' })
    const find = async (query: object) => {
      const { items } = await store.listEvents({ organizationId: 'acme', limit: 10, ...query })
      return items.map(({ id }) => id)
    }
    equal(await find({ eventId: second?.id }), [second?.id])
    equal(await find({ names: ['A'], subject: 's1' }), [first?.id])
    equal((await find({ names: ['A'] })).length, 2)
    equal((await find({ names: ['A', 'B'] })).length, 3)
    equal(await find({ eventId: 'nobody' }), [])
  },

  'finds events by a subscription that they have a delivery to': async (store) => {
    const [digits, other] = ['15550100001', '15550100009']
    await setUp(store, [
      buildSubscription(),
      buildSubscription({ id: 'sub_2', digits: other, disabledReason: 'by_hand' }),
    ])
    const [first, second] = await publish(
      store,
      { ...byNumber(1), digits },
      { ...byNumber(2), digits: other },
    )
    const find = async (query: object) => {
      const { items } = await store.listEvents({ organizationId: 'acme', limit: 10, ...query })
      return items.map(({ id }) => id)
    }
    equal(await find({ subscriptionId: 'sub_1' }), [first?.id])
    equal(await find({ subscriptionId: 'sub_2', order: 'newest_first' }), [second?.id])
    equal(await find({ subscriptionId: 'sub_2', names: ['A'] }), [])
    equal(await find({ subscriptionId: 'nobody' }), [])
    const part = { organizationId: 'acme', limit: 10, maxExamined: 1, subscriptionId: 'sub_2' }
    const { items, nextCursor } = await store.listEvents(part)
    equal(items, [], 'one event may be examined, and it is of the other subscription')
    equal(
      (await store.listEvents({ ...part, cursor: nextCursor })).items.map(({ id }) => id),
      [second?.id],
    )
  },

  'finds events and deliveries by number, time and text of their event': async (store) => {
    const [digits, other] = ['15550100001', '15550100009']
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2', digits: other })])
    const [first, second, third] = await publish(
      store,
      { ...byNumber(1), digits, payload: '{"recap":"Wants 100% of it, ÄRGER"}' },
      { ...byNumber(2), digits: other, payload: '{"recap":"wants_1000 of it"}' },
      { ...byNumber(3), digits, payload: '{"recap":"nothing"}' },
    )
    const find = async (query: object) => {
      const events = await store.listEvents({ organizationId: 'acme', limit: 10, ...query })
      const deliveries = await store.listDeliveries({ organizationId: 'acme', limit: 10, ...query })
      const ids = events.items.map(({ id }) => id)
      equal(
        deliveries.items.map(({ eventId }) => eventId),
        ids,
      )
      return ids
    }
    equal(await find({ digits }), [first?.id, third?.id])
    equal(await find({ occurredFrom: start + 2 }), [second?.id, third?.id])
    equal(await find({ occurredBefore: start + 2 }), [first?.id])
    equal(await find({ text: 'WANTS' }), [first?.id, second?.id])
    equal(await find({ text: '100%' }), [first?.id])
    equal(await find({ text: 's_1' }), [second?.id])
    equal(await find({ text: 'ÄRGER' }), [first?.id])
    equal(await find({ text: 'ärger' }), [], 'only ASCII letters match in any case')
    equal(await find({ text: third?.id }), [third?.id])
    equal(await find({ text: 'wants', digits: other, names: ['GROUP_CREATED'] }), [second?.id])
  },

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

  'ends a page when enough was examined, and finds everything on the pages together': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    const names = ['A', 'B', 'A', 'B', 'B', 'B', 'B', 'A']
    await publish(store, ...names.map((name, index) => ({ ...byNumber(index), name })))
    const query = { organizationId: 'acme', limit: 10, maxExamined: 3, names: ['A'] }
    for (const order of ['oldest_first', 'newest_first'] as const) {
      for (const more of [{}, { subscriptionId: 'sub_2' }, { statuses: ['pending'] as const }]) {
        const listEvents = (cursor?: string) => store.listEvents({ ...query, order, cursor })
        const listDeliveries = (cursor?: string) => store.listDeliveries({ ...query, ...more, order, cursor })
        for (const [list, count] of [
          [listEvents, 3],
          [listDeliveries, 'subscriptionId' in more ? 3 : 6],
        ] as const) {
          const seen = new Set<string>()
          let pages = 0
          let isEnd = false
          for (let cursor: string | undefined; !isEnd; pages++) {
            const { items, nextCursor } = await list(cursor)
            for (const { id } of items) seen.add(id)
            isEnd = nextCursor === undefined || (order === 'oldest_first' && seen.size === count)
            cursor = nextCursor
            ok(pages < 20, 'the pages end')
          }
          equal(seen.size, count)
          ok(pages > 1, 'no page examines everything')
        }
      }
    }
  },

  'pages forward through events while more are added, each exactly once': async (store) => {
    await setUp(store, [])
    const published = await publish(store, ...Array.from({ length: 5 }, (_, index) => byNumber(index)))
    const seen: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < 6; page++) {
      const { items, nextCursor } = await store.listEvents({ organizationId: 'acme', limit: 2, cursor })
      seen.push(...items.map(({ id }) => id))
      ok((nextCursor !== undefined) === items.length > 0, 'every page that is not empty has a cursor')
      cursor = nextCursor ?? cursor
      if (page < 2) published.push(...(await publish(store, byNumber(10 + page))))
    }
    equal(
      seen,
      published.map(({ id }) => id),
    )
  },

  'continues after an event that was found by its id': async (store) => {
    await setUp(store, [])
    const published = await publish(store, ...[1, 2, 3].map(byNumber))
    const found = await store.listEvents({ organizationId: 'acme', limit: 1, eventId: published[0]?.id })
    const rest = await store.listEvents({ organizationId: 'acme', limit: 9, cursor: found.nextCursor })
    equal(rest.items, published.slice(1))
  },

  'pages backward through events while more are added, each exactly once': async (store) => {
    await setUp(store, [])
    const published = await publish(store, ...Array.from({ length: 5 }, (_, index) => byNumber(index)))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = { organizationId: 'acme', limit: 2, cursor, order: 'newest_first' as const }
      const { items, nextCursor } = await store.listEvents(page)
      seen.push(...items.map(({ id }) => id))
      cursor = nextCursor
      await publish(store, byNumber(10))
    } while (cursor !== undefined)
    equal(seen, published.map(({ id }) => id).toReversed())
  },

  'finds deliveries by id, event, subscription, status and time': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2', events: ['B'] })])
    const [first, second] = await publish(store, { ...byNumber(1), name: 'A' }, { ...byNumber(2), name: 'B' })
    await settle(store, await claimOne(store, { limit: 1, now: start + 9 }), delivered)
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

  'pages through deliveries in both directions, each exactly once': async (store) => {
    await setUp(store)
    await publish(store, ...Array.from({ length: 7 }, (_, index) => byNumber(index)))
    const all = (await listAll(store)).map(({ id }) => id)
    equal(all.length, 7)
    for (const order of ['oldest_first', 'newest_first'] as const) {
      const seen: string[] = []
      let cursor: string | undefined
      for (let page = 0; page < 4; page++) {
        const query = { organizationId: 'acme', limit: 2, cursor, order }
        const { items, nextCursor } = await store.listDeliveries(query)
        seen.push(...items.map(({ id }) => id))
        cursor = nextCursor
      }
      equal(seen, order === 'oldest_first' ? all : all.toReversed())
    }
  },

  'lists the attempts of a delivery in order, only for its own organization': async (store) => {
    await setUp(store)
    await publish(store, {})
    const first = await claimOne(store)
    await settle(store, first, retry(1_000))
    await settle(store, await claimOne(store, { now: start + 1_000 }), delivered)
    const { id } = first.delivery
    equal(await store.listAttempts('acme', id), [
      { ...buildAttempt({ status: 500 }), deliveryId: id, number: 1, succeeded: false, deferred: false },
      { ...buildAttempt(), deliveryId: id, number: 2, succeeded: true, deferred: false },
    ])
    equal(await store.listAttempts('other', id), [])
    equal(await store.listAttempts('acme', 'nobody'), [])
  },

  'stores large texts unchanged': async (store) => {
    await setUp(store)
    const payload = JSON.stringify({ text: '日本語 🎉 "\\ \u2028'.repeat(60_000) })
    const responseBody = '🎉'.repeat(2_048)
    await publish(store, { payload })
    const claimed = await claimOne(store)
    ok(claimed.event.payload === payload, 'the payload is unchanged')
    await settle(store, claimed, { kind: 'delivered', attempt: buildAttempt({ responseBody }) })
    const [kept] = await store.listAttempts('acme', claimed.delivery.id)
    ok(kept?.responseBody === responseBody, 'the response body is unchanged')
    await store.saveCall({ call: buildCall(), event: null })
    const large = buildSummary({ summary: { recap: payload, keyPoints: [payload], nextSteps: [] } })
    await store.saveSummary({ summary: large, event: null })
    const found = await store.findCall('acme', 'c1')
    ok(found?.summary?.summary.keyPoints[0] === payload, 'the summary is unchanged')
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
      equal(await list({ organizationId: 'nobody' }), { ids: [] })
    }
    equal((await listCalls({ state: 'ended' })).ids, ['c.1'])
    equal((await listGroups({ text: 'team_3' })).ids, ['c.3'])
  },

  'distinguishes ids that differ only in case, accents, spaces or quotes': async (store) => {
    await setUp(store, [])
    const ids = [
      'a',
      'A',
      'a ',
      ' a',
      'á',
      'a\u0301',
      "a'",
      'a"',
      'a\\',
      'a%',
      'a_',
      '__proto__',
      'a\n',
      '🎉',
      '\u{1F468}',
    ]
    for (const clientCustomGroupId of ids) {
      const { outcome } = await store.createGroup({
        group: buildGroup({ clientCustomGroupId }),
        event: buildEvent(),
      })
      equal(outcome, 'created', clientCustomGroupId)
    }
    for (const id of ids) equal((await store.findGroup('acme', id))?.clientCustomGroupId, id)
  },

  'stores times in milliseconds, far in the past and in the future': async (store) => {
    await setUp(store, [])
    for (const [index, createdAt] of [0, 1, 1_767_225_600_123, 253_402_300_799_999].entries()) {
      const clientCustomGroupId = `g${index}`
      await store.createGroup({ group: buildGroup({ clientCustomGroupId, createdAt }), event: buildEvent() })
      equal((await store.findGroup('acme', clientCustomGroupId))?.createdAt, createdAt)
    }
  },

  'prunes finished deliveries with their attempts, and events without deliveries': async (store) => {
    await setUp(store)
    const [old, unsettled, recent] = await publish(store, byNumber(1), byNumber(2), byNumber(3))
    const claimed = await claimOne(store, { limit: 1, now: start + 3 })
    await settle(store, claimed, delivered, start + 10)
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
    equal(await store.listAttempts('acme', claimed.delivery.id), [])
    equal((await store.listDeliveries({ organizationId: 'acme', eventId: old?.id, limit: 10 })).items, [])
  },

  'treats the settlement of a pruned delivery as stale': async (store) => {
    await setUp(store)
    await publish(store, {})
    const claimed = await claimOne(store)
    await store.saveSubscription(buildSubscription({ revision: 2, disabledReason: 'by_hand' }))
    await store.prune({ before: start + 1, limit: 100 })
    const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
    equal(items, [])
    equal((await settle(store, claimed, delivered)).outcome, 'stale')
  },

  'prunes no more records at once than the limit': async (store) => {
    await setUp(store, [])
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await publish(store, byNumber(1), byNumber(2), { ...byNumber(3), organizationId: 'other' })
    equal(await store.prune({ before: start + 9, limit: 2 }), 2)
    equal(await store.prune({ before: start + 9, limit: 2 }), 1)
    equal(await store.prune({ before: start + 9, limit: 2 }), 0)
  },

  'knows after pruning that a call has a summary and a group id is taken': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    await settle(store, await claimOne(store), delivered)
    await store.saveCall({ call: buildCall(), event: null })
    await store.saveSummary({ summary: buildSummary(), event: buildEvent({ subject: 'call:c1' }) })
    await settle(store, await claimOne(store), delivered)
    equal(await store.prune({ before: start + 1, limit: 100 }), 4)
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'replaced')
    equal((await store.createGroup({ group: buildGroup(), event: buildEvent() })).outcome, 'same')
    equal(await listAll(store), [])
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
