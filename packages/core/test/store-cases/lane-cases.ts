import type { Store } from '../../src/store.ts'
import { equal, ok } from './assert.ts'
import {
  begin,
  beginOne,
  delivered,
  exhausted,
  listAll,
  listNames,
  listStatuses,
  publish,
  retry,
  settle,
  setUp,
} from './deliveries.ts'
import { buildEvent, buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const later = start + 86_400_000

/**
 * Attempts two deliveries. The first fails and releases its lane. The other succeeds, so the subscription is not
 * failing.
 */
const retryFirst = async (store: Store, delayMs: number): Promise<void> => {
  const [first, other] = await begin(store)
  ok(first !== undefined && other !== undefined, 'both were loaded')
  await settle(store, first, retry(delayMs, true), start + 1)
  await settle(store, other, delivered, start + 1)
}

/** The order of deliveries. */
export const laneCases = defineCases({
  'publishes an event to one of the subscriptions that match, on request': async (store) => {
    await setUp(store, [
      buildSubscription(),
      buildSubscription({ id: 'sub_2' }),
      buildSubscription({ id: 'sub_3', events: ['B'] }),
    ])
    await store.addEventTo(buildEvent({ name: 'A' }), 'sub_2')
    await store.addEventTo(buildEvent({ name: 'A', subject: 'group:g2' }), 'sub_3')
    equal(
      (await listAll(store)).map(({ subscriptionId }) => subscriptionId),
      ['sub_2'],
    )
  },

  'delivers concurrent events of a lane in the order in which it lists them': async (store) => {
    await setUp(store)
    await Promise.all(Array.from({ length: 30 }, () => store.addEvent(buildEvent())))
    const { items } = await store.listEvents({ organizationId: 'acme', limit: 100 })
    const sent: string[] = []
    for (const _ of items) {
      const begun = await beginOne(store)
      sent.push(begun.event.id)
      await settle(store, begun, delivered)
    }
    equal(
      sent,
      items.map(({ id }) => id),
    )
    equal(
      (await listAll(store)).map(({ eventId }) => eventId),
      sent,
    )
  },

  'delivers to subjects and subscriptions independently of each other': async (store) => {
    await setUp(store, [buildSubscription({ id: 'sub_1' }), buildSubscription({ id: 'sub_2' })])
    await publish(store, { name: 'A' }, { name: 'B', subject: 'group:g2' }, { name: 'C' })
    const begun = await begin(store)
    equal(listNames(begun).sort(), ['A', 'A', 'B', 'B'])
    const own = begun.find(({ event, subscription: { id } }) => event.name === 'A' && id === 'sub_2')
    if (own !== undefined) await settle(store, own, delivered)
    equal(
      (await begin(store)).map(({ event, subscription: { id } }) => `${event.name} ${id}`),
      ['C sub_2'],
    )
  },

  'blocks a lane while its first delivery is retried': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    await settle(store, await beginOne(store), retry(5_000))
    equal(await listStatuses(store), ['pending', 'waiting'])
    equal(await store.nextDueAt(), start + 5_000)
    equal(listNames(await begin(store, { now: later })), ['A'])
  },

  'unblocks a lane if a settlement releases it': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C' }, { name: 'X', subject: 'group:other' })
    await retryFirst(store, 5_000)
    equal(await listStatuses(store), ['pending', 'pending', 'waiting', 'delivered'])
    equal(
      (await listAll(store)).map(({ dueAt }) => dueAt),
      [start + 5_001, start, null, null],
    )
    const overtaking = await beginOne(store, { now: start + 1 })
    equal(overtaking.event.name, 'B')

    const overtaken = await beginOne(store, { now: start + 5_001 })
    equal(overtaken.event.name, 'A')
    await settle(store, overtaken, retry(5_000), start + 5_001)
    equal(await listStatuses(store), ['pending', 'pending', 'waiting', 'delivered'])
    await settle(store, overtaking, delivered, start + 5_001)
    equal(await listStatuses(store), ['pending', 'delivered', 'pending', 'delivered'])
  },

  'keeps a lane blocked by one delivery when an overtaken one is settled': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C' }, { name: 'X', subject: 'group:other' })
    await retryFirst(store, 1)
    const begun = await begin(store, { now: start + 2 })
    const overtaken = begun.find(({ event }) => event.name === 'A')
    ok(overtaken, 'both are loaded')
    await settle(store, overtaken, delivered, start + 2)
    equal(await listStatuses(store), ['delivered', 'pending', 'waiting', 'delivered'])
  },

  'never lets a delivery overtake the one for which it waits': async (store) => {
    for (const [index, result] of [delivered, exhausted].entries()) {
      const subject = `call:c${index}`
      if (index === 0) await setUp(store)
      await publish(
        store,
        { name: 'CALL_ENDED', subject },
        { name: 'CALL_AI_SUMMARY', subject, waitsFor: 'CALL_ENDED' },
      )
      let now = start
      for (let failures = 1; failures <= 5; failures++) {
        await settle(store, await beginOne(store, { now }), retry(1_000, failures >= 3), now)
        equal((await listStatuses(store)).slice(-2), ['pending', 'waiting'])
        now += 1_000
      }
      await settle(store, await beginOne(store, { now }), result, now)
      const summary = await beginOne(store, { now })
      equal(summary.event.name, 'CALL_AI_SUMMARY')
      await settle(store, summary, delivered, now)
    }
  },

  'waits for earlier events only, so that no lane blocks itself forever': async (store) => {
    await setUp(store)
    const subject = 'call:c1'
    await publish(
      store,
      { name: 'CALL_ENDED', subject },
      { name: 'CALL_AI_SUMMARY', subject, waitsFor: 'CALL_ENDED' },
      { name: 'CALL_ENDED', subject },
    )
    await settle(store, await beginOne(store), delivered)
    equal(await listStatuses(store), ['delivered', 'pending', 'waiting'])
  },

  'lets nothing overtake a delivery that waits for another': async (store) => {
    await setUp(store)
    const subject = 'call:c1'
    await publish(
      store,
      { name: 'CALL_ENDED', subject },
      { name: 'CALL_AI_SUMMARY', subject, waitsFor: 'CALL_ENDED' },
    )
    await settle(store, await beginOne(store), retry(9_000, true))
    await publish(store, { name: 'LATER', subject })
    equal(await listStatuses(store), ['pending', 'waiting', 'waiting'])
    await settle(store, await beginOne(store, { now: start + 9_000 }), delivered, start + 9_000)
    equal(await listStatuses(store), ['delivered', 'pending', 'waiting'])
  },

  'lets a delivery overtake those for which it does not wait': async (store) => {
    await setUp(store)
    const subject = 'call:c1'
    await publish(
      store,
      { name: 'CALL_ACCEPTED', subject },
      { name: 'CALL_ENDED', subject },
      { name: 'CALL_AI_SUMMARY', subject, waitsFor: 'CALL_ENDED' },
    )
    await settle(store, await beginOne(store), retry(9_000, true))
    await settle(store, await beginOne(store), delivered)
    equal(listNames(await begin(store)), ['CALL_AI_SUMMARY'])
  },

  'sets a delivery due if its subject has only finished deliveries': async (store) => {
    await setUp(store)
    await publish(store, { name: 'CALL_ENDED' })
    await settle(store, await beginOne(store), delivered)
    await publish(store, { name: 'CALL_AI_SUMMARY', waitsFor: 'CALL_ENDED', occurredAt: start + 5 })
    equal(await store.nextDueAt(), start + 5)
    equal(listNames(await begin(store, { now: start + 5 })), ['CALL_AI_SUMMARY'])
  },
})
