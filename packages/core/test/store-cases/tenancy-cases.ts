import { equal, rejects } from './assert.ts'
import { begin, setUp } from './deliveries.ts'
import {
  buildApiKey,
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  buildSummary,
} from './records.ts'
import { defineCases } from './store-case.ts'

/** Organizations and keys. */
export const tenancyCases = defineCases({
  'returns an organization as it was saved': async (store) => {
    equal(await store.findOrganization('acme'), undefined)
    equal(await store.saveOrganization(buildOrganization()), 'saved')
    equal(await store.findOrganization('acme'), buildOrganization())
  },

  'writes an organization by compare-and-set': async (store) => {
    equal(await store.saveOrganization(buildOrganization({ revision: 2 })), 'stale')
    equal(await store.saveOrganization(buildOrganization()), 'saved')
    equal(await store.saveOrganization(buildOrganization({ callSummaries: 'manual' })), 'stale')
    equal(await store.saveOrganization(buildOrganization({ revision: 3, callSummaries: 'manual' })), 'stale')
    equal(await store.findOrganization('acme'), buildOrganization())
    equal(await store.saveOrganization(buildOrganization({ revision: 2, callSummaries: 'manual' })), 'saved')
    equal(await store.findOrganization('acme'), buildOrganization({ revision: 2, callSummaries: 'manual' }))
  },

  'saves exactly one of many concurrent writes of a revision': async (store) => {
    await store.saveOrganization(buildOrganization())
    const writes = Array.from({ length: 20 }, () =>
      store.saveOrganization(buildOrganization({ revision: 2 })),
    )
    const outcomes = await Promise.all(writes)
    equal(outcomes.filter((outcome) => outcome === 'saved').length, 1)
  },

  'lists organizations oldest first, page by page': async (store) => {
    for (const id of ['c', 'a', 'b']) await store.saveOrganization(buildOrganization({ id }))
    const first = await store.listOrganizations({ limit: 2 })
    equal(
      first.items.map(({ id }) => id),
      ['c', 'a'],
    )
    const second = await store.listOrganizations({ limit: 2, cursor: first.nextCursor })
    equal(second, { items: [buildOrganization({ id: 'b' })] })
  },

  'finds the caller of a key by its hash, with the organization as it is now': async (store) => {
    await store.saveOrganization(buildOrganization())
    equal(await store.addApiKey(buildApiKey({ wabaNumbers: ['15550100001'] })), 'added')
    equal((await store.findCaller('a'.repeat(64)))?.organization.id, 'acme')
    await store.saveOrganization(buildOrganization({ revision: 2, callSummaries: 'manual' }))
    equal(await store.findCaller('a'.repeat(64)), {
      key: buildApiKey({ wabaNumbers: ['15550100001'] }),
      organization: buildOrganization({ revision: 2, callSummaries: 'manual' }),
    })
    equal(await store.findCaller('c'.repeat(64)), undefined)
  },

  'rejects a key whose hash is in use by any organization': async (store) => {
    await store.saveOrganization(buildOrganization())
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await store.addApiKey(buildApiKey())
    equal(await store.addApiKey(buildApiKey({ id: 'key_2' })), 'taken')
    equal(await store.addApiKey(buildApiKey({ id: 'key_3', organizationId: 'other' })), 'taken')
    equal((await store.findCaller('a'.repeat(64)))?.organization.id, 'acme')
    equal(await store.listApiKeys('other'), [])
  },

  'lists the keys of an organization, oldest first, and removes keys with immediate effect': async (
    store,
  ) => {
    await store.saveOrganization(buildOrganization())
    const keys = ['c', 'a', 'b'].map((letter) =>
      buildApiKey({ id: `key_${letter}`, hash: letter.repeat(64) }),
    )
    for (const key of keys) await store.addApiKey(key)
    equal(await store.listApiKeys('acme'), keys)
    equal((await store.findCaller('a'.repeat(64)))?.organization.id, 'acme')
    equal(await store.removeApiKey('other', 'key_a'), false)
    equal(await store.removeApiKey('acme', 'key_a'), true)
    equal(await store.removeApiKey('acme', 'key_a'), false)
    equal(await store.findCaller('a'.repeat(64)), undefined)
    equal(
      (await store.listApiKeys('acme')).map(({ id }) => id),
      ['key_c', 'key_b'],
    )
    for (const key of keys.slice(1, 2)) equal(await store.addApiKey(key), 'added')
  },

  'removes an organization and everything that it owns': async (store) => {
    await setUp(store)
    await store.addApiKey(buildApiKey())
    equal((await store.findCaller('a'.repeat(64)))?.organization.id, 'acme')
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    await store.saveParticipant({ participant: buildParticipant(), event: buildEvent() })
    await store.saveCall({ call: buildCall(), event: buildEvent() })
    await store.saveSummary({ summary: buildSummary(), event: buildEvent() })
    equal(await store.removeOrganization('acme'), true)
    equal(await store.removeOrganization('acme'), false)

    equal(await begin(store), [])
    equal(await store.nextDueAt(), undefined)
    equal(await store.findCaller('a'.repeat(64)), undefined)
    await store.saveOrganization(buildOrganization())
    equal(await store.findGroup('acme', 'g1'), undefined)
    equal(
      await store.findParticipant({ organizationId: 'acme', groupId: 'g1', digits: '49301234' }),
      undefined,
    )
    equal(await store.findCall('acme', 'c1'), undefined)
    equal((await store.listSubscriptions('acme', { limit: 10 })).items, [])
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [])
    equal((await store.listDeliveries({ organizationId: 'acme', limit: 10 })).items, [])
    equal(await store.addApiKey(buildApiKey()), 'added')
  },

  'rejects changes for an organization that does not exist': async (store) => {
    const expected = { name: 'RecordNotFoundError', kind: 'organization', id: 'acme' }
    await rejects(store.addApiKey(buildApiKey()), expected)
    await rejects(store.createGroup({ group: buildGroup(), event: buildEvent() }), expected)
    await rejects(store.saveParticipant({ participant: buildParticipant(), event: buildEvent() }), expected)
    await rejects(store.saveCall({ call: buildCall(), event: null }), expected)
    await rejects(store.saveSummary({ summary: buildSummary(), event: null }), expected)
    await rejects(store.saveSubscription(buildSubscription()), expected)
    await rejects(store.addEvent(buildEvent()), expected)
  },

  'rejects a participant without a group, and a summary without a call': async (store) => {
    await setUp(store)
    const joining = store.saveParticipant({ participant: buildParticipant(), event: buildEvent() })
    await rejects(joining, { name: 'RecordNotFoundError', kind: 'group', id: 'g1' })
    const saving = store.saveSummary({ summary: buildSummary(), event: buildEvent() })
    await rejects(saving, { name: 'RecordNotFoundError', kind: 'call', id: 'c1' })
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [])
  },
})
