import type { EventRecord } from '../../src/records.ts'
import { operatorId } from '../../src/storage/decide-health.ts'
import type { AttemptVerdict, Store } from '../../src/store.ts'
import { equal, includes, ok } from './assert.ts'
import {
  type Begun,
  begin,
  beginOne,
  defer,
  delivered,
  exhausted,
  gone,
  publish,
  retry,
  settle,
  setUp,
} from './deliveries.ts'
import { buildOrganization, buildSubscription, start } from './records.ts'
import { defineCases } from './store-case.ts'

const minute = 60_000
const day = 1_440 * minute

const listHealth = async (store: Store, organizationId = 'acme'): Promise<EventRecord[]> =>
  (await store.listEvents({ organizationId, limit: 100 })).items.filter(
    ({ channel }) => channel === 'OPERATIONS',
  )

const listHealthNames = async (store: Store): Promise<string[]> =>
  (await listHealth(store)).map(({ name }) => name)

/** Settles attempts of new deliveries, one after another. */
const settleEach = async (
  store: Store,
  ...results: ReadonlyArray<readonly [result: AttemptVerdict, now: number]>
): Promise<void> => {
  for (const [result, now] of results) {
    const [event] = await publish(store, { subject: `s ${now} ${result.kind}` })
    const own = (await begin(store, { now })).find((each: Begun) => each.event.id === event?.id)
    ok(own !== undefined, 'the new delivery was loaded')
    await settle(store, own, result, now)
  }
}

const operations = buildSubscription({ id: 'operations', channel: 'OPERATIONS', number: '', digits: '' })

/** Events about subscription health. */
export const healthCases = defineCases({
  'reports a subscription once when its first delivery is exhausted, and once when it recovers': async (
    store,
  ) => {
    await setUp(store)
    await settleEach(store, [exhausted, start + 1], [exhausted, start + 2], [delivered, start + 3])
    equal(await listHealthNames(store), [
      'delivery.exhausted',
      'subscription.failing',
      'delivery.exhausted',
      'subscription.recovered',
    ])
    await settleEach(store, [delivered, start + 4], [exhausted, start + 5])
    equal((await listHealthNames(store)).slice(4), ['delivery.exhausted', 'subscription.failing'])
  },

  'reports a subscription with the first failure after ten minutes of failures, and not with a deferral':
    async (store) => {
      await setUp(store)
      await settleEach(
        store,
        [retry(day), start],
        [retry(day), start + 10 * minute - 1],
        [defer(day), start + 11 * minute],
      )
      equal(await listHealthNames(store), [])
      await settleEach(store, [retry(day), start + 12 * minute], [retry(day), start + 13 * minute])
      equal(await listHealthNames(store), ['subscription.failing'])
      equal((await store.findSubscription('acme', 'sub_1'))?.isReported, true)
    },

  'does not report a subscription that succeeded within ten minutes': async (store) => {
    await setUp(store)
    const later = retry(day, true, start + 6 * minute)
    await settleEach(
      store,
      [retry(day), start],
      [delivered, start + 5 * minute],
      [later, start + 6 * minute],
      [later, start + 11 * minute],
    )
    equal(await listHealthNames(store), [])
  },

  'does not disable a subscription because of failures before its last success, however many there were':
    async (store) => {
      await setUp(store)
      const fail = (now: number) => [retry(day, true, now), now] as const
      const alternate = Array.from({ length: 21 }, (_, index) => {
        const now = start + 10_000 + index
        return index % 2 === 0 ? ([delivered, now] as const) : fail(now)
      })
      await settleEach(store, fail(start), ...alternate, fail(start + 6 * day))
      equal((await store.findSubscription('acme', 'sub_1'))?.disabledReason, null)
    },

  'reports a subscription that is disabled, and its recovery once it is enabled again': async (store) => {
    await setUp(store)
    await settleEach(store, [gone, start])
    equal(await listHealthNames(store), ['subscription.disabled'])
    await store.saveSubscription(buildSubscription({ revision: 3, isReported: false }))
    includes(await store.findSubscription('acme', 'sub_1'), { isReported: true, failingSince: null })
    await settleEach(store, [retry(day), start + 1], [delivered, start + 2])
    equal(await listHealthNames(store), ['subscription.disabled', 'subscription.recovered'])
    equal((await store.findSubscription('acme', 'sub_1'))?.isReported, false)
  },

  'reports a subscription that fails for the whole limit as failing before it reports it as disabled': async (
    store,
  ) => {
    await setUp(store)
    await settleEach(store, [retry(day), start], [retry(day), start + 5 * day])
    equal(await listHealthNames(store), ['subscription.failing', 'subscription.disabled'])
  },

  'reports no recovery of a subscription that is disabled': async (store) => {
    await setUp(store)
    await publish(store, { subject: 'a' }, { subject: 'b' })
    const [first, second] = await begin(store)
    ok(first !== undefined && second !== undefined, 'both were loaded')
    await settle(store, first, gone)
    await settle(store, second, delivered)
    equal(await listHealthNames(store), ['subscription.disabled'])
  },

  'reports nothing for a stale settlement': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    await settle(store, begun, exhausted)
    equal(await settle(store, begun, exhausted), { outcome: 'stale' })
    equal((await listHealthNames(store)).length, 2)
  },

  'decides the settlements of a batch in order': async (store) => {
    await setUp(store)
    await publish(store, { subject: 'a' }, { subject: 'b' }, { subject: 'c' })
    const begun = await begin(store)
    const results = [exhausted, delivered, exhausted]
    const settlements = begun.map(({ key }, index) => ({
      ...key,
      now: start,
      result: results[index] ?? delivered,
      failingLimitMs: 5 * day,
    }))
    const outcomes = await store.settleDeliveries(settlements)
    const told = outcomes.flatMap((each) => (each.outcome === 'settled' ? each.health : []))
    const expected = ['exhausted', 'failing', 'recovered', 'exhausted', 'failing']
    equal(
      told.map(({ type }) => type.split('.')[1]),
      expected,
    )
    equal(
      (await listHealth(store)).map(({ payload }) => payload),
      told.map((event) => JSON.stringify(event)),
    )
  },

  'describes the cause of a health event': async (store) => {
    await setUp(store)
    await settleEach(store, [exhausted, start + 1])
    const [, failing] = await listHealth(store)
    ok(failing !== undefined, 'it was reported')
    includes(failing, {
      subject: 'subscription:sub_1',
      channel: 'OPERATIONS',
      digits: '',
      occurredAt: start + 1,
    })
    const [cause] = (await store.listEvents({ organizationId: 'acme', limit: 1 })).items
    equal(JSON.parse(failing.payload), {
      type: 'subscription.failing',
      timestamp: new Date(start + 1).toISOString(),
      data: {
        organizationId: 'acme',
        subscriptionId: 'sub_1',
        url: 'https://receiver.example/hook',
        failingSince: new Date(start).toISOString(),
        disabledReason: null,

        eventId: cause?.id,
        eventName: 'GROUP_CREATED',
        attempts: 1,
        lastResponse: { status: 500, error: null },
      },
    })
  },

  'delivers to the operational subscriptions of the organization, and reports nothing about these': async (
    store,
  ) => {
    await setUp(store, [buildSubscription(), operations, { ...operations, id: 'other', events: ['other'] }])
    await settleEach(store, [exhausted, start])
    const begun = await begin(store)
    equal(
      begun.map(({ event, subscription }) => [event.name, subscription.id]),
      [['delivery.exhausted', 'operations']],
    )
    for (const each of begun) await settle(store, each, exhausted)
    const [next] = await begin(store)
    equal(next?.event.name, 'subscription.failing')
    if (next !== undefined) await settle(store, next, gone, start + 9)
    equal(await listHealthNames(store), ['delivery.exhausted', 'subscription.failing'])
    includes(await store.findSubscription('acme', 'operations'), {
      disabledReason: 'gone',
      isReported: false,
    })
  },

  "publishes a copy for the operator's organization, if it exists": async (store) => {
    await setUp(store)
    await settleEach(store, [exhausted, start])
    equal(await listHealth(store, operatorId), [])
    await store.saveOrganization(buildOrganization({ id: operatorId, integrations: [], pstnNumbers: [] }))
    await store.saveSubscription({ ...operations, organizationId: operatorId })
    await settleEach(store, [delivered, start + 1])
    const copies = await listHealth(store, operatorId)
    const own = await listHealth(store)
    equal(
      copies.map(({ name, payload }) => [name, payload]),
      own.slice(2).map(({ name, payload }) => [name, payload]),
    )
    equal((await beginOne(store, { now: start + 1 })).subscription.organizationId, operatorId)
  },
})
