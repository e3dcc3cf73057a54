import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  beginOne,
  findPending,
  gone,
  publish,
  retry,
  settle,
  setUp,
} from '../../test/store-cases/deliveries.ts'
import { storeCases } from '../../test/store-cases/index.ts'
import {
  buildCall,
  buildEvent,
  buildGroup,
  buildOrganization,
  buildParticipant,
  buildSubscription,
  start,
} from '../../test/store-cases/records.ts'
import type { QueueChange } from '../store.ts'
import { createMemoryStore, memoryStore } from './memory-store.ts'

describe('memoryStore', () => {
  for (const { name, run } of storeCases) test(name, () => run(async () => memoryStore()))

  test.each(['', 'x', '1', '1.', '.g', 'x1.g', '1234567890123456.g'])(
    'refuses %j as a cursor of calls and groups',
    async (cursor) => {
      const store = memoryStore()
      await setUp(store, [])
      const page = { organizationId: 'acme', limit: 10, cursor }
      const refusal = { issues: [{ path: 'cursor', message: 'is not a cursor that this server returned' }] }
      await expect(store.listGroups(page)).rejects.toMatchObject(refusal)
      await expect(store.listCalls(page)).rejects.toMatchObject(refusal)
    },
  )

  test.each(['', 'x', 'x1', '1x', '1.5', '-1', '1234567890123456789'])(
    'refuses %j as a cursor of any other list',
    async (cursor) => {
      const store = memoryStore()
      await setUp(store, [])
      const page = { organizationId: 'acme', limit: 10, cursor }
      const refusal = { issues: [{ path: 'cursor', message: 'is not a cursor that this server returned' }] }
      await expect(store.listEvents(page)).rejects.toMatchObject(refusal)
      await expect(store.listDeliveries(page)).rejects.toMatchObject(refusal)
      await expect(store.listOrganizations(page)).rejects.toMatchObject(refusal)
      await expect(store.listSubscriptions('acme', page)).rejects.toMatchObject(refusal)
    },
  )

  test('finds nothing of an organization that does not exist', async () => {
    const store = memoryStore()
    expect(await store.listApiKeys('nobody')).toEqual([])
    expect(await store.removeApiKey('nobody', 'key_1')).toBe(false)
    expect((await store.listSubscriptions('nobody', { limit: 10 })).items).toEqual([])
    expect(await store.removeSubscription('nobody', 'sub_1')).toBe(false)
    expect(await store.findCall('nobody', 'c1')).toBeUndefined()
    expect(await store.listParticipants('nobody', '1')).toEqual([])
    expect(await store.readHeads({ queue: 'nobody', after: 7, limit: 1 })).toEqual({
      heads: [],
      after: 7,
      isEnd: true,
    })
    expect(await store.readRetries({ queue: 'nobody', limit: 1 })).toEqual({ retries: [], isEnd: true })
  })

  test('events can have the ids of those that were removed with their organization', async () => {
    const store = memoryStore()
    await setUp(store)
    const [event = buildEvent()] = await publish(store, {})
    await store.removeOrganization('acme')
    expect((await store.listEvents({ organizationId: 'acme', eventId: event.id, limit: 1 })).items).toEqual(
      [],
    )
    await setUp(store)
    await store.addEvent(event)
    const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
    expect(items.map(({ eventId }) => eventId)).toEqual([event.id])
  })

  test('a text search completes while a test has replaced the timers and does not advance them', async () => {
    const store = memoryStore()
    await setUp(store, [])
    await publish(store, { payload: 'found' }, { payload: 'found, too' })
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const search = { organizationId: 'acme', text: 'found', limit: 1 }
    const { nextCursor } = await store.listEvents(search)
    expect((await store.listEvents({ ...search, cursor: nextCursor })).items).toHaveLength(1)
  })

  test('a list ends where as many records match as a page has', async () => {
    const store = memoryStore()
    await setUp(store, [])
    await publish(store, {}, {})
    const list = (limit: number, maxExamined?: number) =>
      store.listEvents({ organizationId: 'acme', order: 'newest_first', limit, maxExamined })
    expect((await list(2)).nextCursor).toBeUndefined()
    expect((await list(2, 2)).nextCursor).toBeUndefined()
    expect((await list(1)).nextCursor).toBeDefined()
    expect(await store.listEvents({ organizationId: 'acme', limit: 1, names: ['X'] })).toEqual({ items: [] })
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    await store.saveCall({ call: buildCall(), event: null })
    const page = { organizationId: 'acme', limit: 1, maxExamined: 1 }
    expect((await store.listGroups(page)).nextCursor).toBeUndefined()
    expect((await store.listCalls(page)).nextCursor).toBeUndefined()
  })

  test('retries that are due at the same time are in the order of their deliveries', async () => {
    const store = memoryStore()
    await setUp(store)
    await publish(store, { subject: 'group:g1' })
    const first = await beginOne(store)
    await publish(store, { subject: 'group:g2' })
    const second = await beginOne(store)
    await settle(store, second, retry(5_000))
    await settle(store, first, retry(5_000))
    const [{ pending } = {}] = await findPending(store)
    expect(pending?.id).toBe(first.delivery.id)
  })

  test('changes report every added delivery only on request', async () => {
    for (const emitsAll of [false, true]) {
      const store = emitsAll ? createMemoryStore({ emitsAll }) : memoryStore()
      await setUp(store)
      const reported: QueueChange[] = []
      store.listen((change) => reported.push(change))
      await publish(store, {}, {})
      const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 10 })
      expect(reported.map(({ kind }) => kind)).toEqual(emitsAll ? ['head', 'appended'] : ['head'])
      expect(reported[0]).toMatchObject({ head: { id: items[0]?.id } })
      if (emitsAll)
        expect(reported[1]).toMatchObject({ state: { organizationId: 'acme' }, from: expect.any(Number) })
    }
  })

  test('prunes as many participants and groups per call as the limit, the participants first', async () => {
    const store = memoryStore()
    await setUp(store, [])
    await store.createGroup({ group: buildGroup(), event: buildEvent() })
    for (const digits of ['1', '2', '3']) {
      await store.saveParticipant({ participant: buildParticipant({ digits }), event: buildEvent() })
    }
    const prune = () => store.prune({ before: 0, recordsBefore: start + 1, limit: 2 })
    expect(await prune()).toBe(2)
    expect(await store.findGroup('acme', 'g1')).toBeDefined()
    expect([await prune(), await prune()]).toEqual([2, 0])
    expect(await store.findGroup('acme', 'g1')).toBeUndefined()
  })

  test('every page of deliveries that is oldest first and not empty can be continued', async () => {
    const store = memoryStore()
    await setUp(store)
    await publish(store, {})
    const page = { organizationId: 'acme', limit: 10 }
    const { nextCursor: cursor } = await store.listDeliveries(page)
    expect(cursor).toBeDefined()
    expect(await store.listDeliveries({ ...page, cursor })).toEqual({ items: [] })
    const [, second] = await publish(store, {}, {})
    const { items } = await store.listDeliveries({ ...page, cursor })
    expect(items.at(-1)?.eventId).toBe(second?.id)
  })

  test('a delivery that was never attempted stays due since its event', async () => {
    const store = memoryStore()
    await setUp(store)
    await publish(store, {})
    const [delivery] = (await store.listDeliveries({ organizationId: 'acme', limit: 1 })).items
    const change = { organizationId: 'acme', deliveryId: delivery?.id ?? '', now: start + 5 }
    expect(await store.retryDelivery(change)).toBe(true)
    expect((await store.listDeliveries({ organizationId: 'acme', limit: 1 })).items).toEqual([delivery])
  })

  test('a queue is listed again only if something was added since, from there', async () => {
    const store = memoryStore()
    await setUp(store)
    const shards = Array.from({ length: store.shards }, (_, shard) => shard)
    const read = (since?: string) => store.readQueues({ shards, since, limit: 10 })
    await publish(store, { subject: 'group:g1' })
    const first = await read()
    expect(first.queues.length).toBe(1)
    const second = await read(first.cursor)
    expect(second.queues).toEqual([])
    await publish(store, { subject: 'group:g2' })
    const third = await read(second.cursor)
    const [, added] = await findPending(store)
    expect(third.queues.map(({ from }) => from)).toEqual([added?.pending.position])
  })

  test('changes report that a subscription was disabled by an attempt, and that an event was erased', async () => {
    const store = memoryStore()
    await setUp(store)
    const [, second] = await publish(store, { subject: 'group:g1' }, { subject: 'group:g2' })
    const reported: QueueChange[] = []
    store.listen((change) => reported.push(change))
    const kinds = async () => {
      await Promise.resolve()
      return reported.splice(0).map(({ kind }) => kind)
    }
    const nothing = { organizationId: 'acme', now: start, callIds: [], participants: [], eventIds: [] }
    await store.erase({ ...nothing, eventIds: [second?.id ?? ''] })
    expect(await kinds()).toEqual(['changed'])
    await settle(store, await beginOne(store), gone)
    expect(await kinds()).toEqual(['changed'])
    await store.erase({ ...nothing, organizationId: 'nobody' })
    expect(await kinds()).toEqual([])
  })

  test('prunes as many deliveries per call as the limit, and no event of that time itself', async () => {
    const store = memoryStore()
    await setUp(store, [])
    await store.saveOrganization(buildOrganization({ id: 'other' }))
    for (const organizationId of ['acme', 'other']) {
      await store.saveSubscription(
        buildSubscription({ id: `sub_${organizationId}`, organizationId, disabledReason: 'by_hand' }),
      )
      for (const _ of [1, 2, 3]) await store.addEvent(buildEvent({ organizationId }))
    }
    expect(await store.prune({ before: start, limit: 4 })).toBe(0)
    const count = async () => {
      const pages = ['acme', 'other'].map((organizationId) =>
        store.listDeliveries({ organizationId, limit: 9 }),
      )
      return (await Promise.all(pages)).map(({ items }) => items.length)
    }
    await store.prune({ before: start + 1, limit: 4 })
    expect(await count()).toEqual([0, 2])
    await store.prune({ before: start + 1, limit: 4 })
    expect(await count()).toEqual([0, 0])
  })

  test('a delivery is not found after its organization was removed and created again', async () => {
    const store = memoryStore()
    await setUp(store)
    await publish(store, {})
    const page = { organizationId: 'acme', limit: 1 }
    const deliveryId = (await store.listDeliveries(page)).items[0]?.id
    await store.removeOrganization('acme')
    await setUp(store)
    expect((await store.listDeliveries({ ...page, deliveryId })).items).toEqual([])
  })
})
