import { type AttemptVerdict, memoryStore, type Store } from '@wabakit/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  start,
} from '../../core/test/store-cases/index.ts'
import { beginDue } from './attempts.ts'

const organizationIds = ['acme', 'other']
const count = 30
const names = ['CALL_ENDED', 'CALL_ACCEPTED', 'GROUP_CREATED'] as const
const digits = ['1', '2']
const states = ['initiated', 'accepted', 'ended', 'missed', 'rejected'] as const
const texts = ['100% sure', '100_percent', 'nothing', 'Nothing More']

const pick = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('There are no items.')
  return item
}

/** Settles everything that is due, with results that differ by event, subscription and round. */
const settleAll = async (store: Store, round: number): Promise<void> => {
  const now = start + 100 * (round + 1)
  const begun = await beginDue(store, now)
  for (const { key, event, subscription } of begun) {
    const index = Number(/\d+$/.exec(event.id)?.[0]) + (subscription.id === 'sub_1' ? 0 : 1)
    const status = pick([200, 500, 410, null, 404, 500, 200], index + round)
    const base = {
      startedAt: now + (index % 9),
      durationMs: 1,
      url: 'https://a.example/',
      responseBody: null,
    }
    const attempt = { ...base, status, error: status === null ? 'reset' : null }
    const result: AttemptVerdict =
      status === 200
        ? { kind: 'delivered', attempt }
        : index % 4 === 1
          ? { kind: 'exhausted', attempt }
          : { kind: 'retry', attempt, delayMs: 50, releasesLane: index % 2 === 0 }
    await store.settleDeliveries([{ ...key, now: now + index, failingLimitMs: 1e9, result }])
  }
}

/** Fills a store with records of two organizations, whose fields repeat at different intervals. */
const fill = async (store: Store): Promise<void> => {
  for (const organizationId of organizationIds) {
    const own = { organizationId }
    await store.saveOrganization(buildOrganization({ id: organizationId }))
    for (const subscription of [
      { id: 'sub_0', digits: '1' },
      { id: 'sub_1', digits: '1', events: [names[0]] },
      { id: 'sub_2', digits: '2', channel: 'PSTN' },
    ] as const)
      await store.saveSubscription(buildSubscription({ ...own, ...subscription }))
    for (let index = 0; index < count; index++) {
      const at = start + ((index * 7) % 20)
      const customerNumber = `+49 30 ${index % 4}`
      const call = {
        ...own,
        callId: `C_${index}`,
        digits: pick(digits, index),
        customerNumber,
        initiatedAt: at,
      }
      await store.saveCall({ call: buildCall({ ...call, state: pick(states, index) }), event: null })
      const event = buildEvent({
        ...{ ...own, id: `${organizationId}_${index}`, name: pick(names, index), subject: `s${index % 7}` },
        ...{ digits: pick(digits, index), channel: index % 3 === 2 ? 'PSTN' : 'WHATSAPP' },
        ...{ payload: JSON.stringify({ text: pick(texts, index) }), occurredAt: start + index },
      })
      const group = { ...own, clientCustomGroupId: `G_${index}`, digits: pick(digits, index), createdAt: at }
      await store.createGroup({ group: buildGroup({ ...group, subject: pick(texts, index) }), event })
      const participant = { ...own, groupId: `G_${index % 5}`, digits: `${index}`, phone: `${index}` }
      const joined = buildEvent({ ...own, id: `${event.id}_0`, digits: '9', occurredAt: start + index })
      await store.saveParticipant({ participant: buildParticipant(participant), event: joined })
    }
  }
  for (let round = 0; round < 3; round++) await settleAll(store, round)
}

const time = (from: number, to: number) => fc.integer({ min: start + from, max: start + to })
const several = <Item>(items: readonly Item[]) => fc.subarray([...items], { minLength: 1 })
const ofEvents = {
  names: several(names),
  subject: fc.constantFrom('s1', 's2', 's3'),
  digits: fc.constantFrom(...digits),
  occurredFrom: time(0, count),
  occurredBefore: time(0, count),
  text: fc.constantFrom('100%', '100_', 'nothing', 'acme_3'),
  subscriptionId: fc.constantFrom('sub_0', 'sub_1', 'sub_2', 'none'),
  eventId: fc.constantFrom('acme_3', 'other_3', 'none'),
}
const ofDeliveries = {
  ...ofEvents,
  statuses: several(['waiting', 'pending', 'delivered', 'exhausted', 'skipped'] as const),
  finishedFrom: time(100, 400),
  finishedBefore: time(100, 400),
  responses: several([0, 200, 404, 410, 500]),
  anyResponses: several([0, 200, 404, 410, 500]),
  attemptedFrom: time(100, 320),
  attemptedBefore: time(100, 320),
}
const ofRecords = {
  digits: fc.constantFrom(...digits),
  from: time(0, 20),
  before: time(0, 20),
  text: fc.constantFrom('_1', 'g_2', 'C_', '100%', 'more'),
}

type Page = { readonly items: readonly object[]; readonly nextCursor?: string | undefined }
type Selected = {
  readonly organizationId: string
  readonly limit: number
  readonly order: 'oldest_first' | 'newest_first'
  readonly cursor: string | undefined
}

const listing = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({
    // A few conditions, because many find nothing.
    conditions: fc
      .subarray(Object.keys(fields), { maxLength: Math.min(3, Object.keys(fields).length) })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((name) => [name, fields[name] ?? fc.constant(0)]))),
      ),
    limit: fc.integer({ min: 4, max: 40 }),
    order: fc.constantFrom('oldest_first' as const, 'newest_first' as const),
    organizationId: fc.constantFrom('acme', 'acme', 'other', 'unknown'),
  })

/** Reads all pages. */
const readAll = async (
  list: (page: { cursor: string | undefined }) => Promise<Page>,
): Promise<object[][]> => {
  const pages: object[][] = []
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const { items, nextCursor } = await list({ cursor })
    // The id of a delivery differs between stores.
    pages.push(items.map((item) => ('webhookId' in item ? { ...item, id: undefined } : item)))
    cursor = nextCursor
    isMore = cursor !== undefined && items.length > 0
  }
  return pages
}

type List = (store: Store, query: Selected) => Promise<Page>

/** The lists, with their conditions. */
const lists: readonly (readonly [Readonly<Record<string, fc.Arbitrary<unknown>>>, List])[] = [
  [ofEvents, (store, query) => store.listEvents(query)],
  [ofDeliveries, (store, query) => store.listDeliveries(query)],
  [
    {
      ...ofRecords,
      customerDigits: fc.constantFrom('49301', '49302', '4'),
      state: fc.constantFrom(...states),
    },
    (store, query) => store.listCalls(query),
  ],
  [ofRecords, (store, query) => store.listGroups(query)],
  [
    { groupId: fc.constantFrom('G_1', 'G_2') },
    (store, query) => store.listMembers({ groupId: 'G_0', ...query }),
  ],
]

/** Expects that lists with random conditions and page sizes have the same records, in the same order, as in memory. */
export const expectSameLists = async (store: Store, numRuns: number): Promise<void> => {
  const memory = memoryStore()
  for (const each of [memory, store]) await fill(each)
  for (const [fields, list] of lists) {
    const property = fc.asyncProperty(listing(fields), async ({ conditions, ...query }) => {
      const [found, expected] = await Promise.all(
        [store, memory].map((each) => readAll((page) => list(each, { ...conditions, ...query, ...page }))),
      )
      expect(found).toEqual(expected)
    })
    await fc.assert(property, { numRuns })
  }
}
