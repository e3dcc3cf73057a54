import { equal, ok, rejects } from './assert.ts'
import { listAll, publish, setUp } from './deliveries.ts'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  buildSummary,
  start,
} from './records.ts'
import { defineCases } from './store-case.ts'

/** Groups, participants, calls and summaries, with their events. */
export const changeCases = defineCases({
  'creates a group together with its event and the deliveries of the event': async (store) => {
    await setUp(store)
    const published = buildEvent()
    equal(await store.createGroup({ group: buildGroup(), event: published }), {
      outcome: 'created',
      group: buildGroup(),
    })
    equal(await store.findGroup('acme', 'g1'), buildGroup())
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [published])
    equal(
      (await listAll(store)).map(({ eventId }) => eventId),
      [published.id],
    )
  },

  'treats a group with the same id and request hash as a retry': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    const again = buildGroup({ subject: 'Another', createdAt: start + 1 })
    equal(await store.createGroup({ group: again, event: buildEvent() }), {
      outcome: 'same',
      group: buildGroup(),
    })
    equal((await listAll(store)).length, 1)
  },

  'treats a group with the same id and another request hash, or none, as a conflict': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    for (const requestHash of ['c'.repeat(64), null]) {
      const other = buildGroup({ requestHash })
      equal(await store.createGroup({ group: other, event: buildEvent() }), {
        outcome: 'conflict',
        group: buildGroup(),
      })
    }
    const generated = buildGroup({ clientCustomGroupId: 'g2', requestHash: null })
    await store.createGroup({ group: generated, event: buildEvent() })
    equal(await store.createGroup({ group: generated, event: buildEvent() }), {
      outcome: 'conflict',
      group: generated,
    })
    equal((await listAll(store)).length, 2)
  },

  'writes a participant by compare-and-set, together with the event': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    const key = { organizationId: 'acme', groupId: 'g1', digits: '49301234' }
    equal(await store.findParticipant(key), undefined)
    equal(await store.saveParticipant({ participant: buildParticipant(), event: buildEvent() }), 'saved')
    equal(
      await store.saveParticipant({ participant: buildParticipant({ state: 'left' }), event: buildEvent() }),
      'stale',
    )
    const left = buildParticipant({ revision: 2, state: 'left' })
    equal(await store.saveParticipant({ participant: left, event: buildEvent() }), 'saved')
    equal(await store.findParticipant(key), left)
    equal((await listAll(store)).length, 3)
  },

  'writes a call by compare-and-set, together with the event, if there is one': async (store) => {
    await setUp(store)
    equal(await store.saveCall({ call: buildCall(), event: buildEvent() }), 'saved')
    equal(await store.saveCall({ call: buildCall(), event: buildEvent() }), 'stale')
    const missed = buildCall({ revision: 2, state: 'missed' })
    equal(await store.saveCall({ call: missed, event: null }), 'saved')
    equal(await store.findCall('acme', 'c1'), { call: missed })
    equal((await listAll(store)).length, 1)
  },

  'publishes an event for the first summary of a call, and replaces it later without an event': async (
    store,
  ) => {
    await setUp(store)
    await store.saveCall({ call: buildCall(), event: null })
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'first')
    const second = buildSummary({ generatedBy: 'team_member', generatedAt: start + 5 })
    equal(await store.saveSummary({ summary: second, event: buildEvent() }), 'replaced')
    equal(await store.findCall('acme', 'c1'), { call: buildCall(), summary: second })
    equal((await listAll(store)).length, 1)
  },

  'treats a summary without an event as the first one': async (store) => {
    await setUp(store)
    await store.saveCall({ call: buildCall(), event: null })
    equal(await store.saveSummary({ summary: buildSummary(), event: null }), 'first')
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'replaced')
    equal(await listAll(store), [])
  },

  'changes nothing if the event of a change cannot be stored': async (store) => {
    await setUp(store)
    await store.saveCall({ call: buildCall(), event: null })
    const group = buildGroup({ clientCustomGroupId: 'g0' })
    await store.createGroup({ group, event: buildEvent({ digits: '0' }) })
    const [taken] = await publish(store, { id: 'evt_taken' })
    ok(taken !== undefined, 'an event was published')
    await rejects(store.createGroup({ group: buildGroup(), event: taken }))
    const participant = buildParticipant({ groupId: 'g0' })
    await rejects(store.saveParticipant({ participant, event: taken }))
    await rejects(store.saveCall({ call: buildCall({ revision: 2, state: 'accepted' }), event: taken }))
    await rejects(store.saveSummary({ summary: buildSummary(), event: taken }))
    equal(await store.findGroup('acme', 'g1'), undefined)
    equal(await store.findParticipant(participant), undefined)
    equal(await store.findCall('acme', 'c1'), { call: buildCall() })
    equal((await listAll(store)).length, 1)
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'first')
  },

  'creates a delivery for each subscription that matches organization, channel, digits and name': async (
    store,
  ) => {
    await setUp(store, [
      buildSubscription({ id: 'sub_all' }),
      buildSubscription({ id: 'sub_named', events: ['GROUP_CREATED', 'CALL_ENDED'] }),
      buildSubscription({ id: 'sub_other_name', events: ['CALL_ENDED'] }),
      buildSubscription({ id: 'sub_other_number', digits: '999' }),
      buildSubscription({ id: 'sub_other_channel', channel: 'PSTN' }),
    ])
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await store.saveSubscription(buildSubscription({ id: 'sub_other_organization', organizationId: 'other' }))
    const [known, unknown] = await publish(store, {}, { name: 'SOMETHING_NEW', subject: 'x' })
    const pairs = (await listAll(store)).map(({ eventId, subscriptionId }) => [eventId, subscriptionId])
    equal(pairs.slice(0, 2).sort(), [
      [known?.id, 'sub_all'],
      [known?.id, 'sub_named'],
    ])
    equal(pairs.slice(2), [[unknown?.id, 'sub_all']])
  },
})
