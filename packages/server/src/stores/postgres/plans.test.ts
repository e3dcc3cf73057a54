import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { createBacklogMeasure } from './backlog.ts'
import { createHistory } from './history.ts'
import { openPostgres } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { mapTable } from './records.ts'
import { prepareSession } from './session.ts'

let cluster: PostgresCluster
let connection: pg.Client
const notices: string[] = []

/** The number of deliveries of each kind. A plan that reads all of them would show it. */
const many = 20_000

const owner = `CASE WHEN n <= 10 THEN 'small' ELSE 'acme' END`

/** The first events belong to a small organization. There are lanes that are due, one lane in which all but the first wait, and what is settled. */
const backlog = `
  INSERT INTO wabakit.events
  SELECT n, 'old_' || n, ${owner}, 'CALL_ENDED', 'call:' || n, 'PSTN', '1', '{}', NULL, NULL, 0 FROM generate_series(1, ${3 * many}) n;
  SELECT setval('wabakit.event_positions', ${3 * many});
  INSERT INTO wabakit.deliveries (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at, finished_at)
  SELECT ${owner}, s.position, n, 'CALL_ENDED',
    CASE WHEN n BETWEEN ${many} AND ${2 * many - 1} THEN 'call:long' ELSE 'call:' || n END,
    CASE WHEN n < ${many} THEN 'delivered' WHEN n BETWEEN ${many + 1} AND ${2 * many - 1} THEN 'waiting' ELSE 'pending' END,
    n = ${many} OR n >= ${2 * many},
    CASE WHEN n = ${many} OR n >= ${2 * many} THEN n END,
    CASE WHEN n < ${many} THEN n END
  FROM generate_series(1, ${3 * many}) n, wabakit.subscriptions s`

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  const store = postgresStore(await openPostgres({ url }))
  await store.saveOrganization(organization())
  await store.saveOrganization(organization({ id: 'small' }))
  await store.saveSubscription(subscription())
  await store.close()

  connection = new pg.Client({ connectionString: url })
  await connection.connect()
  await prepareSession(connection, 10_000)
  connection.on('notice', ({ message = '' }) => notices.push(message))
  await connection.query(backlog)
  await connection.query('ANALYZE')
  // The database logs the plan of each statement, also inside functions, and what it read.
  await connection.query(`LOAD 'auto_explain'`)
  for (const [name, value] of Object.entries({
    log_min_duration: 0,
    log_nested_statements: 'on',
    log_analyze: 'on',
    log_format: 'json',
    log_level: 'notice',
  })) {
    await connection.query(`SET auto_explain.${name} = ${value}`)
  }
})

afterAll(async () => {
  await connection.end()
  await cluster.remove()
})

beforeEach(() => {
  notices.length = 0
})

type PlanNode = {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

/** Every node of every plan of what was done since the test began. */
const nodes = (): PlanNode[] =>
  notices
    .flatMap((notice) => /plan:\s*(\{.*\})\s*$/s.exec(notice)?.[1] ?? [])
    .flatMap((json) => listNodes(JSON.parse(json).Plan))

/** Rows that scans of tables and indexes gave or looked at in vain. */
const rowsRead = (): number =>
  nodes()
    .filter((node) => /(Index|Index Only|Seq|Bitmap Heap) Scan/.test(node['Node Type']))
    .map((node) => {
      const inVain = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return (node['Actual Rows'] + inVain) * node['Actual Loops']
    })
    .reduce((sum, rows) => sum + rows, 0)

const claim = async (limit: number): Promise<string[]> => {
  const claimed = await connection.query<{ id: string }>(
    `SELECT delivery ->> 'id' AS id FROM claim_deliveries($1, 60000, $2, 1000, NULL, NULL, '{}')`,
    ['claim', limit],
  )
  return claimed.rows.map(({ id }) => id.replace('dlv_', ''))
}

test('a claim reads a few rows for each that it takes, however many are due, waiting or settled', async () => {
  for (let round = 0; round < 8; round++) {
    notices.length = 0
    expect((await claim(10)).length).toBe(10)
    expect(nodes().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    // Each claimed one is read by its due time, by its position, with its event and its subscription; and the leases
    // so far are counted, twice.
    expect(rowsRead()).toBeLessThan(10 * 8 + round * 10 * 2 + 20)
  }
})

test('a settlement reads a few rows, however long the lane is that goes on', async () => {
  // The first of what is due is the head of the long lane, which an earlier claim took.
  const { rows } = await connection.query<{ event: string; subscription: string; claim_id: string }>(
    `SELECT event, subscription, claim_id FROM wabakit.deliveries WHERE subject = 'call:long' AND status = 'claimed'`,
  )
  expect(rows.length).toBe(1)
  const settlements = rows.map(({ event, subscription, claim_id }) => ({
    ...{ ordinal: 0, event, subscription, claimId: claim_id, failingLimitMs: 1, kind: 'delivered' },
    ...{ startedAt: 0, durationMs: 1, url: 'https://receiver.example/', status: 200 },
  }))
  notices.length = 0
  const settled = await connection.query('SELECT settled, due FROM settle_deliveries($1, $2, $3, false)', [
    rows.map(({ event }) => event),
    rows.map(({ subscription }) => subscription),
    JSON.stringify(settlements),
  ])
  expect(settled.rows).toMatchObject([{ due: true, settled: [{ status: 'delivered' }] }])
  expect(rowsRead()).toBeLessThan(30)
})

test('an event reads a few rows, however many deliveries there are', async () => {
  const published = [event({ subject: 'call:long' })]
  await connection.query('SELECT add_events($1, $2)', [
    ['acme'],
    JSON.stringify(published.map(mapTable('events').toRow)),
  ])
  expect(nodes().length).toBeGreaterThan(5)
  expect(rowsRead()).toBeLessThan(15)
})

test('finding the next due time, or all busy subscriptions, reads a few rows for each subscription', async () => {
  await connection.query('SELECT next_due_at()')
  expect(rowsRead()).toBeLessThan(10)
  notices.length = 0
  await connection.query('SELECT min(due_at) FROM list_due_times()')
  expect(rowsRead()).toBeLessThan(10)
})

const query = async <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) =>
  (await connection.query<Row>(sql, [...(values ?? [])])).rows

const history = createHistory({
  query,
  read: query,
  due: { announce: () => {}, listen: () => () => {}, close: async () => {} },
})

test('a list of undelivered or failed deliveries reads no others', async () => {
  const page = { organizationId: 'acme', limit: 10 }
  const { items } = await history.listDeliveries({ ...page, statuses: ['waiting', 'pending'] })
  expect(items.length).toBe(10)
  expect(rowsRead()).toBeLessThan(100)
  notices.length = 0
  expect((await history.listDeliveries({ ...page, statuses: ['exhausted', 'skipped'] })).items).toEqual([])
  expect(rowsRead()).toBeLessThan(10)
})

const filters = {
  name: { names: ['CALL_REJECTED'] },
  number: { digits: '2' },
  time: { occurredFrom: 9_999_999_999_999 },
  text: { text: 'needle' },
  subscription: { subscriptionId: 'nobody' },
}

test.each(Object.entries(filters))(
  'a filter by %s reads what it may examine, twice, whether or not it matches',
  async (_, filter) => {
    const page = { organizationId: 'acme', limit: 10, maxExamined: 10_000, order: 'newest_first' as const }
    for (const list of [history.listEvents, history.listDeliveries]) {
      notices.length = 0
      expect((await list({ ...page, ...filter })).items).toEqual([])
      expect(rowsRead()).toBeLessThan(2 * page.maxExamined + 50)
    }
  },
)

test.each(Object.entries({ nothing: {}, ...filters }))(
  'a list by %s reads no events of other organizations',
  async (_, filter) => {
    for (const order of ['oldest_first', 'newest_first'] as const) {
      const page = { organizationId: 'small', limit: 10, maxExamined: 1_000, order, ...filter }
      await history.listEvents(page)
      await history.listDeliveries(page)
    }
    expect(rowsRead()).toBeLessThan(200)
  },
)

test('measuring the backlog reads as much as it counts, and no table', async () => {
  const { measureBacklog } = createBacklogMeasure({ read: query })
  const limit = 500
  expect(await measureBacklog({ now: 0, limit })).toMatchObject({ waiting: limit, due: limit, later: 0 })
  expect(nodes().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  expect(rowsRead()).toBeLessThan(2 * limit + 150)
})

test('pruning reads a few rows for each that it removes', async () => {
  const { rows } = await connection.query(`SELECT removed FROM prune(${many}, 100, 0, 0)`)
  expect(rows).toEqual([{ removed: 200 }])
  expect(rowsRead()).toBeLessThan(1_000)
})

test('a claim reads a bounded number of the subscriptions that have something due, and passes no organization over', async () => {
  const subscriptions = 5_000
  await connection.query('TRUNCATE wabakit.deliveries, wabakit.due_times, wabakit.subscriptions')
  await connection.query(
    `INSERT INTO wabakit.subscriptions
      (id, organization_id, revision, channel, number, digits, url, secret, pace, created_at, updated_at)
    SELECT n, CASE n WHEN $1 THEN 'other' ELSE 'acme' END, 1, 'PSTN', n, n, '', '', 'quick', 0, 0
    FROM generate_series(1, $1::integer) n`,
    [subscriptions],
  )
  await connection.query(
    `INSERT INTO wabakit.deliveries (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at)
    SELECT s.organization_id, s.position, $1, 'CALL_ENDED', 'call:1', 'pending', true, s.position FROM wabakit.subscriptions s`,
    [3 * many - 1],
  )
  await connection.query('ANALYZE')
  notices.length = 0
  const { rows } = await connection.query<{ organizationId: string }>(
    `SELECT delivery ->> 'organizationId' AS "organizationId" FROM claim_deliveries('claim', 60000, 10, 10, 4, 2, '{}')`,
  )
  expect(rows.length).toBe(10)
  expect(rows.map(({ organizationId }) => organizationId)).toContain('other')
  expect(nodes().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  expect(rowsRead()).toBeLessThan(700)
})
