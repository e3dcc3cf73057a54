import { equal, ok } from './assert.ts'
import { publish, setUp } from './deliveries.ts'
import { buildEvent, buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const byNumber = (index: number) => ({ subject: `group:g${index}`, occurredAt: start + index })

/** Finding and paging through events. */
export const eventListingCases = defineCases({
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

  'finds events by a subscription to which they have a delivery': async (store) => {
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
    equal(items, [], 'one event may be examined, and it belongs to the other subscription')
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

  'ends a page when enough records were examined, and finds everything across all pages': async (store) => {
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
})
