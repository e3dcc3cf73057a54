import { equal, rejects } from './assert.ts'
import { claim, open, tell } from './deliveries.ts'
import {
  apiKey,
  call,
  event,
  group,
  organization,
  participant,
  start,
  subscription,
  summary,
} from './records.ts'
import { defineCases } from './store-case.ts'

/** Organizations and keys. */
export const tenancyCases = defineCases({
  'gives an organization back as it was saved': async (store) => {
    equal(await store.findOrganization('acme'), undefined)
    equal(await store.saveOrganization(organization()), 'saved')
    equal(await store.findOrganization('acme'), organization())
  },

  'writes a record only over the revision that it replaces': async (store) => {
    equal(await store.saveOrganization(organization({ revision: 2 })), 'stale')
    equal(await store.saveOrganization(organization()), 'saved')
    equal(await store.saveOrganization(organization({ callSummaries: 'manual' })), 'stale')
    equal(await store.saveOrganization(organization({ revision: 3, callSummaries: 'manual' })), 'stale')
    equal(await store.findOrganization('acme'), organization())
    equal(await store.saveOrganization(organization({ revision: 2, callSummaries: 'manual' })), 'saved')
    equal(await store.findOrganization('acme'), organization({ revision: 2, callSummaries: 'manual' }))
  },

  'saves exactly one of many writes of a revision at the same moment': async (store) => {
    await store.saveOrganization(organization())
    const writes = Array.from({ length: 20 }, () => store.saveOrganization(organization({ revision: 2 })))
    const outcomes = await Promise.all(writes)
    equal(outcomes.filter((outcome) => outcome === 'saved').length, 1)
  },

  'lists organizations oldest first, page by page': async (store) => {
    for (const id of ['c', 'a', 'b']) await store.saveOrganization(organization({ id }))
    const first = await store.listOrganizations({ limit: 2 })
    equal(
      first.items.map(({ id }) => id),
      ['c', 'a'],
    )
    const second = await store.listOrganizations({ limit: 2, cursor: first.nextCursor })
    equal(second, { items: [organization({ id: 'b' })] })
  },

  'finds the caller of a key by its hash, with the organization as it is now': async (store) => {
    await store.saveOrganization(organization())
    equal(await store.addApiKey(apiKey({ wabaNumbers: ['15550100001'] })), 'added')
    await store.saveOrganization(organization({ revision: 2, callSummaries: 'manual' }))
    equal(await store.findCaller('a'.repeat(64)), {
      key: apiKey({ wabaNumbers: ['15550100001'] }),
      organization: organization({ revision: 2, callSummaries: 'manual' }),
    })
    equal(await store.findCaller('c'.repeat(64)), undefined)
  },

  'refuses a key whose hash is in use, in whichever organization': async (store) => {
    await store.saveOrganization(organization())
    await store.saveOrganization(organization({ id: 'other' }))
    await store.addApiKey(apiKey())
    equal(await store.addApiKey(apiKey({ id: 'key_2' })), 'taken')
    equal(await store.addApiKey(apiKey({ id: 'key_3', organizationId: 'other' })), 'taken')
    equal((await store.findCaller('a'.repeat(64)))?.organization.id, 'acme')
    equal(await store.listApiKeys('other'), [])
  },

  'lists the keys of an organization, oldest first, and forgets a removed one at once': async (store) => {
    await store.saveOrganization(organization())
    const keys = ['c', 'a', 'b'].map((letter) => apiKey({ id: `key_${letter}`, hash: letter.repeat(64) }))
    for (const key of keys) await store.addApiKey(key)
    equal(await store.listApiKeys('acme'), keys)
    equal(await store.removeApiKey('other', 'key_a'), false)
    equal(await store.removeApiKey('acme', 'key_a'), true)
    equal(await store.removeApiKey('acme', 'key_a'), false)
    equal(await store.findCaller('a'.repeat(64)), undefined)
    equal(
      (await store.listApiKeys('acme')).map(({ id }) => id),
      ['key_c', 'key_b'],
    )
  },

  'removes an organization with everything it has': async (store) => {
    await open(store)
    await store.addApiKey(apiKey())
    await store.createGroup({ group: group(), event: event() })
    await store.saveParticipant({ participant: participant(), event: event() })
    await store.saveCall({ call: call(), event: event() })
    await store.saveSummary({ summary: summary(), event: event() })
    equal(await store.removeOrganization('acme'), true)
    equal(await store.removeOrganization('acme'), false)

    equal(await claim(store), [])
    equal(await store.nextDueAt(), undefined)
    equal(await store.findCaller('a'.repeat(64)), undefined)
    await store.saveOrganization(organization())
    equal(await store.findGroup('acme', 'g1'), undefined)
    equal(
      await store.findParticipant({ organizationId: 'acme', groupId: 'g1', digits: '49301234' }),
      undefined,
    )
    equal(await store.findCall('acme', 'c1'), undefined)
    equal((await store.listSubscriptions('acme', { limit: 10 })).items, [])
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [])
    equal((await store.listDeliveries({ organizationId: 'acme', limit: 10 })).items, [])
    equal(await store.addApiKey(apiKey()), 'added')
  },

  'refuses changes for an organization that does not exist': async (store) => {
    const expected = { name: 'RecordNotFoundError', kind: 'organization', id: 'acme' }
    await rejects(store.addApiKey(apiKey()), expected)
    await rejects(store.createGroup({ group: group(), event: event() }), expected)
    await rejects(store.saveParticipant({ participant: participant(), event: event() }), expected)
    await rejects(store.saveCall({ call: call(), event: null }), expected)
    await rejects(store.saveSummary({ summary: summary(), event: null }), expected)
    await rejects(store.saveSubscription(subscription()), expected)
    await rejects(store.addEvent(event()), expected)
  },

  'shows nothing of one organization to another': async (store) => {
    await open(store)
    await store.saveOrganization(organization({ id: 'other' }))
    await store.createGroup({ group: group(), event: event() })
    await store.saveCall({ call: call(), event: null })
    const [told] = await tell(store, {})
    const deliveries = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
    equal(deliveries.items.length, 2)
    equal(await store.findGroup('other', 'g1'), undefined)
    equal(await store.findCall('other', 'c1'), undefined)
    equal(await store.findSubscription('other', 'sub_1'), undefined)
    equal((await store.listEvents({ organizationId: 'other', eventId: told?.id, limit: 10 })).items, [])
    equal((await store.listDeliveries({ organizationId: 'other', limit: 10 })).items, [])
    equal(await store.removeSubscription('other', 'sub_1'), false)
    const selection = { organizationId: 'other', limit: 10, now: start, webhookIdSuffix: null }
    equal((await store.resendDeliveries(selection)).resent, 0)
  },
})
