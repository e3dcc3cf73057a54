import { equal, ok } from './assert.ts'
import {
  claim,
  claimOne,
  delivered,
  listAll,
  listNames,
  listStatuses,
  publish,
  released,
  retry,
  settle,
  settleSlowly,
  setUp,
} from './deliveries.ts'
import { buildOrganization, buildSubscription, start, wabaDigits } from './records.ts'
import { defineCases } from './store-case.ts'

const subjects = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    subject: `group:g${from + index}`,
    name: `E${from + index}`,
  }))

/** Claims, leases and their limits. */
export const claimCases = defineCases({
  'claims only due deliveries': async (store) => {
    await setUp(store)
    await publish(store, { occurredAt: start + 100 })
    equal(await store.nextDueAt(), start + 100)
    equal(await claim(store, { now: start + 99 }), [])
    equal((await claim(store, { now: start + 100 })).length, 1)
  },

  'returns with a claim what an attempt needs, as of now': async (store) => {
    await setUp(store)
    const [published] = await publish(store, {})
    const changed = buildSubscription({
      revision: 2,
      url: 'https://elsewhere.example/',
      secret: 'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3',
      previousSecret: { secret: buildSubscription().secret, expiresAt: start + 5 },
    })
    await store.saveSubscription(changed)
    const claimed = await claimOne(store, { leaseMs: 500 })
    equal(claimed.event, published)
    equal(claimed.subscription, changed)
    equal(claimed.delivery, {
      id: claimed.delivery.id,
      organizationId: 'acme',
      subscriptionId: 'sub_1',
      eventId: published?.id,
      eventName: 'GROUP_CREATED',
      subject: 'group:g1',
      webhookId: published?.id,
      status: 'claimed',
      dueAt: start + 500,
      attempts: 0,
      failures: 0,
      deferrals: 0,
      deferredMs: 0,
      createdAt: start,
      finishedAt: null,
    })
    equal(await listAll(store), [claimed.delivery])
  },

  'claims one delivery at a time of a failing subscription, until it succeeds': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(8))
    const shares = { perSubscription: 3, suspects: { limit: 100, failing: 100, except: [] } }
    await settle(store, await claimOne(store, shares), delivered)
    const [first, ...others] = await claim(store, shares)
    equal(others.length, 2)
    ok(first, 'one is claimed')
    await settle(store, first, retry(5_000, true))
    equal(await claim(store, shares), [])
    for (const each of others) await settle(store, each, retry(5_000, true))
    const second = await claimOne(store, shares)
    equal(await claim(store, shares), [])
    await settle(store, second, delivered)
    equal((await claim(store, shares)).length, 3)
  },

  'claims one delivery at a time of a new subscription, until it succeeds': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(5))
    const shares = { perSubscription: 3, suspects: { limit: 100, failing: 100, except: [] } }
    const first = await claimOne(store, shares)
    equal(first.pace, 'new')
    equal(await claim(store, shares), [])
    await settle(store, first, delivered)
    equal(
      (await claim(store, shares)).map(({ pace }) => pace),
      ['quick', 'quick', 'quick'],
    )
  },

  'claims a released delivery with the same limits as before': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(5))
    const shares = { perSubscription: 3, suspects: { limit: 100, failing: 100, except: [] } }
    await settle(store, await claimOne(store, shares), released)
    equal((await claimOne(store, shares)).pace, 'new')
  },

  'claims deliveries of a slow subscription from the share of the suspect ones': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(8))
    const shares = { limit: 100, perSubscription: 3 }
    const first = await claimOne(store, { ...shares, suspects: { limit: 1, failing: 0, except: [] } })
    await settleSlowly(store, first)
    equal(await claim(store, { ...shares, suspects: { limit: 0, failing: 9, except: [] } }), [])
    equal(await claim(store, { ...shares, suspects: { limit: 9, failing: 9, except: ['acme'] } }), [])
    const claimed = await claim(store, { ...shares, suspects: { limit: 9, failing: 9, except: ['other'] } })
    equal(
      claimed.map(({ pace }) => pace),
      ['slow', 'slow', 'slow'],
    )
  },

  'claims failing subscriptions from a share of their own': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(3))
    await settle(store, await claimOne(store, { limit: 1 }), retry(5_000, true))
    equal(await claim(store, { suspects: { limit: 9, failing: 0, except: [] } }), [])
    equal(await claim(store, { suspects: { limit: 9, failing: 9, except: ['acme'] } }), [])
    const failing = await claimOne(store, { suspects: { limit: 0, failing: 9, except: [] } })
    equal(failing.pace, 'failing')
  },

  'claims suspect subscriptions in addition to the quick ones': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_new', digits: '222' })])
    await publish(store, ...subjects(5))
    const suspects = { limit: 2, failing: 0, except: [] }
    await settle(store, await claimOne(store, { suspects }), delivered)
    await publish(store, ...subjects(5, 5).map((each) => ({ ...each, digits: '222' })))
    const claimed = await claim(store, { limit: 2, suspects })
    equal(claimed.map(({ subscription: owner }) => owner.id).sort(), ['sub_1', 'sub_1', 'sub_new'])
    equal((await claim(store, { limit: 0, suspects: { limit: 0, failing: 9, except: [] } })).length, 0)
  },

  'treats a subscription with a changed URL, or one that was enabled again, as new': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(9))
    const suspects = { limit: 1, failing: 0, except: [] }
    await settle(store, await claimOne(store, { suspects }), delivered)
    await store.saveSubscription(buildSubscription({ revision: 2, events: ['E1'] }))
    const [quick] = await claim(store, { limit: 1, suspects: { limit: 0, failing: 9, except: [] } })
    ok(quick, 'another change does not affect the pace')
    await store.saveSubscription(buildSubscription({ revision: 3, url: 'https://elsewhere.example/' }))
    equal(await claim(store, { suspects: { limit: 0, failing: 9, except: [] } }), [])
    await settle(store, quick, delivered)
    await store.saveSubscription(buildSubscription({ revision: 4, disabledReason: 'by_hand' }))
    await store.saveSubscription(buildSubscription({ revision: 5 }))
    await publish(store, ...subjects(3, 9))
    equal((await claimOne(store, { suspects })).pace, 'new')
  },

  'lets organizations take turns, however many due deliveries one of them has': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    await publish(store, ...subjects(20))
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await store.saveSubscription(buildSubscription({ organizationId: 'other' }))
    const later = { organizationId: 'other', occurredAt: start + 1 }
    await publish(store, ...subjects(5, 20).map((each) => ({ ...each, ...later })))
    const claimed = await claim(store, { limit: 8, now: start + 1 })
    const counts = [
      ['acme', 'sub_1'],
      ['acme', 'sub_2'],
      ['other', 'sub_1'],
    ].map(
      ([organizationId, id]) =>
        claimed.filter(({ subscription: own }) => own.organizationId === organizationId && own.id === id)
          .length,
    )
    equal(counts, [2, 2, 4])
  },

  'claims no delivery twice until its lease expires': async (store) => {
    await setUp(store)
    await publish(store, {})
    await claimOne(store, { leaseMs: 1_000 })
    equal(await claim(store, { now: start + 999 }), [])
    equal(await store.nextDueAt(), start + 1_000)
  },

  'claims a delivery again when its lease has expired, and rejects the result of the first claim': async (
    store,
  ) => {
    await setUp(store)
    await publish(store, {})
    const first = await claimOne(store, { leaseMs: 1_000 })
    const second = await claimOne(store, { now: start + 1_000 })
    equal(second.delivery.id, first.delivery.id)
    equal(await settle(store, first, delivered), { outcome: 'stale' })
    equal(await listStatuses(store), ['claimed'])
    equal((await settle(store, second, delivered)).outcome, 'settled')
    equal((await store.listAttempts('acme', first.delivery.id)).length, 1)
  },

  'claims deliveries whose lease has expired before those that were due meanwhile': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(2))
    await claim(store, { leaseMs: 1_000 })
    await publish(store, ...subjects(2, 2).map((each) => ({ ...each, occurredAt: start + 500 })))
    const claimNames = async () => listNames(await claim(store, { now: start + 1_000, limit: 1 }))
    equal([await claimNames(), await claimNames(), await claimNames()], [['E0'], ['E1'], ['E2']])
  },

  'accepts a late result if the delivery has not been claimed again': async (store) => {
    await setUp(store)
    await publish(store, {})
    const claimed = await claimOne(store, { leaseMs: 1_000 })
    equal((await settle(store, claimed, delivered, start + 5_000)).outcome, 'settled')
    equal(await claim(store, { now: start + 5_000 }), [])
  },

  'claims no more deliveries than the limit': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(5))
    equal((await claim(store, { limit: 2 })).length, 2)
    equal((await claim(store, { limit: 2 })).length, 2)
    equal((await claim(store, { limit: 2 })).length, 1)
    equal((await claim(store, { limit: 2 })).length, 0)
  },

  'claims the delivery that is due earliest first': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2', digits: '222' })])
    await publish(
      store,
      { name: 'C', subject: 's1', occurredAt: start + 3 },
      { name: 'A', subject: 's2', occurredAt: start + 1 },
      { name: 'B', subject: 's3', occurredAt: start + 2, digits: '222' },
      { name: 'D', subject: 's4', occurredAt: start + 4, digits: '222' },
    )
    equal(listNames(await claim(store, { now: start + 9, limit: 2 })).sort(), ['A', 'B'])
    equal(listNames(await claim(store, { now: start + 9, limit: 2 })).sort(), ['C', 'D'])
  },

  'never claims more deliveries of one subscription than allowed': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(6))
    const first = await claim(store, { perSubscription: 2 })
    equal(first.length, 2)
    equal((await claim(store, { perSubscription: 2 })).length, 0)
    const [one] = first
    if (one !== undefined) await settle(store, one, delivered)
    equal((await claim(store, { perSubscription: 2 })).length, 1)
    equal((await claim(store, { perSubscription: 4 })).length, 2)
  },

  'does not count expired leases': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(4))
    equal((await claim(store, { perSubscription: 2, leaseMs: 1_000 })).length, 2)
    const again = await claim(store, { perSubscription: 2, now: start + 1_000 })
    equal(again.length, 2)
    equal((await claim(store, { perSubscription: 2, now: start + 1_001 })).length, 0)
  },

  'does not let a subscription that has reached its maximum reduce the claims of others': async (store) => {
    await setUp(store, [
      buildSubscription({ id: 'sub_slow', digits: '111' }),
      buildSubscription({ id: 'sub_quick' }),
    ])
    await publish(store, ...subjects(50).map((each) => ({ ...each, digits: '111' })))
    await publish(
      store,
      ...subjects(3, 50).map((each) => ({ ...each, digits: wabaDigits, occurredAt: start + 1 })),
    )
    const claimed = await claim(store, { limit: 6, perSubscription: 3, now: start + 1 })
    const counts = ['sub_slow', 'sub_quick'].map(
      (id) => claimed.filter(({ subscription: owner }) => owner.id === id).length,
    )
    equal(counts, [3, 3])
  },

  'returns no delivery to two concurrent claims': async (store) => {
    await setUp(store)
    await publish(store, ...subjects(40))
    const claims = Array.from({ length: 10 }, (_, index) => claim(store, { limit: 8, claimId: `c${index}` }))
    const ids = (await Promise.all(claims)).flat().map(({ delivery }) => delivery.id)
    equal(new Set(ids).size, ids.length)
    const rest = await claim(store, { limit: 100 })
    equal(ids.length + rest.length, 40)
  },

  'returns the next due time': async (store) => {
    await setUp(store)
    equal(await store.nextDueAt(), undefined)
    await publish(store, { name: 'A', subject: 's1' }, { name: 'B', subject: 's2' })
    equal(await store.nextDueAt(), start)
    const [first, second] = await claim(store, { leaseMs: 60_000 })
    equal(await store.nextDueAt(), start + 60_000)
    if (first !== undefined) await settle(store, first, retry(5_000))
    equal(await store.nextDueAt(), start + 5_000)
    if (second !== undefined) await settle(store, second, delivered)
    equal(await store.nextDueAt(), start + 5_000)
  },

  'sets a released delivery due at once, without counting an attempt': async (store) => {
    await setUp(store)
    await publish(store, { name: 'A' }, { name: 'B' })
    const claimed = await claimOne(store)
    const outcome = await settle(store, claimed, released, start + 5)
    ok(outcome.outcome === 'settled', 'the release is settled')
    equal(
      [outcome.delivery.status, outcome.delivery.dueAt, outcome.delivery.attempts],
      ['pending', start + 5, 0],
    )
    equal(await store.listAttempts('acme', claimed.delivery.id), [])
    equal(listNames(await claim(store, { now: start + 5 })), ['A'])
  },
})
