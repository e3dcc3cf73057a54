import type { Store } from '../store.ts'
import { equal, ok, rejects } from './assert.ts'
import { claimOne, listAll, open, released, settle, tell } from './deliveries.ts'
import { call, event, group, organization, participant, start, subscription, summary } from './records.ts'
import { defineCases } from './store-case.ts'

/** Resolves when the store first says that something fell due, and counts how often it did; rejects after 5 s. */
const awaitWake = (store: Store) => {
  let wakes = 0
  const woken = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('nobody was woken within 5 s')), 5_000)
    const stop = store.onDue(() => {
      wakes++
      clearTimeout(timer)
      stop()
      resolve()
    })
  })
  return { woken, wakes: () => wakes }
}

/** Groups, participants, calls and summaries: a change and its event are one. */
export const changeCases = defineCases({
  'creates a group together with its event and the deliveries of it': async (store) => {
    await open(store)
    const told = event()
    equal(await store.createGroup({ group: group(), event: told }), { outcome: 'created', group: group() })
    equal(await store.findGroup('acme', 'g1'), group())
    equal((await store.listEvents({ organizationId: 'acme', limit: 10 })).items, [told])
    equal(
      (await listAll(store)).map(({ eventId }) => eventId),
      [told.id],
    )
  },

  'takes a group of the same id and request hash for a repetition': async (store) => {
    await open(store)
    await store.createGroup({ group: group(), event: event() })
    const again = group({ subject: 'Another', createdAt: start + 1 })
    equal(await store.createGroup({ group: again, event: event() }), { outcome: 'same', group: group() })
    equal((await listAll(store)).length, 1)
  },

  'takes a group of the same id and another request hash, or none, for a conflict': async (store) => {
    await open(store)
    await store.createGroup({ group: group(), event: event() })
    for (const requestHash of ['c'.repeat(64), null]) {
      const other = group({ requestHash })
      equal(await store.createGroup({ group: other, event: event() }), {
        outcome: 'conflict',
        group: group(),
      })
    }
    const generated = group({ clientCustomGroupId: 'g2', requestHash: null })
    await store.createGroup({ group: generated, event: event() })
    equal(await store.createGroup({ group: generated, event: event() }), {
      outcome: 'conflict',
      group: generated,
    })
    equal((await listAll(store)).length, 2)
  },

  'creates one group of 100 identical creates at the same moment': async (store) => {
    await open(store)
    const creates = Array.from({ length: 100 }, () => store.createGroup({ group: group(), event: event() }))
    const outcomes = (await Promise.all(creates)).map(({ outcome }) => outcome)
    equal(outcomes.filter((outcome) => outcome === 'created').length, 1)
    equal(outcomes.filter((outcome) => outcome === 'same').length, 99)
    equal((await listAll(store)).length, 1)
  },

  'creates one group of 100 conflicting creates at the same moment': async (store) => {
    await open(store)
    const creates = Array.from({ length: 100 }, (_, index) =>
      store.createGroup({ group: group({ requestHash: String(index).padStart(64, '0') }), event: event() }),
    )
    const outcomes = (await Promise.all(creates)).map(({ outcome }) => outcome)
    equal(outcomes.filter((outcome) => outcome === 'created').length, 1)
    equal(outcomes.filter((outcome) => outcome === 'conflict').length, 99)
    equal((await listAll(store)).length, 1)
  },

  'keeps groups of the same id in two organizations apart': async (store) => {
    await open(store)
    await store.saveOrganization(organization({ id: 'other' }))
    const other = group({ organizationId: 'other', subject: 'Theirs' })
    await store.createGroup({ group: group(), event: event() })
    equal(
      (await store.createGroup({ group: other, event: event({ organizationId: 'other' }) })).outcome,
      'created',
    )
    equal((await store.findGroup('acme', 'g1'))?.subject, 'Launch')
    equal((await store.findGroup('other', 'g1'))?.subject, 'Theirs')
  },

  'writes a membership by compare-and-set, together with its event': async (store) => {
    await open(store)
    await store.createGroup({ group: group(), event: event() })
    const key = { organizationId: 'acme', groupId: 'g1', digits: '49301234' }
    equal(await store.findParticipant(key), undefined)
    equal(await store.saveParticipant({ participant: participant(), event: event() }), 'saved')
    equal(
      await store.saveParticipant({ participant: participant({ state: 'left' }), event: event() }),
      'stale',
    )
    const left = participant({ revision: 2, state: 'left' })
    equal(await store.saveParticipant({ participant: left, event: event() }), 'saved')
    equal(await store.findParticipant(key), left)
    equal((await listAll(store)).length, 3)
  },

  'writes a call by compare-and-set, together with its event, if it has one': async (store) => {
    await open(store)
    equal(await store.saveCall({ call: call(), event: event() }), 'saved')
    equal(await store.saveCall({ call: call(), event: event() }), 'stale')
    const missed = call({ revision: 2, state: 'missed' })
    equal(await store.saveCall({ call: missed, event: null }), 'saved')
    equal(await store.findCall('acme', 'c1'), { call: missed })
    equal((await listAll(store)).length, 1)
  },

  'tells one event of many steps of a call at the same moment': async (store) => {
    await open(store)
    await store.saveCall({ call: call(), event: event() })
    const steps = Array.from({ length: 20 }, () =>
      store.saveCall({
        call: call({ revision: 2, state: 'accepted' }),
        event: event({ name: 'CALL_ACCEPTED' }),
      }),
    )
    equal((await Promise.all(steps)).filter((outcome) => outcome === 'saved').length, 1)
    equal((await listAll(store)).length, 2)
  },

  'tells the event of the first summary of a call, and replaces it silently later': async (store) => {
    await open(store)
    await store.saveCall({ call: call(), event: null })
    equal(await store.saveSummary({ summary: summary(), event: event() }), 'first')
    const second = summary({ generatedBy: 'team_member', generatedAt: start + 5 })
    equal(await store.saveSummary({ summary: second, event: event() }), 'replaced')
    equal(await store.findCall('acme', 'c1'), { call: call(), summary: second })
    equal((await listAll(store)).length, 1)
  },

  'takes a summary without an event for the first, too': async (store) => {
    await open(store)
    await store.saveCall({ call: call(), event: null })
    equal(await store.saveSummary({ summary: summary(), event: null }), 'first')
    equal(await store.saveSummary({ summary: summary(), event: event() }), 'replaced')
    equal(await listAll(store), [])
  },

  'tells one event of many summaries at the same moment': async (store) => {
    await open(store)
    await store.saveCall({ call: call(), event: null })
    const saves = Array.from({ length: 20 }, () => store.saveSummary({ summary: summary(), event: event() }))
    equal((await Promise.all(saves)).filter((outcome) => outcome === 'first').length, 1)
    equal((await listAll(store)).length, 1)
  },

  'does nothing of a change whose event cannot be kept': async (store) => {
    await open(store)
    await store.saveCall({ call: call(), event: null })
    const [taken] = await tell(store, { id: 'evt_taken' })
    ok(taken !== undefined, 'an event was told')
    await rejects(store.createGroup({ group: group(), event: taken }))
    await rejects(store.saveParticipant({ participant: participant(), event: taken }))
    await rejects(store.saveCall({ call: call({ revision: 2, state: 'accepted' }), event: taken }))
    await rejects(store.saveSummary({ summary: summary(), event: taken }))
    equal(await store.findGroup('acme', 'g1'), undefined)
    equal(
      await store.findParticipant({ organizationId: 'acme', groupId: 'g1', digits: '49301234' }),
      undefined,
    )
    equal(await store.findCall('acme', 'c1'), { call: call() })
    equal((await listAll(store)).length, 1)
    equal(await store.saveSummary({ summary: summary(), event: event() }), 'first')
  },

  'makes a delivery for each subscription that matches organization, channel, digits and name': async (
    store,
  ) => {
    await open(store, [
      subscription({ id: 'sub_all' }),
      subscription({ id: 'sub_named', events: ['GROUP_CREATED', 'CALL_ENDED'] }),
      subscription({ id: 'sub_other_name', events: ['CALL_ENDED'] }),
      subscription({ id: 'sub_other_number', digits: '999' }),
      subscription({ id: 'sub_other_channel', channel: 'PSTN' }),
    ])
    await store.saveOrganization(organization({ id: 'other' }))
    await store.saveSubscription(subscription({ id: 'sub_other_organization', organizationId: 'other' }))
    const [known, unknown] = await tell(store, {}, { name: 'SOMETHING_NEW', subject: 'x' })
    const pairs = (await listAll(store)).map(({ eventId, subscriptionId }) => [eventId, subscriptionId])
    equal(pairs.slice(0, 2).sort(), [
      [known?.id, 'sub_all'],
      [known?.id, 'sub_named'],
    ])
    equal(pairs.slice(2), [[unknown?.id, 'sub_all']])
  },

  'makes no delivery for a subscription that comes later': async (store) => {
    await open(store, [])
    await tell(store, {})
    await store.saveSubscription(subscription())
    equal(await listAll(store), [])
  },

  'wakes who waits for work when a delivery falls due, once': async (store) => {
    await open(store)
    const { woken, wakes } = awaitWake(store)
    await tell(store, {})
    await woken
    const before = wakes()
    await tell(store, { subject: 'group:g2' })
    equal(wakes(), before)
  },

  'wakes who waits for work when a claimed delivery is released': async (store) => {
    await open(store)
    const told = awaitWake(store)
    await tell(store, {})
    await told.woken
    const claimed = await claimOne(store)
    const { woken } = awaitWake(store)
    await settle(store, claimed, released)
    await woken
  },
})
