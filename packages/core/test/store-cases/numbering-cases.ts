import type { Store } from '../../src/store.ts'
import { equal } from './assert.ts'
import { beginOne, buildAttempt, publish, settle, setUp } from './deliveries.ts'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  start,
} from './records.ts'
import { defineCases } from './store-case.ts'

/** One more than ten, because text sorts 10 and 11 before 2. */
const count = 11
const numbers = Array.from({ length: count }, (_, index) => index + 1)

type Page = { readonly items: readonly object[]; readonly nextCursor?: string | undefined }
type List = (store: Store, page: { limit: number; cursor?: string | undefined }) => Promise<Page>

const own = { organizationId: 'acme' }

/** Each list of the store, with a record per number. All records are of the same time. */
const lists: Readonly<Record<string, { add(store: Store): Promise<unknown>; list: List }>> = {
  events: {
    add: (store) => publish(store, ...numbers.map((number) => ({ subject: `group:g${number}` }))),
    list: (store, page) => store.listEvents({ ...own, ...page }),
  },
  deliveries: {
    add: (store) => publish(store, ...numbers.map((number) => ({ subject: `group:g${number}` }))),
    list: (store, page) => store.listDeliveries({ ...own, ...page }),
  },
  calls: {
    add: async (store) => {
      for (const number of numbers)
        await store.saveCall({ call: buildCall({ callId: `c${number}` }), event: null })
    },
    list: (store, page) => store.listCalls({ ...own, ...page }),
  },
  groups: {
    add: async (store) => {
      for (const number of numbers) {
        const group = buildGroup({ clientCustomGroupId: `g${number}` })
        await store.createGroup({ group, event: buildEvent() })
      }
    },
    list: (store, page) => store.listGroups({ ...own, ...page }),
  },
  members: {
    add: async (store) => {
      await store.createGroup({ group: buildGroup(), event: buildEvent() })
      for (const number of numbers) {
        const participant = buildParticipant({ groupId: 'g1', digits: `1555019900${number}` })
        await store.saveParticipant({ participant, event: buildEvent() })
      }
    },
    list: (store, page) => store.listMembers({ ...own, groupId: 'g1', ...page }),
  },
  subscriptions: {
    add: async (store) => {
      for (const number of numbers) await store.saveSubscription(buildSubscription({ id: `sub_${number}` }))
    },
    list: (store, page) => store.listSubscriptions('acme', page),
  },
  organizations: {
    add: async (store) => {
      for (const number of numbers) await store.saveOrganization(buildOrganization({ id: `org_${number}` }))
    },
    list: (store, page) => store.listOrganizations(page),
  },
}

/** Everything that is numbered or paged, with more than ten records of each. */
export const numberingCases = defineCases({
  'lists ten attempts and more in order, and finds the last one and each by its response': async (store) => {
    await setUp(store)
    await publish(store, {})
    let now = start
    let id = ''
    for (const number of numbers) {
      const begun = await beginOne(store, { now })
      id = begun.delivery.id
      const attempt = buildAttempt({ status: 500 + number, startedAt: now })
      await settle(store, begun, { kind: 'retry', attempt, delayMs: 1_000, releasesLane: false }, now)
      now += 1_000
    }
    const attempts = await store.listAttempts('acme', id)
    equal(
      attempts.map(({ number, status }) => [number, status]),
      numbers.map((number) => [number, 500 + number]),
    )
    equal(await store.listLastAttempts('acme', [id]), attempts.slice(-1))
    for (const number of numbers) {
      const at = start + (number - 1) * 1_000
      const find = async (more: object): Promise<number> =>
        (await store.listDeliveries({ ...own, limit: 10, anyResponses: [500 + number], ...more })).items
          .length
      equal(await find({ attemptedFrom: at, attemptedBefore: at + 1 }), 1)
      equal(await find({ attemptedFrom: at + 1 }), 0)
      equal(await find({ attemptedBefore: at }), 0)
    }
  },

  'pages of any size contain each record once, in the same order': async (store) => {
    for (const [name, { add, list }] of Object.entries(lists)) {
      if (name === 'events') await setUp(store)
      // The events of the list before have deliveries.
      if (name !== 'deliveries') await add(store)
      const { items: all } = await list(store, { limit: 1_000 })
      equal(all.length >= count, true, `${name}: ${all.length}`)
      for (const limit of [1, 2, 3, all.length - 1, all.length, all.length + 1]) {
        const found: object[] = []
        for (let cursor: string | undefined, isMore = true; isMore; ) {
          const page = await list(store, { limit, cursor })
          equal(page.items.length <= limit, true, `${name}: a page of ${limit} has ${page.items.length}`)
          found.push(...page.items)
          cursor = page.nextCursor
          // The last page of events has a cursor, too, for events that are yet to be published.
          isMore = cursor !== undefined && page.items.length > 0
        }
        equal(found, all, `${name} in pages of ${limit}`)
      }
    }
  },

  'figures from a time include the period that begins at it': async (store) => {
    await setUp(store)
    const second = 1_000
    const at = (seconds: number) => ({ ...own, subscriptionId: 'sub_1', at: start + seconds * second })
    await store.addFigures(
      numbers.map((number) => ({ ...at(10 * number), span: 10 * second, counts: { delivered: number } })),
    )
    for (const number of numbers) {
      const from = start + 10 * number * second
      const list = async (since: number): Promise<number[]> =>
        (await store.listFigures({ ...own, subscriptionIds: ['sub_1'], from: since }))
          .map(({ counts }) => counts.delivered ?? 0)
          .sort((left, right) => left - right)
      equal(await list(from), numbers.slice(number - 1))
      equal(await list(from + 1), numbers.slice(number))
    }
  },
})
