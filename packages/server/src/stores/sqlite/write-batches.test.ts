import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type QueueChange, StorageUnavailableError, type Store } from '@wabakit/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Begun, beginDue, delivered, listDue, settle } from '../../../test/attempts.ts'
import { groupCreation, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { openDatabase } from './open-database.ts'
import type { Effects } from './remembered-tables.ts'
import { storeOnDatabase } from './sqlite-store.ts'
import { createWriteBatches } from './write-batches.ts'

const openStore = async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const opened = openDatabase(path)
  const prepare = vi.spyOn(opened.database, 'prepare')
  const store = storeOnDatabase(opened)
  onTestFinished(store.close)
  const begin = prepare.mock.calls.findIndex(([sql]) => sql === 'begin immediate')
  const begun = vi.spyOn(prepare.mock.results[begin]?.value, 'run')
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  /** Waits until the store has tried to begin a transaction at least twice. */
  const waitsForLock = () => {
    const before = begun.mock.calls.length
    return expect.poll(() => begun.mock.calls.length).toBeGreaterThan(before + 1)
  }
  return { path, store, database: opened.database, waitsForLock }
}

/**
 * Counts the transactions in the write-ahead log, according to its format
 * (https://sqlite.org/fileformat2.html#walformat).
 */
const countCommits = (path: string): number => {
  const log = readFileSync(`${path}-wal`)
  const [header, frameHeader, pageSize] = [32, 24, log.readUInt32BE(8)]
  let commits = 0
  for (let at = header; at < log.length; at += frameHeader + pageSize) {
    const isCommit = log.readUInt32BE(at + 4) !== 0
    const isCurrent = log.readBigUInt64BE(at + 8) === log.readBigUInt64BE(16)
    if (isCommit && isCurrent) commits++
  }
  return commits
}

const createMany = (store: Store, count: number, from = 0) =>
  Promise.allSettled(
    Array.from({ length: count }, (_, index) => store.createGroup(groupCreation(`g${from + index}`))),
  )

/** Locks the database as another program would. */
const lock = (path: string) => {
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  return () => other.close()
}

test('concurrent writes share a transaction', async () => {
  const { path, store } = await openStore()
  const before = countCommits(path)
  await createMany(store, 50)
  expect(countCommits(path)).toBe(before + 1)
})

test('a write resolves only when others can see it', async () => {
  const { path, store } = await openStore()
  const other = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => other.close())
  const count = () => other.prepare('select count(*) as count from groups').get()?.count
  const created = store.createGroup(groupCreation('g1'))
  expect(count()).toBe(0)
  expect(await store.findGroup('acme', 'g1')).toBeUndefined()
  await created
  expect(count()).toBe(1)
})

test('a failed write does not affect the others', async () => {
  const { store } = await openStore()
  const { group, event } = groupCreation('g2')
  const outcomes = await Promise.allSettled([
    store.createGroup(groupCreation('g1')),
    store.createGroup({ group, event: { ...event, id: 'evt_g1' } }),
    store.createGroup(groupCreation('g3')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await store.findGroup('acme', 'g1')).toBeDefined()
  expect(await store.findGroup('acme', 'g2')).toBeUndefined()
  expect(await store.findGroup('acme', 'g3')).toBeDefined()
})

const beginOne = async (store: Store): Promise<Begun> => {
  const [begun] = await beginDue(store)
  if (begun === undefined) throw new Error('nothing is due')
  return begun
}

test('a settlement that shared its transaction with a failed write is recorded once', async () => {
  const { store } = await openStore()
  await store.createGroup(groupCreation('g1'))
  const begun = await beginOne(store)
  const { group, event } = groupCreation('g2')
  const [settled, failed] = await Promise.allSettled([
    settle(store, begun, delivered),
    store.createGroup({ group, event: { ...event, id: 'evt_g1' } }),
  ])
  expect(settled).toMatchObject({ value: { outcome: 'settled', delivery: { status: 'delivered' } } })
  expect(failed.status).toBe('rejected')
  expect(await store.listAttempts('acme', begun.key.id)).toHaveLength(1)
})

test('more writes than the maximum of a transaction all resolve', async () => {
  const { store } = await openStore()
  const outcomes = await createMany(store, 2_000)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(await store.findGroup('acme', 'g1999')).toBeDefined()
})

test('on a full disk, only stored writes are acknowledged, and writes continue when there is space', async () => {
  const { store, database } = await openStore()
  const pages = Number(database.prepare('pragma page_count').get()?.page_count)
  database.exec(`pragma max_page_count = ${pages + 20}`)
  const outcomes = []
  for (let from = 0; from < 1_000; from += 20) outcomes.push(...(await createMany(store, 20, from)))

  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(1_000)
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(StorageUnavailableError)
    expect(reason.message).toContain('disk is full')
  }
  for (const [index, { status }] of outcomes.entries()) {
    const group = await store.findGroup('acme', `g${index}`)
    expect(group !== undefined, `g${index}`).toBe(status === 'fulfilled')
  }

  database.exec('pragma max_page_count = 1000000')
  const again = await createMany(store, 20, 1_000)
  expect(again.filter(({ status }) => status === 'rejected')).toEqual([])
})

test('a commit that fails while the transaction is open changes nothing', async () => {
  const { store, database } = await openStore()
  database.exec(`pragma foreign_keys = on;
    create table parents (id integer primary key);
    create table children (parent references parents deferrable initially deferred);
    create temp trigger orphan after insert on main.groups when new.clientCustomGroupId = 'orphan'
      begin insert into children values (1); end`)
  await expect(store.createGroup(groupCreation('orphan'))).rejects.toBeInstanceOf(StorageUnavailableError)
  expect(await store.findGroup('acme', 'orphan')).toBeUndefined()
  expect((await store.createGroup(groupCreation('g1'))).outcome).toBe('created')
})

test('if SQLite rolls back a whole transaction, all of its writes fail and nothing is stored', async () => {
  const { store, database } = await openStore()
  database.exec(`create temp trigger failure before insert on groups when new.clientCustomGroupId = 'fatal'
    begin select raise(rollback, 'the whole transaction'); end`)
  await store.createGroup(groupCreation('g1'))
  const begun = await beginOne(store)
  const outcomes = await Promise.allSettled([
    store.createGroup(groupCreation('g2')),
    settle(store, begun, delivered),
    store.createGroup(groupCreation('fatal')),
    store.createGroup(groupCreation('g3')),
  ])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'StorageUnavailableError' } })
  }
  expect(await store.findGroup('acme', 'g2')).toBeUndefined()
  expect(await store.findGroup('acme', 'g3')).toBeUndefined()
  expect(await settle(store, begun, delivered)).toMatchObject({ outcome: 'settled' })
})

test('a write waits for another program’s short lock without blocking anything else', async () => {
  const { path, store, waitsForLock } = await openStore()
  const unlock = lock(path)
  let isCreated = false
  const created = store.createGroup(groupCreation('g1')).then(() => {
    isCreated = true
  })
  await waitsForLock()
  expect(await store.findOrganization('acme')).toBeDefined()
  expect(isCreated).toBe(false)
  unlock()
  await created
  expect(await store.findGroup('acme', 'g1')).toBeDefined()
})

test('a long lock makes the store unavailable until it is released', async () => {
  const { path, store, waitsForLock } = await openStore()
  const unlock = lock(path)
  const failure = await store.createGroup(groupCreation('g1')).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StorageUnavailableError)
  expect(failure).toMatchObject({ retryAfterMs: 1_000, message: expect.stringContaining('lock') })
  unlock()
  expect((await store.createGroup(groupCreation('g1'))).outcome).toBe('created')

  const unlockAgain = lock(path)
  const created = store.createGroup(groupCreation('g2'))
  await waitsForLock()
  unlockAgain()
  expect((await created).outcome).toBe('created')
})

test('writes that waited for a lock keep their order, even if they need several transactions', async () => {
  const { path, store, waitsForLock } = await openStore()
  const unlock = lock(path)
  const created = createMany(store, 600)
  await waitsForLock()
  unlock()
  await created
  const { items } = await store.listEvents({ organizationId: 'acme', limit: 1_000 })
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, index) => `evt_g${index}`))
})

test('closing commits all pending writes, however many there are, and rejects later ones', async () => {
  const { path, store } = await openStore()
  const created = createMany(store, 600)
  await store.close()
  expect((await created).filter(({ status }) => status === 'rejected')).toEqual([])
  await expect(store.createGroup(groupCreation('new'))).rejects.toBeInstanceOf(StorageUnavailableError)
  await expect(store.findGroup('acme', 'g1')).rejects.toBeInstanceOf(StorageUnavailableError)
  await expect(store.saveOrganization(organization())).rejects.toBeInstanceOf(StorageUnavailableError)
  const again = storeOnDatabase(openDatabase(path))
  onTestFinished(again.close)
  expect(await again.findGroup('acme', 'g599')).toBeDefined()
})

test('memory reflects committed writes only', async () => {
  const memory: string[] = []
  const effects: Effects = []
  const { write } = createWriteBatches({
    database: new DatabaseSync(':memory:'),
    checkOwner: () => {},
    checkFiles: () => {},
    effects,
  })
  const change = (name: string, error?: Error) =>
    write(() => {
      effects.push({ afterCommit: () => memory.push(name), afterRollback: () => memory.push(`not ${name}`) })
      if (error) throw error
    })
  const outcomes = await Promise.allSettled([change('a'), change('b', new RangeError()), change('c')])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  // All writes are rolled back, and then run again one by one.
  expect(memory).toEqual(['not b', 'not a', 'not b', 'a', 'c'])
  expect(effects).toEqual([])
})

/** Collects the changes reported by a store. */
const listen = (store: Store): QueueChange[] => {
  const reported: QueueChange[] = []
  onTestFinished(store.listen((change) => reported.push(change)))
  return reported
}

/**
 * Changes that are cached in memory because a later write in the same transaction reads them. After the transaction
 * fails, `read` must return `before`.
 */
const rolledBack: Record<
  string,
  {
    change(store: Store, begun: Begun): Promise<unknown>
    read(store: Store, reported: QueueChange[]): Promise<unknown>
    before: unknown
  }
> = {
  'an organization': {
    change: (store) => store.saveOrganization({ ...organization(), revision: 2, callSummaries: 'manual' }),
    read: async (store) => (await store.findOrganization('acme'))?.callSummaries,
    before: 'automatic',
  },
  'the recipients of an event': {
    change: (store) => store.saveSubscription(subscription({ revision: 2, disabledReason: 'by_hand' })),
    read: async (store) => {
      await store.createGroup(groupCreation('g3'))
      return (await store.listDeliveries({ organizationId: 'acme', limit: 9 })).items.at(-1)?.status
    },
    before: 'pending',
  },
  'the pace of a subscription': {
    change: (store, { key }) =>
      store.settleDeliveries([{ ...key, now: start, failingLimitMs: 1, pace: 'failing', result: delivered }]),
    read: async (store, reported) => {
      await store.createGroup(groupCreation('g3'))
      const change = reported.at(-1)
      return change?.kind === 'head' && change.state.pace
    },
    before: 'new',
  },
}

test.each(Object.entries(rolledBack))(
  'memory follows the rollback of a change of %s',
  async (_, { change, read, before }) => {
    const { store, database } = await openStore()
    database.exec(`create temp trigger failure before insert on groups when new.clientCustomGroupId = 'fatal'
    begin select raise(rollback, 'the whole transaction'); end`)
    await store.createGroup(groupCreation('g1'))
    const begun = await beginOne(store)
    const reported = listen(store)
    const changes = [
      change(store, begun),
      store.createGroup(groupCreation('g2')),
      store.createGroup(groupCreation('fatal')),
    ]
    for (const { status } of await Promise.allSettled(changes)) expect(status).toBe('rejected')
    expect(await read(store, reported)).toBe(before)
  },
)

const shards = [0]

test('a removal that fails is continued by the next one', async () => {
  const { store, database } = await openStore()
  await createMany(store, 5)
  await store.saveSubscription(subscription({ id: 'sub_2' }))
  database.exec(`create temp trigger failure before delete on main.deliveries
    begin select raise(abort, 'not now'); end`)
  expect(await store.removeSubscription('acme', 'sub_1')).toBe(true)
  const count = () => database.prepare('select count(*) as count from deliveries').get()?.count
  expect(count()).toBe(5)
  database.exec('drop trigger failure')
  expect(await store.removeSubscription('acme', 'sub_2')).toBe(true)
  expect(count()).toBe(0)
})

test('loads nothing of a disabled subscription, even if its deliveries could not be skipped', async () => {
  const { store, database } = await openStore()
  await createMany(store, 1)
  const keys = await listDue(store)
  expect(keys).toHaveLength(1)
  database.exec(`create temp trigger failure before update on main.deliveries
    begin select raise(abort, 'not now'); end`)
  await store.saveSubscription(subscription({ revision: 2, disabledReason: 'by_hand' }))
  expect(database.prepare('select state from deliveries').all()).toEqual([{ state: 'fresh' }])
  expect(await store.loadDeliveries(keys)).toEqual([undefined])
})

test('reports each committed delivery once, and no others', async () => {
  const { store } = await openStore()
  const reported = listen(store)
  const { group, event } = groupCreation('g2')
  await Promise.allSettled([
    store.createGroup(groupCreation('g1')),
    store.createGroup({ group, event: { ...event, id: 'evt_g1' } }),
  ])
  expect(reported).toMatchObject([{ kind: 'head', head: { position: 1 } }])
  await store.createGroup(groupCreation('g3'))
  expect(reported.slice(1)).toMatchObject([{ kind: 'head', head: { position: 2 } }])
  expect((await beginDue(store)).map(({ event: { id } }) => id)).toEqual(['evt_g1', 'evt_g3'])
})

test('lists a queue whose delivery got the position of a rolled-back one', async () => {
  const { store, database } = await openStore()
  await store.createGroup(groupCreation('g1'))
  database.exec(`create temp trigger failure before insert on groups when new.clientCustomGroupId = 'fatal'
    begin select raise(rollback, 'the whole transaction'); end`)
  const lost = store.addEvent(groupCreation('lost').event)
  await Promise.allSettled([lost, store.createGroup(groupCreation('fatal'))])
  await expect(lost).rejects.toThrow()
  const { cursor } = await store.readQueues({ shards, limit: 9 })
  await store.createGroup(groupCreation('g2'))
  expect((await store.readQueues({ shards, limit: 9, since: cursor })).queues).toMatchObject([{ from: 2 }])
})

test('lists a queue again after a failed commit, because it may have taken effect', async () => {
  const { store, database } = await openStore()
  await store.createGroup(groupCreation('g1'))
  const { cursor } = await store.readQueues({ shards, limit: 9 })
  database.exec(`pragma foreign_keys = on;
    create table parents (id integer primary key);
    create table children (parent references parents deferrable initially deferred);
    create temp trigger orphan after insert on main.groups when new.clientCustomGroupId = 'orphan'
      begin insert into children values (1); end`)
  await expect(store.createGroup(groupCreation('orphan'))).rejects.toThrow()
  expect((await store.readQueues({ shards, limit: 9, since: cursor })).queues).toMatchObject([{ from: 0 }])
})
