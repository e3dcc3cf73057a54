import type { SubscriptionRecord } from '../../src/records.ts'
import type { Store } from '../../src/store.ts'
import { equal, includes, ok } from './assert.ts'
import {
  begin,
  beginOne,
  buildAttempt,
  defer,
  delivered,
  exhausted,
  gone,
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

const day = 86_400_000
const find = { organizationId: 'acme', subscriptionId: 'sub_1' }

const isTried = async (store: Store): Promise<boolean | undefined> => {
  const request = { organizationId: 'acme', subscriptionIds: ['sub_1'], limit: 1 }
  return (await store.measureUnfinished(request))[0]?.isTried
}

/** Settlements and disabled subscriptions. */
export const settlementCases = defineCases({
  'records a success': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    const outcome = await settle(store, begun, delivered, start + 20)
    const expected = {
      ...begun.delivery,
      status: 'delivered',
      dueAt: null,
      attempts: 1,
      finishedAt: start + 20,
    }
    equal(outcome, {
      outcome: 'settled',
      delivery: expected,
      version: 1,
      disabled: null,
      health: [],
      next: null,
    })
    equal(await listAll(store), [expected])
  },

  'records a failure, and sets the delivery due after its pause': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    const outcome = await settle(store, begun, retry(5_000), start + 20)
    const expected = {
      ...begun.delivery,
      status: 'pending',
      dueAt: start + 5_020,
      attempts: 1,
      failures: 1,
    }
    equal(outcome, {
      outcome: 'settled',
      delivery: expected,
      version: 1,
      disabled: null,
      health: [],
      next: null,
    })
    equal(await begin(store, { now: start + 5_019 }), [])
    equal((await beginOne(store, { now: start + 5_020 })).delivery.failures, 1)
  },

  'defers a delivery: it blocks its lane, counts its deferrals, and is neither a failure nor a success':
    async (store) => {
      await setUp(store)
      await publish(store, { name: 'A' }, { name: 'B' })
      const begun = await beginOne(store)
      const counts = { status: 'pending', dueAt: start + 6_020, attempts: 1, deferrals: 1, deferredMs: 6_000 }
      const expected = { ...begun.delivery, ...counts }
      const outcome = await settle(store, begun, defer(6_000), start + 20)
      equal(outcome, {
        outcome: 'settled',
        delivery: expected,
        version: 1,
        disabled: null,
        health: [],
        next: null,
      })
      equal((await listAll(store))[0], expected)
      equal(await begin(store, { now: start + 6_019 }), [])
      const again = await beginOne(store, { now: start + 6_020 })
      includes(again.delivery, { failures: 0, deferrals: 1, deferredMs: 6_000 })
      equal(again.pace, 'new')
      await settle(store, again, defer(1_000), start + 6_020)
      const last = await beginOne(store, { now: start + 7_020 })
      includes(last.delivery, { deferrals: 2, deferredMs: 7_000 })
      equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, null)
      await settle(store, last, delivered)
      equal(
        (await store.listAttempts('acme', begun.delivery.id)).map(({ succeeded, deferred }) => [
          succeeded,
          deferred,
        ]),
        [
          [false, true],
          [false, true],
          [true, false],
        ],
      )
    },

  'stores the pace that a settlement contains, and otherwise keeps it': async (store) => {
    await setUp(store)
    await publish(store, { subject: 's1' }, { subject: 's2' }, { subject: 's3' })
    const [first, second] = await begin(store, { limit: 2 })
    ok(first !== undefined && second !== undefined, 'two were due')
    equal(first.pace, 'new')
    equal(await isTried(store), false)
    const settled = { now: start, result: delivered, failingLimitMs: day }
    await store.settleDeliveries([{ ...first.key, ...settled, pace: 'slow' }])
    await store.settleDeliveries([{ ...second.key, ...settled }])
    equal((await beginOne(store)).pace, 'slow')
    equal(await isTried(store), true)
  },

  'returns to the pace of a new subscription with another URL, and when enabled again': async (store) => {
    await setUp(store)
    let revision = 1
    const save = (change: Partial<SubscriptionRecord>) =>
      store.saveSubscription(buildSubscription({ revision: ++revision, ...change }))
    const url = 'https://other.example/'
    for (const [changes, pace] of [
      [[{ maxAttemptsPerSecond: 9 }], 'slow'],
      [[{ url }], 'new'],
      [[{ url, disabledReason: 'by_hand' }, { url }], 'new'],
    ] as const) {
      await publish(store, {})
      const { key } = await beginOne(store)
      const settled = { now: start, result: delivered, failingLimitMs: day }
      await store.settleDeliveries([{ ...key, ...settled, pace: 'slow' }])
      for (const change of changes) await save(change)
      equal(await isTried(store), pace !== 'new')
      await publish(store, {})
      const begun = await beginOne(store)
      equal(begun.pace, pace)
      await settle(store, begun, delivered)
    }
  },

  'does not disable a failing subscription because of a deferral': async (store) => {
    await setUp(store)
    await publish(store, {})
    await settle(store, await beginOne(store), retry(5 * day))
    const outcome = await settle(
      store,
      await beginOne(store, { now: start + 5 * day }),
      defer(1_000),
      start + 5 * day,
    )
    equal(outcome.outcome === 'settled' && [outcome.disabled, outcome.delivery.status], [null, 'pending'])
    equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, start)
  },

  'records an exhausted delivery, which does not block its lane': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const outcome = await settle(store, await beginOne(store), exhausted, start + 20)
    ok(outcome.outcome === 'settled', 'A is settled')
    includes(outcome.delivery, { status: 'exhausted', failures: 1, finishedAt: start + 20, dueAt: null })
    equal(listNames(await begin(store, { now: start + 20 })), ['B'])
  },

  'writes nothing for another version, a second result or an unknown delivery': async (store) => {
    await setUp(store)
    await publish(store, {})
    const begun = await beginOne(store)
    const stale = { outcome: 'stale' }
    const { key } = begun
    equal(await settle(store, { key: { ...key, version: key.version + 1 } }, delivered), stale)
    equal(await settle(store, { key: { ...key, epoch: key.epoch - 1 } }, delivered), stale)
    equal(await settle(store, { key: { ...key, id: 'nobody' } }, delivered), stale)
    equal(await listAll(store), [begun.delivery])
    await settle(store, begun, retry(1_000))
    equal(await settle(store, begun, delivered), stale)
    equal((await store.listAttempts('acme', begun.delivery.id)).length, 1)
  },

  'disables a subscription that is gone, and skips its unfinished deliveries': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    await publish(store, { name: 'A' }, { name: 'B' }, { name: 'C', subject: 's2' })
    const begun = await begin(store)
    const first = begun.find(({ event, subscription: { id } }) => event.name === 'A' && id === 'sub_1')
    ok(first !== undefined, 'A was loaded')
    const outcome = await settle(store, first, gone, start + 9)
    ok(outcome.outcome === 'settled', 'A is settled')
    equal(outcome.disabled, 'gone')
    includes(outcome.delivery, { status: 'skipped', attempts: 1, finishedAt: start + 9 })
    includes(await store.findSubscription('acme', 'sub_1'), {
      disabledReason: 'gone',
      revision: 2,
      updatedAt: start + 9,
    })
    const { items } = await store.listDeliveries({ ...find, limit: 10 })
    equal(
      items.map(({ status }) => status),
      ['skipped', 'skipped', 'skipped'],
    )
    equal((await store.findSubscription('acme', 'sub_2'))?.disabledReason, null)
  },

  'skips what fails in the batch in which a 410 disables its subscription': async (store) => {
    await setUp(store)
    await publish(store, { subject: 's1' }, { subject: 's2' }, { subject: 's3' }, { subject: 's4' })
    const keys = (await begin(store)).map(({ key }) => key)
    const common = { now: start + 9, failingLimitMs: 86_400_000 }
    const results = [gone, retry(1_000), retry(1_000), delivered]
    const outcomes = await store.settleDeliveries(
      keys.map((key, index) => ({ ...key, ...common, result: results[index] ?? delivered })),
    )
    equal(
      outcomes.map((each) => each.outcome === 'settled' && [each.delivery.status, each.disabled]),
      [
        ['skipped', 'gone'],
        ['skipped', null],
        ['skipped', null],
        ['delivered', null],
      ],
    )
    equal((await store.findSubscription('acme', 'sub_1'))?.disabledReason, 'gone')
  },

  'skips a refused delivery, which is neither a failure nor a success, and lets its lane continue': async (
    store,
  ) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const outcome = await settle(store, await beginOne(store), refused, start + 9)
    ok(outcome.outcome === 'settled', 'A is settled')
    includes(outcome.delivery, { status: 'skipped', attempts: 1, failures: 0, finishedAt: start + 9 })
    equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, null)
    equal(listNames(await begin(store)), ['B'])
  },

  'stores deliveries to a disabled subscription as skipped': async (store) => {
    await setUp(store, [buildSubscription({ disabledReason: 'by_hand' })])
    await publish(store, { occurredAt: start + 5 })
    const [kept] = await listAll(store)
    includes(kept, { status: 'skipped', dueAt: null, finishedAt: start + 5, attempts: 0 })
    equal(await begin(store, { now: start + day }), [])
  },

  'skips unfinished deliveries when a subscription is disabled, and does not restore them automatically':
    async (store) => {
      await setUp(store)
      await publish(store, { name: 'A' }, { name: 'B' })
      const disabled = buildSubscription({ revision: 2, disabledReason: 'by_hand', updatedAt: start + 7 })
      equal(await store.saveSubscription(disabled), 'saved')
      equal(
        (await listAll(store)).map(({ status, finishedAt }) => [status, finishedAt]),
        [
          ['skipped', start + 7],
          ['skipped', start + 7],
        ],
      )
      await store.saveSubscription(buildSubscription({ revision: 3 }))
      await publish(store, { name: 'C' })
      equal(listNames(await begin(store)), ['C'])
    },

  'accepts the success of an attempt that was canceled in the meantime': async (store) => {
    await setUp(store)
    await publish(store, { subject: 's1' }, { subject: 's2' })
    for (const [index, result] of [delivered, retry(1_000)].entries()) {
      const [begun] = await begin(store, { limit: 1 })
      ok(begun !== undefined, 'one is due')
      const request = { organizationId: 'acme', deliveryId: begun.key.id, now: start }
      equal(await store.cancelDelivery(request), true)
      equal((await settle(store, begun, result)).outcome, 'settled')
      equal(await settle(store, begun, result), { outcome: 'stale' })
      equal((await listStatuses(store))[index], index === 0 ? 'delivered' : 'skipped')
      equal((await store.listAttempts('acme', begun.key.id)).length, 1)
    }
    equal(await begin(store, { now: start + day }), [])
  },

  'accepts the success of an attempt whose subscription was disabled in the meantime': async (store) => {
    for (const [index, result] of [delivered, retry(1_000), defer(1_000)].entries()) {
      if (index === 0) await setUp(store)
      const revision = index * 2 + 1
      await publish(store, { subject: `s${index}` })
      const begun = await beginOne(store)
      await store.saveSubscription(buildSubscription({ revision: revision + 1, disabledReason: 'by_hand' }))
      equal((await listStatuses(store)).at(-1), 'skipped')
      equal((await settle(store, begun, result)).outcome, 'settled')
      equal((await listStatuses(store)).at(-1), index === 0 ? 'delivered' : 'skipped')
      await store.saveSubscription(buildSubscription({ revision: revision + 2 }))
      equal(await begin(store, { now: start + day }), [])
    }
  },

  'disables a subscription if all attempts have failed for 5 days': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B', subject: 's2' }, { name: 'C', subject: 's3' })
    const [first, second, early] = await begin(store)
    ok(first !== undefined && second !== undefined && early !== undefined, 'all were loaded')
    await settle(store, first, retry(5 * day - 1, true, start + 1), start + 1)
    equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, start + 1)
    const before = await settle(store, early, retry(1, true, start + 5 * day), start + 5 * day)
    equal(before.outcome === 'settled' && before.disabled, null)
    const after = await settle(store, second, retry(1, true), start + 1 + 5 * day)
    equal(after.outcome === 'settled' && [after.disabled, after.delivery.status], ['failing', 'skipped'])
    includes(await store.findSubscription('acme', 'sub_1'), {
      disabledReason: 'failing',
      failingSince: start + 1,
    })
    equal(await listStatuses(store), ['skipped', 'skipped', 'skipped'])
  },

  'resets failingSince when an attempt succeeds': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B', subject: 's2' })
    const [first, second] = await begin(store)
    ok(first !== undefined && second !== undefined, 'both were loaded')
    await settle(store, first, retry(5 * day, true))
    await settle(store, second, delivered, start + 5 * day)
    equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, null)
    const again = await beginOne(store, { now: start + 5 * day })
    const outcome = await settle(store, again, retry(1, true, start + 5 * day), start + 5 * day)
    equal(outcome.outcome === 'settled' && outcome.disabled, null)
    equal((await store.findSubscription('acme', 'sub_1'))?.failingSince, start + 5 * day)
  },

  'resets failingSince when the URL of a subscription changes or it is enabled again, but not otherwise':
    async (store) => {
      await setUp(store)
      await publish(store, {})
      await settle(store, await beginOne(store), retry(1_000))
      const since = async () => (await store.findSubscription('acme', 'sub_1'))?.failingSince
      await store.saveSubscription(buildSubscription({ revision: 2, events: ['A'], failingSince: null }))
      equal(await since(), start)
      await store.saveSubscription(buildSubscription({ revision: 3, disabledReason: 'by_hand' }))
      equal(await since(), start)
      await store.saveSubscription(buildSubscription({ revision: 4 }))
      equal(await since(), null)
      await publish(store, { subject: 's2' })
      await settle(store, await beginOne(store), retry(1_000))
      equal(await since(), start)
      await store.saveSubscription(buildSubscription({ revision: 5, url: 'https://other.example/' }))
      equal(await since(), null)
    },

  'writes a subscription by compare-and-set': async (store) => {
    await setUp(store)
    equal(await store.saveSubscription(buildSubscription()), 'stale')
    equal(await store.saveSubscription(buildSubscription({ revision: 3 })), 'stale')
    await publish(store, {})
    await settle(store, await beginOne(store), gone)
    equal(await store.saveSubscription(buildSubscription({ revision: 2 })), 'stale')
    equal(await store.saveSubscription(buildSubscription({ revision: 3 })), 'saved')
  },

  'removes a subscription with its deliveries, whose attempts become stale': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    await publish(store, { name: 'A' }, { name: 'B' })
    const begun = await begin(store)
    const own = begun.find(({ subscription: { id } }) => id === 'sub_1')
    ok(own !== undefined, 'A was loaded')
    equal(await store.removeSubscription('acme', 'sub_1'), true)
    equal(await store.removeSubscription('acme', 'sub_1'), false)
    equal(await store.findSubscription('acme', 'sub_1'), undefined)
    equal(await settle(store, own, delivered), { outcome: 'stale' })
    equal((await store.listDeliveries({ ...find, limit: 10 })).items, [])
    equal(
      (await listAll(store)).map(({ subscriptionId }) => subscriptionId),
      ['sub_2', 'sub_2'],
    )
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items.length, 2)
  },

  'numbers attempts without gaps, even after a resend': async (store) => {
    await setUp(store)
    await publish(store, {})
    const first = await beginOne(store)
    await settle(store, first, exhausted)
    const again = { organizationId: 'acme', now: start, limit: 10, webhookIdSuffix: null }
    await store.resendDeliveries(again)
    await settle(store, await beginOne(store), { kind: 'delivered', attempt: buildAttempt({ status: 204 }) })
    const attempts = await store.listAttempts('acme', first.delivery.id)
    equal(
      attempts.map(({ number, status }) => [number, status]),
      [
        [1, 500],
        [2, 204],
      ],
    )
  },
})
