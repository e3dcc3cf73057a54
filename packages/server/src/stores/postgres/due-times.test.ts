import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { openPostgres } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { mapTable } from './records.ts'
import { prepareSession } from './session.ts'

let cluster: PostgresCluster
let writer: pg.Client
let claimer: pg.Client

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  const store = postgresStore(await openPostgres({ url }))
  await store.saveOrganization(organization())
  await store.saveSubscription(subscription())
  await store.close()
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await prepareSession(client, 10_000)
    return client
  }
  writer = await connect()
  claimer = await connect()
  // Time goes by when a test says so.
  await writer.query('CREATE TABLE public.clock AS SELECT 0::bigint AS now')
  await writer.query(
    'CREATE OR REPLACE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE RETURN (SELECT now FROM public.clock)',
  )
})

afterAll(async () => {
  await writer.end()
  await claimer.end()
  await cluster.remove()
})

const setClock = (now: number) => writer.query('UPDATE public.clock SET now = $1', [now])

const publish = (subject: string) =>
  writer.query('SELECT add_events($1, $2)', [
    ['acme'],
    JSON.stringify([mapTable('events').toRow(event({ id: subject, subject }))]),
  ])

const claim = async (): Promise<string[]> => {
  const { rows } = await claimer.query<{ subject: string }>(
    `SELECT delivery ->> 'subject' AS subject FROM claim_deliveries($1, 60000, 10, 10, NULL, NULL, '{}')`,
    ['claim'],
  )
  return rows.map(({ subject }) => subject)
}

const claimFairly = async (claimId: string, perSubscription = 8) => {
  const { rows } = await claimer.query<{ subject: string }>(
    `SELECT delivery ->> 'subject' AS subject FROM claim_deliveries($1, 60000, 10, $2, 10, 10, '{}')`,
    [claimId, perSubscription],
  )
  return rows.map(({ subject }) => subject)
}

/** Ends a claim of a delivery that arrived. */
const settle = (claimId: string) =>
  writer.query(
    `SELECT settle_deliveries(array_agg(event), array_agg(subscription), json_agg(json_build_object(
      'ordinal', 0, 'event', event, 'subscription', subscription, 'claimId', claim_id, 'kind', 'delivered',
      'startedAt', 0, 'durationMs', 0, 'url', '', 'isSlow', false
    )), false) FROM wabakit.deliveries WHERE claim_id = $1`,
    [claimId],
  )

const countDue = async (now: number): Promise<number> => {
  const { rows } = await claimer.query<{ subscriptions: number }>(
    'SELECT count(DISTINCT subscription)::integer AS subscriptions FROM wabakit.due_times WHERE due_at <= $1',
    [now],
  )
  return rows[0]?.subscriptions ?? Number.NaN
}

test('a claim misses no event that is being published concurrently', async () => {
  await setClock(1_000)
  await publish('call:a')
  await setClock(2_000)
  await writer.query('BEGIN')
  await publish('call:b')
  // Nothing else is left to claim after this one, as far as it can see.
  expect(await claim()).toEqual(['call:a'])
  await writer.query('COMMIT')
  expect(await claim()).toEqual(['call:b'])
})

test('a claim ignores a subscription that has nothing due, until it has', async () => {
  await setClock(10_000)
  await publish('call:c')
  expect(await countDue(10_000)).toBe(1)
  await setClock(11_000)
  expect(await claim()).toEqual(['call:c'])
  expect(await countDue(11_000)).toBe(0)
  await publish('call:d')
  expect(await countDue(11_000)).toBe(1)
})

test('a claim ignores a new subscription that cannot have another claim, until its claim ends', async () => {
  await writer.query('DELETE FROM wabakit.deliveries')
  await setClock(200_000)
  await publish('call:first')
  await publish('call:second')
  expect(await claimFairly('one')).toEqual(['call:first'])
  await setClock(201_000)
  expect(await claimFairly('two')).toEqual([])
  expect(await countDue(201_000)).toBe(0)
  await settle('one')
  expect(await claimFairly('three')).toEqual(['call:second'])
})

test('a new subscription can be claimed again when the lease of its claim ends', async () => {
  await writer.query(`UPDATE wabakit.subscriptions SET pace = 'new'`)
  await setClock(202_000)
  await publish('call:third')
  expect(await claimFairly('four')).toEqual([])
  await setClock(262_000)
  expect(await claimFairly('five')).toEqual(['call:second'])
})

test('a claim ignores a slow subscription that has all its claims, until one of them ends', async () => {
  await writer.query('DELETE FROM wabakit.deliveries')
  await writer.query(`UPDATE wabakit.subscriptions SET pace = 'slow'`)
  await setClock(400_000)
  await publish('call:1')
  expect(await claimFairly('six', 2)).toEqual(['call:1'])
  for (const subject of ['call:2', 'call:3', 'call:4']) await publish(subject)
  expect(await claimFairly('seven', 2)).toEqual(['call:2'])
  await setClock(401_000)
  expect(await claimFairly('eight', 2)).toEqual([])
  expect(await countDue(401_000)).toBe(0)
  await settle('six')
  expect(await claimFairly('nine', 2)).toEqual(['call:3'])
  await setClock(460_000)
  expect(await claimFairly('ten', 2)).toEqual(['call:2'])
})

test('the next claim removes the rows of removed subscriptions', async () => {
  await writer.query('DELETE FROM wabakit.deliveries')
  await setClock(1_000_000)
  expect(await claim()).toEqual([])
  const { rows } = await writer.query('SELECT FROM wabakit.due_times')
  expect(rows.length).toBe(0)
})

test('pruning adds missing due times', async () => {
  await setClock(2_000_000)
  await publish('call:e')
  await writer.query('UPDATE wabakit.due_times SET due_at = due_at + 1')
  await setClock(3_000_000)
  expect(await claim()).toEqual([])
  await writer.query('SELECT prune(0, 100, 0, 0)')
  expect(await claim()).toEqual(['call:e'])
})
