import { createReferenceServer } from '../../src/create-reference-server.ts'
import type { Store } from '../../src/store.ts'
import { equal, ok, rejects } from './assert.ts'
import { begin, beginOne, delivered, listAll, listStatuses, publish, settle, setUp } from './deliveries.ts'
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

const day = 86_400_000
const page = { organizationId: 'acme', limit: 10 }
const nothing = { organizationId: 'acme', now: start, callIds: [], participants: [], eventIds: [] }

const listEventIds = async (store: Store): Promise<string[]> =>
  (await store.listEvents(page)).items.map(({ id }) => id)

/** Publishes more events than SQLite removes or skips in one transaction. */
const publishMany = async (store: Store): Promise<void> => {
  const events = Array.from({ length: 450 }, (_, index) => buildEvent({ subject: `group:${index}` }))
  await Promise.all(events.map(store.addEvent))
}

/** Waits for a change that a running method makes first. Engines need turns of the event loop to make it. */
const waitUntil = async (isDone: () => Promise<boolean>): Promise<void> => {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve))
}

/** Erases a customer, part by part. Returns the number of events. */
const eraseCustomer = async (store: Store, customerNumber: string): Promise<number> => {
  const { erasures } = createReferenceServer({ organizations: [], store })
  let events = 0
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const part = await erasures.erase('acme', { customerNumber }, { cursor })
    events += part.events
    cursor = part.nextCursor
  }
  return events
}

const isGone = async (store: Store): Promise<boolean> => (await store.findOrganization('acme')) === undefined

/** Old records are removed in several steps if they depend on each other. */
const pruneRecords = async (store: Store, recordsBefore: number): Promise<void> => {
  while ((await store.prune({ before: 0, recordsBefore, limit: 100 })) > 0);
}

/** Removing, pruning and erasing. */
export const removalCases = defineCases({
  'finds no records of an organization once it is removed': async (store) => {
    await setUp(store)
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    await store.saveParticipant({ participant: buildParticipant(), event: buildEvent() })
    await store.saveCall({ call: buildCall(), event: buildEvent() })
    await publishMany(store)
    const [known] = await listAll(store)
    const removing = store.removeOrganization('acme')
    await waitUntil(() => isGone(store))

    equal(await begin(store), [])
    equal(await store.removeOrganization('acme'), false)
    equal((await store.listOrganizations({ limit: 10 })).items, [])
    equal(await store.findGroup('acme', 'g1'), undefined)
    equal(await store.findParticipant(buildParticipant()), undefined)
    equal(await store.listParticipants('acme', '49301234'), [])
    equal(await store.findCall('acme', 'c1'), undefined)
    equal((await store.listCalls(page)).items, [])
    equal((await store.listEvents(page)).items, [])
    equal((await store.listDeliveries(page)).items, [])
    equal(await store.listAttempts('acme', known?.id ?? ''), [])
    equal(await store.findSubscription('acme', 'sub_1'), undefined)
    equal((await store.listSubscriptions('acme', { limit: 10 })).items, [])
    equal(await removing, true)
  },

  'creates an empty organization with the id of a removed one': async (store) => {
    await setUp(store)
    await publishMany(store)
    const removing = store.removeOrganization('acme')
    await waitUntil(() => isGone(store))
    equal(await store.saveOrganization(buildOrganization()), 'saved')
    equal(await listEventIds(store), [])
    await removing
    equal(await store.findOrganization('acme'), buildOrganization())
  },

  'loads no deliveries of a subscription once it is disabled, and skips the remaining ones': async (
    store,
  ) => {
    await setUp(store)
    await publishMany(store)
    const disabled = buildSubscription({ revision: 2, disabledReason: 'by_hand' })
    const disabling = store.saveSubscription(disabled)
    await waitUntil(async () => (await store.findSubscription('acme', 'sub_1'))?.disabledReason === 'by_hand')
    equal(await begin(store), [])
    equal(await disabling, 'saved')
    equal([...new Set(await listStatuses(store))], ['skipped'])
    equal(await store.nextDueAt(), undefined)
  },

  'keeps deliveries of a disabled subscription skipped, even if it is enabled in the meantime': async (
    store,
  ) => {
    await setUp(store)
    await publishMany(store)
    const disabled = buildSubscription({ revision: 2, disabledReason: 'by_hand' })
    const enabled = buildSubscription({ revision: 3 })
    const disabling = store.saveSubscription(disabled)
    await waitUntil(async () => (await store.findSubscription('acme', 'sub_1'))?.disabledReason === 'by_hand')
    equal(await store.saveSubscription(enabled), 'saved')
    equal(await disabling, 'saved')
    equal([...new Set(await listStatuses(store))], ['skipped'])
    const [next] = await publish(store, {})
    equal((await beginOne(store)).event.id, next?.id)
  },

  'does not bring back a subscription that is enabled while its removal continues': async (store) => {
    await setUp(store)
    await publishMany(store)
    const removing = store.removeSubscription('acme', 'sub_1')
    await waitUntil(async () => (await store.findSubscription('acme', 'sub_1')) === undefined)
    equal(await store.saveSubscription(buildSubscription({ revision: 2 })), 'stale')
    equal(await removing, true)
    equal((await store.listSubscriptions('acme', { limit: 10 })).items, [])
    equal(await listAll(store), [])
  },

  'finds no records of a subscription once it is removed': async (store) => {
    await setUp(store)
    await publishMany(store)
    const removing = store.removeSubscription('acme', 'sub_1')
    await waitUntil(async () => (await store.findSubscription('acme', 'sub_1')) === undefined)
    await publish(store, {})
    equal(await begin(store), [])
    equal(await listAll(store), [])
    equal((await store.listSubscriptions('acme', { limit: 10 })).items, [])
    equal(await store.removeSubscription('acme', 'sub_1'), false)
    equal(await removing, true)
    equal((await store.listEvents({ ...page, limit: 1_000 })).items.length, 451)
  },

  'erases a call with its summary, and events with their deliveries and attempts': async (store) => {
    await setUp(store)
    await store.saveCall({ call: buildCall(), event: null })
    await store.saveCall({ call: buildCall({ callId: 'c2' }), event: null })
    const [first, other] = [buildEvent({ subject: 'call:c1' }), buildEvent({ subject: 'call:c2' })]
    await store.saveSummary({ summary: buildSummary(), event: first })
    await store.saveSummary({ summary: buildSummary({ callId: 'c2' }), event: other })
    const begun = await begin(store)
    for (const each of begun) await settle(store, each, delivered)
    const erased = begun.find(({ event }) => event.id === first.id)?.delivery.id ?? ''

    await store.erase({ ...nothing, callIds: ['c1', 'unknown'], eventIds: [first.id, 'unknown'] })

    equal(await store.findCall('acme', 'c1'), undefined)
    equal((await store.findCall('acme', 'c2'))?.summary, buildSummary({ callId: 'c2' }))
    equal(await listEventIds(store), [other.id])
    equal(
      (await listAll(store)).map(({ eventId }) => eventId),
      [other.id],
    )
    equal(await store.listAttempts('acme', erased), [])
  },

  'erases the 150 events of a customer, and the 600 of another, with their deliveries': async (store) => {
    await setUp(store)
    const numbers = Array.from({ length: 750 }, (_, index) => (index % 5 === 0 ? '+49 30 1' : '+49 30 2'))
    const events = numbers.map((customerNumber, index) =>
      buildEvent({ subject: `call:${index % 20}`, payload: JSON.stringify({ customerNumber }) }),
    )
    await Promise.all(events.map(store.addEvent))
    equal(await eraseCustomer(store, '+49301'), 150)
    equal((await listAll(store)).length, 600)
    equal(await eraseCustomer(store, '+49302'), 600)
    equal([await listEventIds(store), await listAll(store)], [[], []])
  },

  'never publishes an erased or pruned summary again': async (store) => {
    await setUp(store)
    for (const callId of ['erased', 'pruned']) {
      await store.saveCall({ call: buildCall({ callId }), event: null })
      await store.saveSummary({ summary: buildSummary({ callId }), event: null })
      if (callId === 'erased') await store.erase({ ...nothing, callIds: [callId] })
      else await pruneRecords(store, start + 1)
      equal(await store.findCall('acme', callId), undefined)
      await store.saveCall({ call: buildCall({ callId }), event: null })
      equal((await store.findCall('acme', callId))?.summary, undefined)
      const event = buildEvent({ subject: `call:${callId}` })
      equal(await store.saveSummary({ summary: buildSummary({ callId }), event }), 'replaced')
      equal((await store.findCall('acme', callId))?.summary, buildSummary({ callId }))
    }
    equal(await listEventIds(store), [])
  },

  'publishes the first summary of a call that had none when it was erased': async (store) => {
    await setUp(store)
    await store.saveCall({ call: buildCall(), event: null })
    await store.erase({ ...nothing, callIds: ['c1'] })
    await store.saveCall({ call: buildCall(), event: null })
    equal(await store.saveSummary({ summary: buildSummary(), event: buildEvent() }), 'first')
  },

  'does not bring back a call that is erased while its summary is saved': async (store) => {
    await setUp(store)
    const times = { startedAt: start, endedAt: start, durationInSeconds: 0 }
    const ended = buildCall({ state: 'ended', ...times, recorded: true, spoken: true })
    await store.saveCall({ call: ended, event: null })
    const { summaries } = createReferenceServer({
      organizations: [],
      store: {
        ...store,
        findCall: async (...key) => {
          const found = await store.findCall(...key)
          await store.erase({ ...nothing, callIds: ['c1'] })
          return found
        },
      },
    })
    const { summary } = buildSummary()
    const saving = summaries.save('acme', 'c1', summary, { generatedBy: 'automatic' })
    await rejects(saving, { name: 'RecordNotFoundError', kind: 'call', id: 'c1' })
    await store.saveCall({ call: buildCall(), event: null })
    equal(await store.findCall('acme', 'c1'), { call: buildCall(), summary: undefined })
    equal(await listEventIds(store), [])
  },

  'adds no participant to a group that is pruned at the same time': async (store) => {
    await setUp(store, [])
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    const { participants } = createReferenceServer({
      organizations: [],
      store: {
        ...store,
        findGroup: async (...key) => {
          const found = await store.findGroup(...key)
          await pruneRecords(store, start + 1)
          return found
        },
      },
    })
    const joining = participants.join('acme', { groupId: 'g1', phone: '+49 30 1234' })
    await rejects(joining, { name: 'RecordNotFoundError', kind: 'group', id: 'g1' })
    equal(await store.listParticipants('acme', '49301234'), [])
  },

  'treats the settlement of an erased delivery as stale, and sends the next one': async (store) => {
    await setUp(store)
    const [first, second] = await publish(store, {}, {})
    const begun = await beginOne(store)
    await store.erase({ ...nothing, eventIds: [first?.id ?? ''] })
    equal((await settle(store, begun, delivered)).outcome, 'stale')
    equal((await beginOne(store)).event.id, second?.id)
  },

  'lists and erases a person in all groups': async (store) => {
    await setUp(store, [])
    const groupIds = ['g1', 'g2']
    for (const clientCustomGroupId of groupIds)
      await store.createGroup({ group: buildGroup({ clientCustomGroupId }), event: buildEvent() })
    const joined = groupIds.map((groupId) => buildParticipant({ groupId }))
    const another = buildParticipant({ digits: '1', phone: '1' })
    for (const participant of [...joined, another]) {
      await store.saveParticipant({ participant, event: buildEvent() })
    }
    const listed = await store.listParticipants('acme', '49301234')
    equal(
      listed.toSorted((left, right) => left.groupId.localeCompare(right.groupId)),
      joined,
    )
    await store.erase({ ...nothing, participants: listed })
    equal(await store.listParticipants('acme', '49301234'), [])
    equal(await store.findParticipant(another), another)
  },

  'lists the calls of a customer by the digits of the number, page by page': async (store) => {
    await setUp(store, [])
    const numbers = ['+49 30 1234', '+49 (30) 12-34', '49.301.234', '+49301235']
    for (const [index, customerNumber] of numbers.entries()) {
      const call = buildCall({ callId: `c${index}`, customerNumber, initiatedAt: start - index })
      await store.saveCall({ call, event: null })
    }
    const query = { ...page, customerDigits: '49301234', limit: 2 }
    const first = await store.listCalls(query)
    equal(
      first.items.map(({ callId }) => callId),
      ['c0', 'c1'],
    )
    const second = await store.listCalls({ ...query, cursor: first.nextCursor })
    equal(
      second.items.map(({ callId }) => callId),
      ['c2'],
    )
    equal(second.nextCursor, undefined)
    equal((await store.listCalls(page)).items.length, 4)
  },

  'prunes calls that were last written before a time, and keeps them without one': async (store) => {
    await setUp(store, [])
    const old = { initiatedAt: start - day, updatedAt: start - 1 }
    for (const callId of ['old', 'summarized']) {
      await store.saveCall({ call: buildCall({ callId, ...old }), event: null })
    }
    await store.saveCall({ call: buildCall({ initiatedAt: start - day }), event: null })
    const summary = { callId: 'summarized', generatedAt: start }
    await store.saveSummary({ summary: buildSummary(summary), event: null })
    equal(await store.prune({ before: start + day, limit: 100 }), 0)
    equal(await store.prune({ before: 0, recordsBefore: start, limit: 100 }), 1)
    equal(
      (await store.listCalls(page)).items.map(({ callId }) => callId),
      ['summarized', 'c1'],
    )
    equal(await store.prune({ before: 0, recordsBefore: start + 1, limit: 100 }), 2)
  },

  'prunes a group with its participants if it has not changed since a time': async (store) => {
    await setUp(store, [])
    for (const id of ['quiet', 'lively', 'empty']) {
      await store.createGroup({ group: buildGroup({ clientCustomGroupId: id }), event: buildEvent() })
    }
    const join = (groupId: string, digits: string, changedAt: number) =>
      store.saveParticipant({
        participant: buildParticipant({ groupId, digits, phone: digits, changedAt }),
        event: buildEvent(),
      })
    await join('quiet', '1', start + day)
    await join('lively', '1', start)
    await join('lively', '2', start + 2 * day)
    await join('lively', '3', start + 1)
    await pruneRecords(store, start + 2 * day)
    equal(await store.findGroup('acme', 'quiet'), undefined)
    equal(await store.findGroup('acme', 'empty'), undefined)
    ok((await store.findGroup('acme', 'lively')) !== undefined, 'a group with a recent step stays')
    equal(
      (await store.listParticipants('acme', '1')).map(({ groupId }) => groupId),
      ['lively'],
    )
  },

  'prunes participants who left a group before a time': async (store) => {
    await setUp(store, [])
    await store.createGroup({ group: buildGroup({ createdAt: start + day }), event: buildEvent() })
    const left = buildParticipant({ state: 'left' })
    const stays = buildParticipant({ digits: '1' })
    for (const participant of [left, stays]) await store.saveParticipant({ participant, event: buildEvent() })
    await pruneRecords(store, start + 1)
    equal(await store.findParticipant(left), undefined)
    equal(await store.findParticipant(stays), stays)
  },
})
