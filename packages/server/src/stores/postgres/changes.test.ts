import type { ErasureRequest, GroupCreation, Store } from '@wabakit/core'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildCall, buildParticipant, buildSummary } from '../../../../core/test/store-cases/records.ts'
import { beginDue, delivered, gone, settle } from '../../../test/attempts.ts'
import { event, groupCreation, organization, subscription } from '../../../test/records.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { type ChangedTable, type ChangeInput, changeRecords } from './functions/changes.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

let database: PostgresDatabase
let store: Store
/** Another session. */
let other: pg.Client

beforeAll(async () => {
  const url = await createPostgresDatabase()
  database = await openPostgres({ url })
  store = postgresStore(database)
  other = new pg.Client({ connectionString: url })
  await other.connect()
})

afterAll(async () => {
  await other.end()
  await store.close()
})

beforeEach(async () => {
  for (const id of ['acme', 'other']) {
    await store.removeOrganization(id)
    await store.saveOrganization(organization({ id }))
  }
  await store.saveSubscription(subscription())
})

test('combines concurrent changes into few transactions', async () => {
  const groups = Array.from({ length: 60 }, (_, index) => groupCreation(`together-${index}`))
  const made = await Promise.all(groups.map(store.createGroup))
  expect(new Set(made.map(({ outcome }) => outcome))).toEqual(new Set(['created']))
  expect(made.map(({ group }) => group)).toEqual(groups.map(({ group }) => group))

  const [seen] = await database.query(
    `SELECT count(*)::integer AS groups, count(DISTINCT xmin::text)::integer AS transactions FROM wabakit.groups`,
  )
  expect(seen).toEqual({ groups: 60, transactions: 2 })
})

test('makes the other concurrent changes if one of them is invalid', async () => {
  const published = [event(), event({ organizationId: 'nobody' }), event()]
  const outcomes = await Promise.allSettled(published.map(store.addEvent))
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { name: 'RecordNotFoundError', id: 'nobody' } },
    { status: 'fulfilled' },
  ])
  const { items } = await store.listEvents({ organizationId: 'acme', limit: 10 })
  expect(items).toHaveLength(2)
})

test('keeps the order of concurrent events in a lane', async () => {
  const published = Array.from({ length: 20 }, () => event({ subject: 'group:same' }))
  await Promise.all(published.map(store.addEvent))
  const { items } = await store.listDeliveries({ organizationId: 'acme', limit: 100 })
  expect(items.map(({ eventId }) => eventId)).toEqual(published.map(({ id }) => id))
  expect(items.map(({ status }) => status)).toEqual(['pending', ...Array(19).fill('waiting')])
})

test('a subscription that is being removed does not delay changes that are concurrent with its event', async () => {
  await other.query('BEGIN')
  await other.query(
    `SELECT pg_advisory_xact_lock(wabakit.lock_key('subscription', position::text)) FROM wabakit.subscriptions`,
  )
  let isHeld = true
  const held = store.addEvent(event()).finally(() => {
    isHeld = false
  })
  await store.addEvent(event({ organizationId: 'other' }))
  expect(isHeld).toBe(true)
  await other.query('COMMIT')
  await held
})

test('no result waits until the backlog of a subscription that is gone is skipped', async () => {
  await store.saveSubscription(subscription({ id: 'sub_2', digits: '2' }))
  const backlog = Array.from({ length: 1_500 }, () => event({ subject: 'group:same', occurredAt: 0 }))
  await Promise.all([...backlog, event({ digits: '2', occurredAt: 1 })].map(store.addEvent))
  const [first, last] = await beginDue(store)
  if (first === undefined || last?.subscription.id !== 'sub_2') throw new Error('the deliveries are not due')
  const countUnfinished = async () =>
    (await database.query('SELECT FROM wabakit.unfinished_deliveries')).length

  // The rest of the backlog waits for this lock.
  await other.query('BEGIN')
  await other.query(`SELECT pg_advisory_xact_lock(wabakit.lock_key('removals', ''))`)
  await settle(store, first, gone)
  expect(await settle(store, last, delivered)).toMatchObject({ outcome: 'settled' })
  expect(await countUnfinished()).toBeGreaterThan(0)
  await other.query('COMMIT')
  await expect.poll(countUnfinished).toBe(0)
})

/** Waits until this many sessions wait for locks of other ones. */
const waitForLocks = (count: number) =>
  expect
    .poll(async () => {
      const waiting = `SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.datname = current_database()`
      return (await database.query(waiting)).length
    })
    .toBeGreaterThanOrEqual(count)

const keys = ['1', '2']
const opposite = keys.toReversed()
const erase = (given: Partial<ErasureRequest>) =>
  store.erase({ organizationId: 'acme', callIds: [], participants: [], eventIds: [], now: 1, ...given })
const change = <Table extends ChangedTable>(
  table: Table,
  records: ChangeInput<Table>['records'],
  events: ChangeInput<Table>['events'] = records.map(() => null),
) =>
  // A statement of several callers waits at most a second for a lock, so this one has a single caller.
  changeRecords((sql, values = []) => database.query(sql, [['acme'], ...values.slice(1)]), {
    table,
    records,
    events,
  })
const summarize = (callIds: readonly string[]) =>
  change(
    'summaries',
    callIds.map((callId) => buildSummary({ callId })),
  )

test.each<[table: string, key: string, ...changes: (() => Promise<unknown>)[]]>([
  [
    'calls',
    'call_id',
    () => erase({ callIds: opposite }),
    () =>
      change(
        'calls',
        keys.map((callId) => buildCall({ callId, revision: 2 })),
      ),
  ],
  [
    'participants',
    'digits',
    () => erase({ participants: opposite.map((digits) => ({ groupId: 'g1', digits })) }),
    () =>
      change(
        'participants',
        keys.map((digits) => buildParticipant({ digits, revision: 2 })),
      ),
  ],
  ['summaries', 'call_id', () => summarize(opposite), () => summarize(keys)],
])(
  'changes of the same %s at once do not deadlock, in whatever order they are given',
  async (table, key, ...changes) => {
    await store.createGroup(groupCreation('g1'))
    // In the opposite order, so that a plan that reads the whole table finds them in it, too.
    for (const id of opposite) {
      await store.saveParticipant({ participant: buildParticipant({ digits: id }), event: event() })
      await store.saveCall({ call: buildCall({ callId: id }), event: null })
      await store.saveSummary({ summary: buildSummary({ callId: id }), event: null })
    }
    // Holds the last record. Who locks it before the first one then waits for it, and holds up the other change.
    await other.query(`BEGIN; SELECT FROM wabakit.${table} WHERE ${key} = '2' FOR UPDATE`)
    const made: Promise<unknown>[] = []
    for (const [index, make] of changes.entries()) {
      made.push(make())
      await waitForLocks(index + 1)
    }
    await other.query('COMMIT')
    await Promise.all(made)
  },
)

test('a repeated creation finds its group next to a prune, which leaves that group alone', async () => {
  const [known, added] = ['known', 'added'].map((id) => ({
    ...groupCreation(id),
    group: { ...groupCreation(id).group, requestHash: id },
  })) as [GroupCreation, GroupCreation]
  await store.createGroup(known)
  // Holds up the event of the other group, when the first one has been found.
  await other.query('BEGIN')
  await other.query(
    `SELECT pg_advisory_xact_lock(wabakit.lock_key('subscription', position::text)) FROM wabakit.subscriptions`,
  )
  const creations = [known, added]
  const made = change(
    'groups',
    creations.map(({ group }) => group),
    creations.map(({ event }) => event),
  )
  await waitForLocks(1)
  await store.prune({ before: 0, recordsBefore: Number.MAX_SAFE_INTEGER, limit: 10 })
  await other.query('COMMIT')
  expect(await made).toMatchObject({ done: [2], existing: [{ ordinal: 1, outcome: 'same' }] })
})
