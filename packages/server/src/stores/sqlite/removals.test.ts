import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@wabakit/core'
import { expect, onTestFinished, test } from 'vitest'
import { buildApiKey } from '../../../../core/test/store-cases/index.ts'
import { beginDue, delivered, gone, settle } from '../../../test/attempts.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const many = 2_000
const disabled = subscription({ revision: 2, disabledReason: 'by_hand' })

const tables = ['organizations', 'subscriptions', 'events', 'deliveries', 'attempts']

/**
 * Opens a store with an organization that has many deliveries, and returns a function that counts rows as seen by
 * another program.
 */
const openFilled = async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  await Promise.all(Array.from({ length: many }, () => store.addEvent(event())))
  const reader = new DatabaseSync(path, { readOnly: true })
  onTestFinished(() => reader.close())
  const count = (rows: string): number =>
    Number(reader.prepare(`select count(*) as count from ${rows}`).get()?.count)
  return { path, store, count }
}

/** Returns the maximum number of rows removed in one turn of the event loop, and thus in one transaction. */
const watch = async (work: Promise<unknown>, count: () => number): Promise<number> => {
  let [isOver, most, before] = [false, 0, count()]
  work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    const after = count()
    most = Math.max(most, before - after)
    before = after
  }
  return most
}

test.each<[string, string, (store: Store) => Promise<unknown>]>([
  ['removing an organization', 'deliveries', (store) => store.removeOrganization('acme')],
  ['removing the events of an organization', 'events', (store) => store.removeOrganization('acme')],
  ['removing a subscription', 'deliveries', (store) => store.removeSubscription('acme', 'sub_1')],
  [
    'disabling a subscription',
    `deliveries where state <> 'skipped'`,
    (store) => store.saveSubscription(disabled),
  ],
])('%s changes at most 200 rows per transaction, and serves others in between', async (_, rows, run) => {
  const { store, count } = await openFilled()
  let served = 0
  const work = run(store)
  work.finally(() => {
    served = -served
  })
  const serve = async (): Promise<void> => {
    while (served >= 0) {
      await store.saveOrganization(organization({ id: `other_${served}` }))
      served++
    }
  }
  const serving = serve()
  expect(await watch(work, () => count(rows))).toBeLessThanOrEqual(200)
  await serving
  expect(count(rows)).toBe(0)
  expect(-served).toBeGreaterThan(many / 200)
})

test('no result waits until the backlog of a subscription that is gone is skipped', async () => {
  const { store, count } = await openFilled()
  await store.saveSubscription(subscription({ id: 'sub_2', digits: '2' }))
  await store.addEvent(event({ digits: '2' }))
  const begun = await beginDue(store, Date.now())
  const [first, last] = [begun[0], begun.at(-1)]
  if (first === undefined || last?.subscription.id !== 'sub_2') throw new Error('the deliveries are not due')
  const countUnfinished = () => count('deliveries where finishedAt is null')

  await settle(store, first, gone)
  expect(await settle(store, last, delivered)).toMatchObject({ outcome: 'settled' })
  expect(countUnfinished()).toBeGreaterThan(0)
  await expect.poll(countUnfinished).toBe(0)
})

test('pruning continues an interrupted removal, and the organization cannot be found meanwhile', async () => {
  const { path, store, count } = await openFilled()
  const removal = store.removeOrganization('acme')
  while (count('deliveries') === many) await new Promise((resolve) => setImmediate(resolve))
  await store.close()
  await removal
  expect(count('deliveries')).toBeGreaterThan(0)

  const next = sqliteStore({ path })
  onTestFinished(next.close)
  expect(await next.findOrganization('acme')).toBeUndefined()
  expect(await next.listEvents({ organizationId: 'acme', limit: 10 })).toEqual({ items: [] })
  expect(await beginDue(next, Date.now())).toEqual([])
  while ((await next.prune({ before: 0, limit: 100 })) > 0);
  for (const table of tables) expect(count(table)).toBe(0)
})

test('deliveries left by an interrupted disabling are not sent when the subscription is enabled again', async () => {
  const { path, store, count } = await openFilled()
  const disabling = store.saveSubscription(disabled)
  while (count(`deliveries where state = 'skipped'`) === 0)
    await new Promise((resolve) => setImmediate(resolve))
  await store.close()
  await disabling
  expect(count(`deliveries where state = 'fresh'`)).toBeGreaterThan(0)

  const next = sqliteStore({ path })
  onTestFinished(next.close)
  await next.saveSubscription(subscription({ revision: 3 }))
  expect(count(`deliveries where state = 'skipped'`)).toBe(many)
})

test('no file contains erased data after the server has stopped', async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path })
  const number = '+15550199001'
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  const events = Array.from({ length: 500 }, () =>
    event({ payload: JSON.stringify({ customerNumber: number }) }),
  )
  await Promise.all(events.map(store.addEvent))
  expect(readFileSync(`${path}-wal`).includes(number)).toBe(true)
  const eventIds = events.map(({ id }) => id)
  await store.erase({ organizationId: 'acme', now: 0, callIds: [], participants: [], eventIds })
  await store.close()
  expect(readFileSync(path).includes(number)).toBe(false)
  expect(existsSync(`${path}-wal`)).toBe(false)
})

test('erased data leaves the log within 16 MiB of changes, although the log was longer', async () => {
  const path = join(temporaryFolder(), 'wabakit.db')
  const store = sqliteStore({ path })
  onTestFinished(store.close)
  await store.saveOrganization(organization())
  const number = '+15550199001'
  const write = async (text: string, count: number) => {
    const events = Array.from({ length: count }, () =>
      event({ payload: JSON.stringify(text.repeat(2 ** 20 / text.length)) }),
    )
    for (const each of events) await store.addEvent(each)
    return events.map(({ id }) => id)
  }
  const backup = new DatabaseSync(path, { readOnly: true })
  backup.exec('begin')
  backup.prepare('select * from owner').get()
  const eventIds = await write(number, 24)
  backup.close()
  await store.erase({ organizationId: 'acme', now: 0, callIds: [], participants: [], eventIds })
  expect(readFileSync(`${path}-wal`).includes(number)).toBe(true)
  await write('x', 17)
  expect(readFileSync(`${path}-wal`).includes(number)).toBe(false)
})

test('the keys of a removed organization are free while its other rows are still being removed', async () => {
  const { store, count } = await openFilled()
  await store.saveOrganization(organization({ id: 'other' }))
  await store.addApiKey(buildApiKey())
  const removal = store.removeOrganization('acme')
  expect(await store.addApiKey(buildApiKey({ organizationId: 'other' }))).toBe('added')
  expect(count('deliveries')).toBeGreaterThan(0)
  await removal
  expect((await store.findCaller(buildApiKey().hash))?.organization.id).toBe('other')
})
