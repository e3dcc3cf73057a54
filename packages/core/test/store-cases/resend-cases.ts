import { newProgress } from '../../src/storage/progress.ts'
import type { ResendQuery, Store } from '../../src/store.ts'
import { equal, includes, ok } from './assert.ts'
import {
  begin,
  beginOne,
  defer,
  delivered,
  exhausted,
  listAll,
  listNames,
  listStatuses,
  publish,
  refused,
  retry,
  settle,
  setUp,
} from './deliveries.ts'
import { buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const resend = (store: Store, overrides: Partial<ResendQuery> = {}) =>
  store.resendDeliveries({
    organizationId: 'acme',
    now: start,
    limit: 100,
    webhookIdSuffix: null,
    ...overrides,
  })

/** Sending deliveries again, canceling them, and bringing an attempt forward. */
export const resendCases = defineCases({
  'cancels a delivery that waits for another attempt, and lets its lane continue': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const begun = await beginOne(store)
    const { id: deliveryId } = begun.delivery
    const cancel = (id: string, organizationId = 'acme') =>
      store.cancelDelivery({ organizationId, deliveryId: id, now: start + 1 })
    await settle(store, begun, retry(60_000))
    equal(await cancel(deliveryId, 'other'), false)
    equal(await cancel('nobody'), false)
    equal(await cancel(deliveryId), true)
    equal(await cancel(deliveryId), false, 'it is finished')
    const [first, second] = await listAll(store)
    includes(first, { status: 'skipped', dueAt: null, finishedAt: start + 1, attempts: 1 })
    includes(second, { status: 'pending', dueAt: start })
  },

  'cancels a delivery that waits for its turn': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C' })
    const [, second] = await listAll(store)
    equal(
      await store.cancelDelivery({ organizationId: 'acme', deliveryId: second?.id ?? '', now: start }),
      true,
    )
    equal(await listStatuses(store), ['pending', 'skipped', 'waiting'])
    await settle(store, await beginOne(store), delivered)
    equal((await beginOne(store)).event.name, 'C')
  },

  'makes a pending delivery due now, and continues its schedule': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const begun = await beginOne(store)
    const { id: deliveryId } = begun.delivery
    const request = { organizationId: 'acme', deliveryId, now: start + 1 }
    await settle(store, begun, retry(60_000))
    equal(await store.retryDelivery({ ...request, organizationId: 'other' }), false)
    const [, waiting] = await listAll(store)
    equal(await store.retryDelivery({ ...request, deliveryId: waiting?.id ?? '' }), false, 'it waits')
    equal(await store.retryDelivery(request), true)
    const again = await beginOne(store, { now: start + 1 })
    includes(again.delivery, { id: deliveryId, failures: 1, attempts: 1 })
    await settle(store, again, delivered, start + 1)
    equal((await beginOne(store, { now: start + 1 })).event.name, 'B')
  },

  'sends a finished delivery again, with its webhook-id and a new schedule': async (store) => {
    await setUp(store)
    const [published] = await publish(store, {})
    await settle(store, await beginOne(store), defer(1_000))
    await settle(store, await beginOne(store, { now: start + 1_000 }), exhausted)
    equal(await resend(store, { now: start + 2_000 }), { resent: 1 })
    const [delivery] = await listAll(store)
    includes(delivery, {
      status: 'pending',
      dueAt: start + 2_000,
      ...newProgress,
      attempts: 2,
      finishedAt: null,
      webhookId: published?.id,
    })
    await settle(store, await beginOne(store, { now: start + 2_000 }), delivered)
    equal(await listStatuses(store), ['delivered'])
  },

  'sends a delivery again as if it were new, whatever has happened to it': async (store) => {
    await setUp(store)
    const results = [retry(60_000), retry(60_000, true), defer(60_000), delivered, exhausted, refused]
    await publish(store, ...results.map((_, index) => ({ subject: `s${index}` })))
    const fresh = await listAll(store)
    for (const [index, begun] of (await begin(store)).entries())
      await settle(store, begun, results[index] ?? delivered)

    equal(await resend(store, { now: start + 9 }), { resent: results.length })
    const again = fresh.map((delivery) => ({ ...delivery, dueAt: start + 9, attempts: 1 }))
    equal(await listAll(store), again)
    const begun = await begin(store, { now: start + 9 })
    equal(
      begun.map(({ delivery }) => delivery),
      again,
    )
  },

  'changes nothing but the due time of a delivery that is retried, and its end if it is canceled': async (
    store,
  ) => {
    await setUp(store)
    for (const [index, result] of [retry(60_000), retry(60_000, true), defer(60_000)].entries()) {
      await publish(store, { subject: `s${index}` })
      await settle(store, await beginOne(store), result)
      const before = (await listAll(store)).at(-1)
      const request = { organizationId: 'acme', deliveryId: before?.id ?? '', now: start + 9 }
      equal(await store.retryDelivery(request), true)
      equal((await listAll(store)).at(-1), { ...before, dueAt: start + 9 })
      equal(await store.cancelDelivery(request), true)
      equal((await listAll(store)).at(-1), {
        ...before,
        status: 'skipped',
        dueAt: null,
        finishedAt: start + 9,
      })
    }
  },

  'uses a new webhook-id on request, which the delivery keeps': async (store) => {
    await setUp(store)
    const [published] = await publish(store, {})
    await settle(store, await beginOne(store), delivered)
    await resend(store, { webhookIdSuffix: '-2' })
    const begun = await beginOne(store)
    equal(begun.delivery.webhookId, `${published?.id}-2`)
    await settle(store, begun, delivered)
    await resend(store)
    equal((await beginOne(store)).delivery.webhookId, `${published?.id}-2`)
  },

  'sends skipped deliveries again once the subscription is enabled': async (store) => {
    await setUp(store, [buildSubscription({ disabledReason: 'by_hand' })])
    await publish(store, { name: 'A' }, { name: 'B' })
    equal(await resend(store), { resent: 0 })
    equal(await listStatuses(store), ['skipped', 'skipped'])
    await store.saveSubscription(buildSubscription({ revision: 2 }))
    equal(await resend(store, { statuses: ['skipped'] }), { resent: 2 })
    equal(await listStatuses(store), ['pending', 'waiting'])
  },

  'returns an overtaken delivery to its position in the lane, and lets one that was attempted keep its time':
    async (store) => {
      await setUp(store)
      await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C' })
      await settle(store, await beginOne(store), retry(9_000, true))
      await settle(store, await beginOne(store), retry(1_000))
      const [first] = await listAll(store)
      equal(await resend(store, { deliveryId: first?.id }), { resent: 1 })
      equal(await listStatuses(store), ['pending', 'pending', 'waiting'])
      equal(listNames(await begin(store, { now: start + 1_000 })), ['A', 'B'])
    },

  'does not change deliveries that were never attempted': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const begun = await beginOne(store)
    equal(await resend(store), { resent: 0 })
    equal(await listStatuses(store), ['pending', 'waiting'])
    equal((await settle(store, begun, delivered)).outcome, 'settled')
  },

  'rejects the result of an attempt whose delivery was sent again in the meantime': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    await store.saveSubscription(buildSubscription({ revision: 2, disabledReason: 'by_hand' }))
    await store.saveSubscription(buildSubscription({ revision: 3 }))
    equal(await resend(store), { resent: 1 })
    equal(await settle(store, begun, delivered), { outcome: 'stale' })
    equal(await listStatuses(store), ['pending'])
  },

  'preserves the order of a delivery and the one it waits for when both are sent again': async (store) => {
    await setUp(store)
    await publish(store, { name: 'CALL_ENDED' }, { name: 'CALL_AI_SUMMARY', waitsFor: 'CALL_ENDED' })
    await settle(store, await beginOne(store), delivered)
    await settle(store, await beginOne(store), delivered)
    await resend(store)
    await settle(store, await beginOne(store), retry(9_000, true))
    equal(await listStatuses(store), ['pending', 'waiting'])
    await settle(store, await beginOne(store, { now: start + 9_000 }), delivered)
    equal(await listStatuses(store), ['delivered', 'pending'])
  },

  'sends only the selected deliveries again': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    const [first, second] = await publish(
      store,
      { name: 'A', subject: 's1', occurredAt: start },
      { name: 'B', subject: 's2', occurredAt: start + 5 },
    )
    for (const begun of await begin(store, { now: start + 5 })) await settle(store, begun, delivered)
    const [one] = await listAll(store)
    ok(one !== undefined, 'there are deliveries')
    equal((await resend(store, { deliveryId: one.id })).resent, 1)
    equal((await resend(store, { eventId: second?.id })).resent, 2)
    equal(
      (await resend(store, { subscriptionId: 'sub_1', statuses: ['delivered'] })).resent,
      one.subscriptionId === 'sub_1' ? 0 : 1,
    )
    equal((await resend(store, { occurredBefore: start, statuses: ['delivered'] })).resent, 0)
    equal((await resend(store, { eventId: first?.id, organizationId: 'other' })).resent, 0)
  },

  'selects deliveries by the time at which they were finished': async (store) => {
    await setUp(store)
    await publish(store, ...['A', 'B', 'C', 'D'].map((name) => ({ name, subject: name })))
    const [first, second, third] = await begin(store)
    ok(first !== undefined && second !== undefined && third !== undefined, 'all are due')
    await settle(store, first, exhausted, start + 10)
    await settle(store, second, delivered, start + 20)
    await store.cancelDelivery({ organizationId: 'acme', deliveryId: third.key.id, now: start + 30 })
    const list = async (query: object): Promise<string[]> => {
      const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10, ...query })
      return items.map(({ eventName }) => eventName)
    }
    equal(await list({ finishedFrom: start + 20 }), ['B', 'C'])
    equal(await list({ finishedBefore: start + 30 }), ['A', 'B'])
    equal(await list({ finishedFrom: start + 10, finishedBefore: start + 30, subscriptionId: 'sub_1' }), [
      'A',
      'B',
    ])
    equal(await list({ finishedFrom: start + 10, finishedBefore: start + 11, subject: 'A' }), ['A'])
    const outage = { statuses: ['exhausted', 'skipped'] as const, finishedFrom: start + 11 }
    equal(await list({ ...outage, order: 'newest_first', maxExamined: 20 }), ['C'])
    equal(await resend(store, { ...outage, now: start + 40 }), { resent: 1 })
    equal(await listStatuses(store), ['exhausted', 'delivered', 'pending', 'pending'])
  },

  'sends a range of deliveries again page by page, each exactly once and in order': async (store) => {
    await setUp(store)
    const names = Array.from({ length: 7 }, (_, index) => `E${index}`)
    await publish(store, ...names.map((name) => ({ name })))
    for (const _ of names) await settle(store, await beginOne(store), delivered)
    const pages: number[] = []
    let cursor: string | undefined
    do {
      const outcome = await resend(store, { limit: 3, cursor, statuses: ['delivered'] })
      pages.push(outcome.resent)
      cursor = outcome.nextCursor
    } while (cursor !== undefined)
    equal(pages, [3, 3, 1])
    const seen: string[] = []
    for (const _ of names) {
      const begun = await beginOne(store)
      seen.push(begun.event.name)
      await settle(store, begun, delivered)
    }
    equal(seen, names)
  },
})
