import type { FigureRecord } from '../../src/records.ts'
import type { Store } from '../../src/store.ts'
import { equal } from './assert.ts'
import { begin, delivered, publish, settle, setUp } from './deliveries.ts'
import {
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  start,
} from './records.ts'
import { defineCases } from './store-case.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const buildFigure = (overrides: Partial<FigureRecord> = {}): FigureRecord => ({
  organizationId: 'acme',
  subscriptionId: 'sub_1',
  at: start,
  span: 10 * second,
  counts: { delivered: 1 },
  ...overrides,
})

const list = async (store: Store, subscriptionIds = ['sub_1'], from = 0): Promise<FigureRecord[]> => {
  const found = await store.listFigures({ organizationId: 'acme', subscriptionIds, from })
  return found.sort((left, right) => left.at - right.at || left.span - right.span)
}

const rollUp = async (store: Store, now: number): Promise<number> => {
  let removed = 0
  for (let last = 1; last > 0; removed += last) last = await store.rollUpFigures({ now, limit: 2 })
  return removed
}

/** Counts over time, and what is unfinished. */
export const figureCases = defineCases({
  'adds counts to those of the same subscription and period': async (store) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2' })])
    await store.addFigures([
      buildFigure({ counts: { delivered: 2, 'ms:50': 2 } }),
      buildFigure({ at: start + 10 * second }),
      buildFigure({ subscriptionId: 'sub_2' }),
      buildFigure({ subscriptionId: '', counts: { events: 7 } }),
    ])
    await store.addFigures([buildFigure({ counts: { delivered: 1, failed: 3 } })])
    await store.addFigures([])
    equal(await list(store), [
      buildFigure({ counts: { delivered: 3, 'ms:50': 2, failed: 3 } }),
      buildFigure({ at: start + 10 * second }),
    ])
    equal(await list(store, ['sub_1'], start + 1), [buildFigure({ at: start + 10 * second })])
    equal(await list(store, ['']), [buildFigure({ subscriptionId: '', counts: { events: 7 } })])
    equal((await list(store, ['sub_1', 'sub_2'])).length, 3)
  },

  'ignores counts of organizations and subscriptions that do not exist': async (store) => {
    await setUp(store)
    await store.removeSubscription('acme', 'sub_1')
    await store.addFigures([
      buildFigure(),
      buildFigure({ subscriptionId: 'sub_0' }),
      buildFigure({ organizationId: 'nobody', subscriptionId: '' }),
      buildFigure({ subscriptionId: '' }),
    ])
    await store.saveSubscription(buildSubscription())
    await store.saveOrganization(buildOrganization({ id: 'nobody' }))
    equal(await list(store, ['sub_0', 'sub_1']), [])
    equal(await list(store, ['']), [buildFigure({ subscriptionId: '' })])
    equal(await store.listFigures({ organizationId: 'nobody', subscriptionIds: [''], from: 0 }), [])
  },

  'rolls up old counts to minutes, ten minutes and hours, and loses none': async (store) => {
    await setUp(store)
    const times = [0, 10, 50, 60, 70, 600, 3_600].map((seconds) => start + seconds * second)
    await store.addFigures(times.map((at) => buildFigure({ at })))
    equal(await rollUp(store, start + 2 * minute), 0)
    equal(await rollUp(store, start + 3 * minute), 3)
    const before = (await list(store)).slice(0, 2)
    equal(before, [
      buildFigure({ span: minute, counts: { delivered: 3 } }),
      buildFigure({ at: start + minute }),
    ])
    // The rest of the minute was written late.
    await store.addFigures([buildFigure({ at: start + 40 * second, counts: { failed: 1 } })])
    await rollUp(store, start + 12 * hour)
    equal(await list(store), [
      buildFigure({ span: 10 * minute, counts: { delivered: 5, failed: 1 } }),
      buildFigure({ at: start + 10 * minute, span: 10 * minute }),
      buildFigure({ at: start + hour, span: 10 * minute }),
    ])
    await rollUp(store, start + 100 * hour)
    equal(await list(store), [
      buildFigure({ span: hour, counts: { delivered: 6, failed: 1 } }),
      buildFigure({ at: start + hour, span: hour }),
    ])
    equal(await store.rollUpFigures({ now: start + 100 * hour, limit: 100 }), 0)
  },

  'prunes the counts of hours before a time': async (store) => {
    await setUp(store)
    await store.addFigures([
      buildFigure({ span: hour }),
      buildFigure({ at: start + hour, span: hour }),
      buildFigure({ subscriptionId: '', span: hour }),
    ])
    equal(await store.prune({ before: start + 1, limit: 100 }), 2)
    equal(await list(store, ['', 'sub_1']), [buildFigure({ at: start + hour, span: hour })])
  },

  'prunes no more counts of all organizations per call than the limit': async (store) => {
    await setUp(store)
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    await store.addFigures([
      buildFigure({ span: hour }),
      buildFigure({ subscriptionId: '', span: hour }),
      buildFigure({ organizationId: 'other', subscriptionId: '', span: hour }),
    ])
    const prune = () => store.prune({ before: start + 1, limit: 2 })
    equal([await prune(), await prune(), await prune()], [2, 1, 0])
  },

  'removes the counts of a subscription and of an organization with them': async (store) => {
    await setUp(store)
    await store.addFigures([buildFigure(), buildFigure({ subscriptionId: '' })])
    await store.removeSubscription('acme', 'sub_1')
    await store.saveSubscription(buildSubscription())
    equal(await list(store, ['', 'sub_1']), [buildFigure({ subscriptionId: '' })])
    await store.removeOrganization('acme')
    await store.saveOrganization(buildOrganization())
    equal(await list(store, ['', 'sub_1']), [])
  },

  'measures what is unfinished in each subscription, up to the limit, and its oldest event': async (
    store,
  ) => {
    await setUp(store, [buildSubscription(), buildSubscription({ id: 'sub_2', digits: '1' })])
    await publish(
      store,
      { subject: 's1', occurredAt: start - 3 },
      { subject: 's1', occurredAt: start - 2 },
      { subject: 's2', occurredAt: start - 1 },
    )
    const measure = (limit: number) =>
      store.measureUnfinished({ organizationId: 'acme', subscriptionIds: ['sub_2', 'sub_1', 'none'], limit })
    const none = { unfinished: 0, oldestAt: null, dueAt: null, isTried: false }
    const one = { ...none, unfinished: 3, oldestAt: start - 3, dueAt: start - 3 }
    equal(await measure(100), [none, one, none])
    equal((await measure(2))[1]?.unfinished, 2)
    const [first] = await begin(store)
    if (first !== undefined) await settle(store, first, delivered)
    equal((await measure(100))[1], { ...none, unfinished: 2, oldestAt: start - 2, dueAt: start - 2 })
  },

  'lists the members of a group by their digits, page by page': async (store) => {
    await setUp(store, [])
    for (const clientCustomGroupId of ['g1', 'g2'])
      await store.createGroup({ group: buildGroup({ clientCustomGroupId }), event: buildEvent() })
    const members = ['3', '1', '2'].map((digits) => buildParticipant({ digits, phone: `+${digits}` }))
    const another = buildParticipant({ groupId: 'g2' })
    for (const participant of [...members, another]) {
      await store.saveParticipant({ participant, event: buildEvent() })
    }
    const query = { organizationId: 'acme', groupId: 'g1', limit: 2 }
    const first = await store.listMembers(query)
    equal(first.items, [members[1], members[2]])
    const second = await store.listMembers({ ...query, cursor: first.nextCursor })
    equal(second, { items: [members[0]] })
    equal(await store.listMembers({ ...query, groupId: 'none' }), { items: [] })

    const [member] = members
    const left = buildParticipant({ ...member, revision: 2, state: 'left' })
    await store.saveParticipant({ participant: left, event: buildEvent() })
    equal(await store.countMembers('acme', ['none', 'g1', 'g2', 'g1']), [0, 2, 1, 2])
    equal(await store.countMembers('acme', []), [])
    equal(await store.countMembers('none', ['g1']), [0])
  },
})
