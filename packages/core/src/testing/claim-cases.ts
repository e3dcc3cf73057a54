import { equal, ok } from './assert.ts'
import {
  claim,
  claimOne,
  delivered,
  listAll,
  namesOf,
  open,
  released,
  retry,
  settle,
  settleSlowly,
  statuses,
  tell,
} from './deliveries.ts'
import { organization, start, subscription, wabaDigits } from './records.ts'
import { defineCases } from './store-case.ts'

const subjects = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    subject: `group:g${from + index}`,
    name: `E${from + index}`,
  }))

/** Claims, leases and what limits them. */
export const claimCases = defineCases({
  'claims what is due and nothing sooner': async (store) => {
    await open(store)
    await tell(store, { occurredAt: start + 100 })
    equal(await store.nextDueAt(), start + 100)
    equal(await claim(store, { now: start + 99 }), [])
    equal((await claim(store, { now: start + 100 })).length, 1)
  },

  'gives a claim what an attempt needs, as it is now': async (store) => {
    await open(store)
    const [told] = await tell(store, {})
    const changed = subscription({
      revision: 2,
      url: 'https://elsewhere.example/',
      secret: 'whsec_bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3',
      previousSecret: { secret: subscription().secret, expiresAt: start + 5 },
    })
    await store.saveSubscription(changed)
    const claimed = await claimOne(store, { leaseMs: 500 })
    equal(claimed.event, told)
    equal(claimed.subscription, changed)
    equal(claimed.delivery, {
      id: claimed.delivery.id,
      organizationId: 'acme',
      subscriptionId: 'sub_1',
      eventId: told?.id,
      eventName: 'GROUP_CREATED',
      subject: 'group:g1',
      webhookId: told?.id,
      status: 'claimed',
      dueAt: start + 500,
      attempts: 0,
      failures: 0,
      createdAt: start,
      finishedAt: null,
    })
    equal(await listAll(store), [claimed.delivery])
  },

  'claims one at a time of a subscription that fails, until it responds': async (store) => {
    await open(store)
    await tell(store, ...subjects(8))
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

  'claims one at a time of a new subscription, until it responds': async (store) => {
    await open(store)
    await tell(store, ...subjects(5))
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

  'claims what is released as before it was claimed': async (store) => {
    await open(store)
    await tell(store, ...subjects(5))
    const shares = { perSubscription: 3, suspects: { limit: 100, failing: 100, except: [] } }
    await settle(store, await claimOne(store, shares), released)
    equal((await claimOne(store, shares)).pace, 'new')
  },

  'gives a slow subscription its slots, but from the share of the suspect ones': async (store) => {
    await open(store)
    await tell(store, ...subjects(8))
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
    await open(store)
    await tell(store, ...subjects(3))
    await settle(store, await claimOne(store, { limit: 1 }), retry(5_000, true))
    equal(await claim(store, { suspects: { limit: 9, failing: 0, except: [] } }), [])
    equal(await claim(store, { suspects: { limit: 9, failing: 9, except: ['acme'] } }), [])
    const failing = await claimOne(store, { suspects: { limit: 0, failing: 9, except: [] } })
    equal(failing.pace, 'failing')
  },

  'claims suspect subscriptions in addition to the quick ones': async (store) => {
    await open(store, [subscription(), subscription({ id: 'sub_new', digits: '222' })])
    await tell(store, ...subjects(5))
    const suspects = { limit: 2, failing: 0, except: [] }
    await settle(store, await claimOne(store, { suspects }), delivered)
    await tell(store, ...subjects(5, 5).map((each) => ({ ...each, digits: '222' })))
    const claimed = await claim(store, { limit: 2, suspects })
    equal(claimed.map(({ subscription: owner }) => owner.id).sort(), ['sub_1', 'sub_1', 'sub_new'])
    equal((await claim(store, { limit: 0, suspects: { limit: 0, failing: 9, except: [] } })).length, 0)
  },

  'a subscription that gets another URL or is enabled again is new': async (store) => {
    await open(store)
    await tell(store, ...subjects(9))
    const suspects = { limit: 1, failing: 0, except: [] }
    await settle(store, await claimOne(store, { suspects }), delivered)
    await store.saveSubscription(subscription({ revision: 2, events: ['E1'] }))
    const [quick] = await claim(store, { limit: 1, suspects: { limit: 0, failing: 9, except: [] } })
    ok(quick, 'another change leaves it quick')
    await store.saveSubscription(subscription({ revision: 3, url: 'https://elsewhere.example/' }))
    equal(await claim(store, { suspects: { limit: 0, failing: 9, except: [] } }), [])
    await settle(store, quick, delivered)
    await store.saveSubscription(subscription({ revision: 4, disabledReason: 'by_hand' }))
    await store.saveSubscription(subscription({ revision: 5 }))
    await tell(store, ...subjects(3, 9))
    equal((await claimOne(store, { suspects })).pace, 'new')
  },

  'organizations take turns, however much one of them has due': async (store) => {
    await open(store, [subscription(), subscription({ id: 'sub_2' })])
    await tell(store, ...subjects(20))
    await store.saveOrganization(organization({ id: 'other' }))
    await store.saveSubscription(subscription({ organizationId: 'other' }))
    const later = { organizationId: 'other', occurredAt: start + 1 }
    await tell(store, ...subjects(5, 20).map((each) => ({ ...each, ...later })))
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

  'claims nothing twice while the lease holds': async (store) => {
    await open(store)
    await tell(store, {})
    await claimOne(store, { leaseMs: 1_000 })
    equal(await claim(store, { now: start + 999 }), [])
    equal(await store.nextDueAt(), start + 1_000)
  },

  'claims again what no result came for, and fences the first claim': async (store) => {
    await open(store)
    await tell(store, {})
    const first = await claimOne(store, { leaseMs: 1_000 })
    const second = await claimOne(store, { now: start + 1_000 })
    equal(second.delivery.id, first.delivery.id)
    equal(await settle(store, first, delivered), { outcome: 'stale' })
    equal(await statuses(store), ['claimed'])
    equal((await settle(store, second, delivered)).outcome, 'settled')
    equal((await store.listAttempts('acme', first.delivery.id)).length, 1)
  },

  'takes a late result while nobody has claimed again': async (store) => {
    await open(store)
    await tell(store, {})
    const claimed = await claimOne(store, { leaseMs: 1_000 })
    equal((await settle(store, claimed, delivered, start + 5_000)).outcome, 'settled')
    equal(await claim(store, { now: start + 5_000 }), [])
  },

  'claims at most so many': async (store) => {
    await open(store)
    await tell(store, ...subjects(5))
    equal((await claim(store, { limit: 2 })).length, 2)
    equal((await claim(store, { limit: 2 })).length, 2)
    equal((await claim(store, { limit: 2 })).length, 1)
    equal((await claim(store, { limit: 2 })).length, 0)
  },

  'claims the earliest due first': async (store) => {
    await open(store, [subscription(), subscription({ id: 'sub_2', digits: '222' })])
    await tell(
      store,
      { name: 'C', subject: 's1', occurredAt: start + 3 },
      { name: 'A', subject: 's2', occurredAt: start + 1 },
      { name: 'B', subject: 's3', occurredAt: start + 2, digits: '222' },
      { name: 'D', subject: 's4', occurredAt: start + 4, digits: '222' },
    )
    equal(namesOf(await claim(store, { now: start + 9, limit: 2 })).sort(), ['A', 'B'])
    equal(namesOf(await claim(store, { now: start + 9, limit: 2 })).sort(), ['C', 'D'])
  },

  'never has more of one subscription under lease than allowed': async (store) => {
    await open(store)
    await tell(store, ...subjects(6))
    const first = await claim(store, { perSubscription: 2 })
    equal(first.length, 2)
    equal((await claim(store, { perSubscription: 2 })).length, 0)
    const [one] = first
    if (one !== undefined) await settle(store, one, delivered)
    equal((await claim(store, { perSubscription: 2 })).length, 1)
    equal((await claim(store, { perSubscription: 4 })).length, 2)
  },

  'counts no lease that is over': async (store) => {
    await open(store)
    await tell(store, ...subjects(4))
    equal((await claim(store, { perSubscription: 2, leaseMs: 1_000 })).length, 2)
    const again = await claim(store, { perSubscription: 2, now: start + 1_000 })
    equal(again.length, 2)
    equal((await claim(store, { perSubscription: 2, now: start + 1_001 })).length, 0)
  },

  'takes nothing from others for a subscription without free slots': async (store) => {
    await open(store, [subscription({ id: 'sub_slow', digits: '111' }), subscription({ id: 'sub_quick' })])
    await tell(store, ...subjects(50).map((each) => ({ ...each, digits: '111' })))
    await tell(
      store,
      ...subjects(3, 50).map((each) => ({ ...each, digits: wabaDigits, occurredAt: start + 1 })),
    )
    const claimed = await claim(store, { limit: 6, perSubscription: 3, now: start + 1 })
    const counts = ['sub_slow', 'sub_quick'].map(
      (id) => claimed.filter(({ subscription: owner }) => owner.id === id).length,
    )
    equal(counts, [3, 3])
  },

  'gives no delivery to two claims at the same moment': async (store) => {
    await open(store)
    await tell(store, ...subjects(40))
    const claims = Array.from({ length: 10 }, (_, index) => claim(store, { limit: 8, claimId: `c${index}` }))
    const ids = (await Promise.all(claims)).flat().map(({ delivery }) => delivery.id)
    equal(new Set(ids).size, ids.length)
    const rest = await claim(store, { limit: 100 })
    equal(ids.length + rest.length, 40)
  },

  'says when the next claim can find something': async (store) => {
    await open(store)
    equal(await store.nextDueAt(), undefined)
    await tell(store, { name: 'A', subject: 's1' }, { name: 'B', subject: 's2' })
    equal(await store.nextDueAt(), start)
    const [first, second] = await claim(store, { leaseMs: 60_000 })
    equal(await store.nextDueAt(), start + 60_000)
    if (first !== undefined) await settle(store, first, retry(5_000))
    equal(await store.nextDueAt(), start + 5_000)
    if (second !== undefined) await settle(store, second, delivered)
    equal(await store.nextDueAt(), start + 5_000)
  },

  'makes a released delivery due at once, and counts nothing': async (store) => {
    await open(store)
    await tell(store, { name: 'A' }, { name: 'B' })
    const claimed = await claimOne(store)
    const outcome = await settle(store, claimed, released, start + 5)
    ok(outcome.outcome === 'settled', 'the release was recorded')
    equal(
      [outcome.delivery.status, outcome.delivery.dueAt, outcome.delivery.attempts],
      ['pending', start + 5, 0],
    )
    equal(await store.listAttempts('acme', claimed.delivery.id), [])
    equal(namesOf(await claim(store, { now: start + 5 })), ['A'])
  },
})
