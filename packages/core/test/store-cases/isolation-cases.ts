import type { Page, Store } from '../../src/store.ts'
import { equal, ok } from './assert.ts'
import { type Begun, begin, delivered, findPending, gone, retry, settle } from './deliveries.ts'
import {
  buildApiKey,
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  buildSummary,
  start,
  wabaDigits,
} from './records.ts'
import { defineCases } from './store-case.ts'

/** Two organizations. Their ids are hexadecimal, so that hashes of keys can start with them. */
const organizationIds = ['a11ce', 'b0b0b'] as const
type OrganizationId = (typeof organizationIds)[number]

/** The arguments of a method: the ids of deliveries and events of both organizations, with its own first. */
type Context = {
  readonly store: Store
  readonly id: OrganizationId
  readonly deliveryIds: readonly string[]
  readonly eventIds: readonly string[]
  /** Set if lists are read with each filter, and in small pages. */
  readonly isThorough: boolean
  /** Attempts of both organizations that are under way. */
  readonly begun: readonly Begun[]
}
type Call = (context: Context) => Promise<unknown>
type Row = { readonly reads: Call } | { readonly changes: Call } | 'whole store'

const own = ({ id }: Pick<Context, 'id'>) => ({ organizationId: id })
const hour = 3_600_000
const digits = '49301234'
const hashKey = (id: string, count = 0) => id.padEnd(64, String(count))
const buildOwnEvent = ({ id }: Pick<Context, 'id'>, subject: string, occurredAt = start) =>
  buildEvent({ ...own({ id }), id: `evt_${id}_${subject}`, subject, payload: `{"of":"${id}"}`, occurredAt })

/** Reads a list. */
const readAll = async <Item>(
  { isThorough }: Pick<Context, 'isThorough'>,
  readPage: (page: { limit: number; cursor?: string | undefined }) => Promise<Page<Item>>,
) => {
  const all: Item[] = []
  let cursor: string | undefined
  do {
    const page = await readPage({ limit: isThorough ? 3 : 100, cursor })
    all.push(...page.items)
    cursor = page.items.length === 0 ? undefined : page.nextCursor
  } while (cursor !== undefined)
  return all
}

/** Calls for each id, and joins the lists that were found. Those for ids of another organization must be empty. */
const each = async <Id>(ids: readonly Id[], call: (id: Id) => Promise<unknown>) => {
  const results: unknown[] = []
  for (const id of ids) results.push(await call(id))
  return results.flat()
}

/** Picks an id of its own and a foreign one. */
const pickTwo = (ids: readonly string[]) => [ids.slice(0, 1), ids.slice(-1)].flat()

/** Chooses all queries, or the first one. */
const choose = <Query>({ isThorough }: Pick<Context, 'isThorough'>, queries: readonly Query[]) =>
  isThorough ? queries : queries.slice(0, 1)

const listQueues = async ({ store, id }: Context) => {
  const shards = Array.from({ length: store.shards }, (_, shard) => shard)
  const { queues } = await store.readQueues({ shards, limit: 100 })
  return queues.flatMap(({ state }) => (state.organizationId === id ? [state] : []))
}

/**
 * How each method is called for an organization, changes in this order. `whole store`: it belongs to no organization.
 */
const rows: { readonly [Method in keyof Store]: Row } = {
  findOrganization: { reads: ({ store, id }) => store.findOrganization(id) },
  listApiKeys: { reads: ({ store, id }) => store.listApiKeys(id) },
  findCaller: { reads: ({ store, id }) => store.findCaller(hashKey(id)) },
  findGroup: { reads: ({ store, id }) => store.findGroup(id, 'g1') },
  listGroups: {
    reads: ({ store, ...to }) => readAll(to, (page) => store.listGroups({ ...own(to), ...page })),
  },
  findParticipant: {
    reads: ({ store, ...to }) => store.findParticipant({ ...own(to), groupId: 'g1', digits }),
  },
  listParticipants: { reads: ({ store, id }) => store.listParticipants(id, digits) },
  listMembers: {
    reads: ({ store, ...to }) =>
      readAll(to, (page) => store.listMembers({ ...own(to), groupId: 'g1', ...page })),
  },
  countMembers: { reads: ({ store, id }) => store.countMembers(id, ['g1']) },
  findCall: { reads: ({ store, id }) => each(['c0', 'c1'], (callId) => store.findCall(id, callId)) },
  listCalls: {
    reads: ({ store, ...to }) =>
      each(
        choose(to, [
          {},
          { digits: wabaDigits },
          { customerDigits: digits },
          { state: 'initiated' },
          { text: 'c' },
        ] as const),
        (query) => readAll(to, (page) => store.listCalls({ ...own(to), ...query, ...page })),
      ),
  },
  listEvents: {
    reads: ({ store, eventIds, ...to }) =>
      each(
        choose(to, [
          ...([{}, { order: 'newest_first' }, { subject: 's1' }, { names: ['GROUP_CREATED'] }] as const),
          ...([{ subscriptionId: 'sub_1' }, { digits: wabaDigits }, { text: 'of' }] as const),
          ...pickTwo(eventIds).map((eventId) => ({ eventId })),
        ]),
        (query) => readAll(to, (page) => store.listEvents({ ...own(to), ...query, ...page })),
      ),
  },
  findSubscription: { reads: ({ store, id }) => store.findSubscription(id, 'sub_1') },
  listSubscriptions: {
    reads: ({ store, ...to }) => readAll(to, (page) => store.listSubscriptions(to.id, page)),
  },
  listDeliveries: {
    reads: ({ store, deliveryIds, eventIds, ...to }) =>
      each(
        choose(to, [
          ...([{}, { order: 'newest_first' }, { subject: 's1' }, { names: ['GROUP_CREATED'] }] as const),
          ...([{ subscriptionId: 'sub_1' }, { digits: wabaDigits }, { text: 'of' }] as const),
          ...([{ statuses: ['delivered'] }, { responses: [200] }, { anyResponses: [500] }] as const),
          ...pickTwo(deliveryIds).map((deliveryId) => ({ deliveryId })),
          ...pickTwo(eventIds).map((eventId) => ({ eventId })),
        ]),
        (query) => readAll(to, (page) => store.listDeliveries({ ...own(to), ...query, ...page })),
      ),
  },
  listAttempts: {
    reads: ({ store, deliveryIds, ...to }) =>
      each(choose(to, deliveryIds), (deliveryId) => store.listAttempts(to.id, deliveryId)),
  },
  listLastAttempts: {
    reads: async ({ store, id, deliveryIds }) =>
      (await store.listLastAttempts(id, deliveryIds)).sort(
        (left, right) => deliveryIds.indexOf(left.deliveryId) - deliveryIds.indexOf(right.deliveryId),
      ),
  },
  measureUnfinished: {
    reads: ({ store, ...to }) =>
      store.measureUnfinished({ ...own(to), subscriptionIds: ['sub_1', 'sub_2'], limit: 100 }),
  },
  listFigures: {
    reads: ({ store, ...to }) => store.listFigures({ ...own(to), subscriptionIds: ['sub_1'], from: 0 }),
  },
  readQueues: { reads: async (to) => (await listQueues(to)).map(({ pace }) => pace) },
  readHeads: {
    reads: async (to) =>
      each(await listQueues(to), async ({ queue }) => {
        const { heads } = await to.store.readHeads({ queue, after: -1, limit: 100 })
        return heads.map(({ id, dueAt }) => ({ id, dueAt }))
      }),
  },
  readRetries: {
    reads: async (to) =>
      each(await listQueues(to), async ({ queue }) => {
        const { retries } = await to.store.readRetries({ queue, limit: 100 })
        return retries.map(({ id, dueAt }) => ({ id, dueAt }))
      }),
  },
  loadDeliveries: {
    reads: async ({ store, id }) => {
      const found = await findPending(store)
      const loaded = await store.loadDeliveries(
        found.map(({ shard, epoch, pending }) => ({
          shard,
          epoch,
          id: pending.id,
          version: pending.version,
        })),
      )
      return loaded
        .filter((each) => each?.delivery.organizationId === id)
        .sort((left, right) => (String(left?.event.id) < String(right?.event.id) ? -1 : 1))
    },
  },

  saveOrganization: {
    changes: ({ store, id }) =>
      store.saveOrganization(buildOrganization({ id, revision: 2, callSummaries: 'manual' })),
  },
  addApiKey: {
    changes: ({ store, ...to }) =>
      store.addApiKey(buildApiKey({ ...own(to), id: 'key_2', hash: hashKey(to.id, 1) })),
  },
  removeApiKey: { changes: ({ store, id }) => store.removeApiKey(id, 'key_2') },
  createGroup: {
    changes: ({ store, ...to }) =>
      each(['g1', 'g2'], (group) =>
        store.createGroup({
          group: buildGroup({ ...own(to), clientCustomGroupId: group, subject: to.id }),
          event: buildOwnEvent(to, `group:${group}`),
        }),
      ),
  },
  saveParticipant: {
    changes: ({ store, ...to }) =>
      store.saveParticipant({
        participant: buildParticipant({ ...own(to), revision: 2, state: 'left' }),
        event: buildOwnEvent(to, 'left'),
      }),
  },
  saveCall: {
    changes: ({ store, ...to }) =>
      store.saveCall({
        call: buildCall({ ...own(to), revision: 2, state: 'accepted' }),
        event: buildOwnEvent(to, 'accepted'),
      }),
  },
  saveSummary: {
    changes: ({ store, ...to }) =>
      each(['c0', 'c1'], (callId) =>
        store.saveSummary({
          summary: buildSummary({ ...own(to), callId, generatedBy: 'team_member' }),
          event: buildOwnEvent(to, `summary_${callId}`),
        }),
      ),
  },
  addEvent: { changes: ({ store, ...to }) => store.addEvent(buildOwnEvent(to, 'added')) },
  addEventTo: { changes: ({ store, ...to }) => store.addEventTo(buildOwnEvent(to, 'added_to'), 'sub_1') },
  addFigures: {
    changes: ({ store, ...to }) =>
      store.addFigures([
        { ...own(to), subscriptionId: 'sub_1', at: start, span: hour, counts: { delivered: 2 } },
      ]),
  },
  retryDelivery: {
    changes: ({ store, deliveryIds, ...to }) =>
      each(deliveryIds, (deliveryId) => store.retryDelivery({ ...own(to), deliveryId, now: start })),
  },
  cancelDelivery: {
    changes: ({ store, deliveryIds, ...to }) =>
      each(deliveryIds.toReversed(), (deliveryId) =>
        store.cancelDelivery({ ...own(to), deliveryId, now: start }),
      ),
  },
  resendDeliveries: {
    changes: ({ store, deliveryIds, eventIds, ...to }) =>
      each(
        [
          ...deliveryIds.map((deliveryId) => ({ deliveryId })),
          ...eventIds.map((eventId) => ({ eventId })),
          { subscriptionId: 'sub_1' },
        ],
        async (selection) => {
          const query = { ...own(to), ...selection, now: start + 1, webhookIdSuffix: null, limit: 100 }
          return (await store.resendDeliveries(query)).resent
        },
      ),
  },
  settleDeliveries: {
    // The second attempt disables the subscription, with all that waits for it.
    changes: async ({ store, id, begun }) => {
      const mine = begun.filter(({ delivery }) => delivery.organizationId === id)
      ok(mine.length > 1, 'attempts are under way')
      const results: unknown[] = []
      for (const [index, each] of mine.slice(0, 2).entries()) {
        const outcome = await settle(store, each, index === 0 ? delivered : gone)
        results.push(outcome.outcome === 'settled' ? [outcome.delivery, outcome.disabled] : outcome)
      }
      return results
    },
  },
  saveSubscription: {
    changes: async ({ store, ...to }) => {
      const found = await store.findSubscription(to.id, 'sub_1')
      const revision = (found?.revision ?? 0) + 1
      return store.saveSubscription(buildSubscription({ ...own(to), revision, url: `https://new.${to.id}/` }))
    },
  },
  erase: {
    changes: ({ store, eventIds, ...to }) =>
      store.erase({
        ...own(to),
        now: start,
        callIds: ['c1'],
        participants: [{ groupId: 'g1', digits }],
        eventIds: eventIds.filter((each) => each.endsWith('_s3')),
      }),
  },
  removeSubscription: { changes: ({ store, id }) => store.removeSubscription(id, 'sub_1') },
  removeOrganization: { changes: ({ store, id }) => store.removeOrganization(id) },

  listOrganizations: 'whole store',
  nextDueAt: 'whole store',
  measureBacklog: 'whole store',
  rollUpFigures: 'whole store',
  prune: 'whole store',
  checkWritable: 'whole store',
  close: 'whole store',
  shards: 'whole store',
  listen: 'whole store',
  renewWorker: 'whole store',
  takeShards: 'whole store',
  giveShards: 'whole store',
  endWorker: 'whole store',
}

/** Creates the same records for each organization, except that every text contains its id. */
const fill = async (store: Store, id: OrganizationId, at: number) => {
  const to = { organizationId: id }
  await store.saveOrganization(buildOrganization({ id }))
  await store.addApiKey(buildApiKey({ ...to, hash: hashKey(id) }))
  await store.saveSubscription(buildSubscription({ ...to, url: `https://${id}/` }))
  await store.addFigures([
    { ...to, subscriptionId: 'sub_1', at: at - (at % hour), span: hour, counts: { delivered: 1 } },
  ])
  const group = buildGroup({ ...to, subject: id, createdAt: at })
  await store.createGroup({ group, event: buildOwnEvent({ id }, 's0', at) })
  const participant = buildParticipant({ ...to, phone: id, changedAt: at })
  await store.saveParticipant({ participant, event: buildOwnEvent({ id }, 's1', at) })
  for (const callId of ['c0', 'c1'])
    await store.saveCall({
      call: buildCall({ ...to, callId, customerNumber: '+49301234', agentNumber: id, updatedAt: at }),
      event: null,
    })
  await store.saveSummary({ summary: buildSummary({ ...to, generatedAt: at }), event: null })
  for (const subject of ['s2', 's3']) await store.addEvent(buildOwnEvent({ id }, subject, at))
}

/** Delivers each organization's first event, and fails its second one. */
const attempt = async (store: Store) => {
  for (const each of await begin(store)) {
    if (each.event.subject === 's0') await settle(store, each, delivered, each.event.occurredAt)
    if (each.event.subject === 's1') await settle(store, each, retry(5_000), each.event.occurredAt)
  }
}

const buildContext = async (
  store: Store,
  id: OrganizationId,
  more: Partial<Context> = {},
): Promise<Context> => {
  const other = organizationIds.find((each) => each !== id) ?? id
  const list = (organizationId: string) => store.listDeliveries({ organizationId, limit: 1_000 })
  const items = [...(await list(id)).items, ...(await list(other)).items]
  const deliveryIds = items.map((delivery) => delivery.id)
  return {
    store,
    id,
    deliveryIds,
    eventIds: items.map(({ eventId }) => eventId),
    isThorough: false,
    begun: [],
    ...more,
  }
}

/** Writes a result without what differs between organizations: their ids, and the ids that a store generates. */
const mask = ({ id, deliveryIds }: Context, result: unknown): string => {
  const text = JSON.stringify(result, (name, value: unknown) =>
    typeof value === 'string' && (name === 'id' || name === 'deliveryId') && deliveryIds.includes(value)
      ? `delivery ${deliveryIds.indexOf(value)}`
      : value,
  )
  return (text ?? '').replaceAll(id, 'own').replaceAll(/hlt_\w+/g, 'hlt_generated')
}

/** Lists what an organization can read: one line per method. */
type View = readonly string[]

/** Reads everything that an organization can see. */
const view = async (store: Store, id: OrganizationId, isThorough = false): Promise<View> => {
  const context = await buildContext(store, id, { isThorough })
  return Promise.all(
    Object.entries(rows).map(async ([method, row]) =>
      typeof row === 'object' && 'reads' in row
        ? `${method} ${mask(context, await row.reads(context))}`
        : method,
    ),
  )
}

const viewBoth = async (store: Store, isThorough?: boolean): Promise<readonly [View, View]> =>
  Promise.all([view(store, organizationIds[0], isThorough), view(store, organizationIds[1], isThorough)])

/** Compares two views, and shows the methods that differ. */
const same = (actual: View, expected: View, message: string) =>
  equal(
    actual.filter((line, index) => line !== expected[index]),
    expected.filter((line, index) => line !== actual[index]),
    message,
  )

/** Each method, for two organizations whose records differ only in their organization. */
export const isolationCases = defineCases({
  'shows and changes only what belongs to the organization, in each method': async (store) => {
    for (const id of organizationIds) await fill(store, id, start)
    await attempt(store)
    same(...(await viewBoth(store, true)), 'the organizations see different records')
    let views = await viewBoth(store)
    let begun: readonly Begun[] = []
    for (const [method, row] of Object.entries(rows)) {
      if (typeof row !== 'object' || 'reads' in row) continue
      if (method === 'settleDeliveries') begun = await begin(store, { now: start + 1 })
      const results: string[] = []
      for (const [index, id] of organizationIds.entries()) {
        const context = await buildContext(store, id, { begun })
        results.push(mask(context, await row.changes(context)))
        const next = await viewBoth(store)
        same(
          next[1 - index] ?? [],
          views[1 - index] ?? [],
          `${method} of ${id} changes what the other one sees`,
        )
        ok(JSON.stringify(next[index]) !== JSON.stringify(views[index]), `${method} of ${id} changes nothing`)
        views = next
      }
      equal(results[0], results[1], `${method} returns different results`)
      same(...views, `${method} changes different records`)
    }
  },

  'prunes the old records of one organization, and not the same of another': async (store) => {
    const [old, other] = organizationIds
    await fill(store, old, start - 1)
    await fill(store, other, start)
    await attempt(store)
    const before = await view(store, other)
    while ((await store.prune({ before: start, recordsBefore: start, limit: 100 })) > 0);
    same(await view(store, other), before, 'the other one sees a change')
    equal([await store.findGroup(old, 'g1'), await store.findCall(old, 'c1')], [undefined, undefined])
  },
})
