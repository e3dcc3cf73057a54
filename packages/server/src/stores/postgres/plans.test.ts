import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { takeBlocks } from '../../../../../tools/code-blocks.ts'
import { event, organization, subscription } from '../../../test/records.ts'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { createBacklogMeasure } from './backlog.ts'
import { createChanges } from './changes.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createFigures } from './figures.ts'
import { takeTokens } from './functions/token-buckets.ts'
import { createHistory } from './history.ts'
import { openPostgres } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'
import { mapTable } from './records.ts'
import { prepareSession } from './session.ts'

let url: string
let connection: pg.Client
const notices: string[] = []

/** Number of deliveries of each kind. It is large enough to detect a plan that reads them all. */
const many = 20_000

const owner = `CASE WHEN n <= 10 THEN 'small' ELSE 'acme' END`

const subject = `CASE WHEN n BETWEEN ${many} AND ${2 * many - 1} THEN 'call:long' ELSE 'call:' || n END`

/**
 * The first events belong to a small organization. There are lanes with one delivery, one lane in which all but the
 * first wait, and finished deliveries.
 */
const backlog = `
  INSERT INTO wabakit.events
  SELECT n, 'old_' || n, ${owner}, 'CALL_ENDED', ${subject}, 'PSTN', '1', '{}', NULL, NULL, 0 FROM generate_series(1, ${3 * many}) n;
  SELECT setval('wabakit.event_positions', ${3 * many});
  INSERT INTO wabakit.deliveries
    (organization_id, subscription, event, state, version, attempts, failures, deferrals, deferred_ms, finished_at)
  SELECT ${owner}, s.position, n, 'delivered', 1, 1, 0, 0, 0, n FROM generate_series(1, ${many - 1}) n, wabakit.subscriptions s;
  INSERT INTO wabakit.unfinished_deliveries (organization_id, subscription, event, lane, waits, due_at)
  SELECT 'acme', s.position, n, wabakit.lane_of(s.position, ${subject}), false, n
  FROM generate_series(${many}, ${3 * many}) n, wabakit.subscriptions s`

beforeAll(async () => {
  url = await createPostgresDatabase()
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
  // The database logs the plan of each statement, even inside functions, and the rows it read.
  await connection.query(`LOAD 'auto_explain'`)
  for (const [name, value] of Object.entries({
    log_min_duration: 0,
    log_nested_statements: 'on',
    log_analyze: 'on',
    log_buffers: 'on',
    log_format: 'json',
    log_level: 'notice',
  })) {
    await connection.query(`SET auto_explain.${name} = ${value}`)
  }
})

afterAll(async () => {
  await connection.end()
})

beforeEach(() => {
  notices.length = 0
})

type PlanNode = {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Output?: readonly string[]
  readonly Plans?: readonly PlanNode[]
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)]

/** Returns all nodes of all plans since the test started. */
const nodes = (): PlanNode[] =>
  notices
    .flatMap((notice) => /plan:\s*(\{.*\})\s*$/s.exec(notice)?.[1] ?? [])
    .flatMap((json) => listNodes(JSON.parse(json).Plan))

/** Returns the number of rows that table and index scans returned or discarded. */
const rowsRead = (): number =>
  nodes()
    .filter((node) => /(Index|Index Only|Seq|Bitmap Heap) Scan/.test(node['Node Type']))
    .map((node) => {
      const inVain = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      return (node['Actual Rows'] + inVain) * node['Actual Loops']
    })
    .reduce((sum, rows) => sum + rows, 0)

const query = async <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) =>
  (await connection.query<Row>(sql, [...(values ?? [])])).rows

const queue = '1'
const shard = 633 >> 4
const noSeqScan = () => expect(nodes().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])

const queueChanges = {
  listen: () => () => {},
  emitAdded: () => {},
  emitChanged: () => {},
  emitLost: () => {},
  setShards: () => {},
  close: () => {},
}
const worker = { renew: () => Promise.reject(new Error('not here')), end: () => {} }

const deliveryQueue = createDeliveryQueue({
  query,
  read: query,
  queueChanges,
  worker,
})

test('reading heads reads a few rows for each examined one, however many are waiting or settled', async () => {
  const { heads, after } = await deliveryQueue.readHeads({ queue, after: 2 * many, limit: 100 })
  expect([heads.length, after]).toEqual([100, 2 * many + 100])
  noSeqScan()
  expect(rowsRead()).toBeLessThan(110)
  notices.length = 0
  expect((await deliveryQueue.readHeads({ queue, after: -1, limit: 100 })).heads.length).toBe(1)
  noSeqScan()
  expect(rowsRead()).toBeLessThan(210)
})

test('listing queues, and later changes, reads a few rows', async () => {
  const { queues, cursor } = await deliveryQueue.readQueues({ shards: [shard], limit: 100 })
  expect(queues.length).toBe(1)
  expect((await deliveryQueue.readQueues({ shards: [shard], since: cursor, limit: 100 })).queues).toEqual([])
  noSeqScan()
  expect(rowsRead()).toBeLessThan(10)
})

test('what is unfinished is counted up to the limit, and the first due one found among the first hundred', async () => {
  const { measureUnfinished } = createBacklogMeasure({ read: query })
  const measured = await measureUnfinished({ organizationId: 'acme', subscriptionIds: ['sub_1'], limit: 100 })
  expect(measured).toEqual([{ unfinished: 100, oldestAt: 0, dueAt: expect.any(Number), isTried: false }])
  noSeqScan()
  expect(rowsRead()).toBeLessThan(310)
})

test('loading and settling reads a few rows for each delivery, however long its lane is', async () => {
  const ids = [many, ...Array.from({ length: 9 }, (_, index) => 2 * many + index)]
  const keys = ids.map((event) => ({ id: `dlv_${event}_1`, version: 0, shard, epoch: 0 }))
  const loaded = await deliveryQueue.loadDeliveries(keys)
  noSeqScan()
  expect(rowsRead()).toBeLessThan(10 * 4 + 5)
  notices.length = 0
  const attempt = {
    startedAt: 0,
    durationMs: 1,
    url: 'https://receiver.example/',
    status: 200,
    error: null,
    responseBody: '',
  }
  const settlements = keys.flatMap((key, index) => {
    const delivery = loaded[index]?.delivery
    return delivery === undefined
      ? []
      : {
          ...key,
          delivery,
          now: 4 * many,
          failingLimitMs: 1,
          result: { kind: 'delivered' as const, attempt },
        }
  })
  const outcomes = await deliveryQueue.settleDeliveries(settlements)
  expect(outcomes.length).toBe(10)
  expect(outcomes[0]).toMatchObject({ outcome: 'settled', next: { position: many + 1 } })
  noSeqScan()
  expect(rowsRead()).toBeLessThan(10 * 6 + 10)
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

test('finding the next due time reads a bounded number of rows for each subscription', async () => {
  expect(await deliveryQueue.nextDueAt()).toBeGreaterThan(0)
  expect(rowsRead()).toBeLessThan(300)
})

const history = createHistory({
  query,
  read: query,
  queueChanges,
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

test('finding the end of a page formats none of the rows that it passes', async () => {
  const changes = createChanges({ query, read: query, queueChanges, worker, close: async () => {} })
  await query(`
    INSERT INTO wabakit.groups
      (organization_id, client_custom_group_id, waba_number, digits, subject, join_approval_mode, created_at)
    SELECT 'acme', n, '1', '1', 'Test', 'auto_approve', n FROM generate_series(1, ${many}) n`)
  await query('ANALYZE wabakit.groups')
  await query('SET auto_explain.log_verbose = on')
  onTestFinished(async () => {
    await query('SET auto_explain.log_verbose = off')
  })
  const page = { organizationId: 'acme', limit: 10, maxExamined: 1_000, order: 'newest_first' as const }
  for (const list of [
    () => history.listEvents(page),
    () => history.listDeliveries(page),
    () => history.listDeliveries({ ...page, subject: 'call:long' }),
    () => changes.listGroups(page),
  ]) {
    notices.length = 0
    expect((await list()).items.length).toBe(page.limit)
    const passed = nodes().filter((node) => node['Actual Rows'] >= page.maxExamined)
    expect(passed.length).toBeGreaterThan(0)
    // Columns only: no casts, calls or operators.
    for (const output of passed.flatMap(({ Output = [] }) => Output)) expect(output).toMatch(/^[\w." *]+$/)
  }
})

test('measuring the backlog reads as many rows as it counts, and no table', async () => {
  const { measureBacklog } = createBacklogMeasure({ read: query })
  const limit = 500
  expect(await measureBacklog({ now: 4 * many, limit })).toMatchObject({
    waiting: limit,
    due: limit,
    later: 0,
  })
  expect(nodes().filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  expect(rowsRead()).toBeLessThan(14 * limit + 500)
})

test('pruning reads a few rows for each row it removes', async () => {
  const { rows } = await connection.query(`SELECT removed FROM prune(${many}, 100, 0, 0)`)
  expect(rows).toEqual([{ removed: 200 }])
  expect(rowsRead()).toBeLessThan(1_000)
})

test('finding new deliveries does not scan finished ones while a transaction holds a snapshot', async () => {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await holder.query('SELECT count(*) FROM wabakit.unfinished_deliveries')
  await query(`DELETE FROM wabakit.unfinished_deliveries WHERE event < ${3 * many}`)
  const { cursor } = await deliveryQueue.readQueues({ shards: [shard], limit: 100 })
  await query(`
    INSERT INTO wabakit.unfinished_deliveries (organization_id, subscription, event, lane, waits, due_at)
    SELECT 'acme', s.position, ${4 * many}, 1, false, 1 FROM wabakit.subscriptions s`)
  notices.length = 0
  const { queues } = await deliveryQueue.readQueues({ shards: [shard], since: cursor, limit: 100 })
  expect(queues.map(({ from }) => from)).toEqual([4 * many])
  const blocks = nodes().map((node) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0))
  expect(Math.max(...blocks)).toBeLessThan(30)
})

test('figures are read, rolled up and pruned in ranges of an index, however many there are', async () => {
  const figures = createFigures({ query, read: query })
  await query(`
    INSERT INTO wabakit.figures
    SELECT 'acme', CASE WHEN n % 2 = 0 THEN '' ELSE 'sub_1' END, n * 3600000::bigint, 3600000, '{"events":1}'
    FROM generate_series(1, ${many}) n`)
  await query('ANALYZE wabakit.figures')
  notices.length = 0
  const selection = { organizationId: 'acme', subscriptionIds: [''], from: (many - 20) * 3_600_000 }
  expect((await figures.listFigures(selection)).length).toBe(11)
  noSeqScan()
  expect(rowsRead()).toBeLessThan(20)

  await query(`UPDATE wabakit.figures SET span = 10000 WHERE at <= 10 * 3600000::bigint`)
  notices.length = 0
  expect(await figures.rollUpFigures({ now: 300_000 + 20 * 3_600_000, limit: 4 })).toBe(4 + 4)
  noSeqScan()
  expect(rowsRead()).toBeLessThan(100)
})

test('a rate limit reads one version of a bucket, however many versions a snapshot retains', async () => {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM wabakit.token_buckets')
  const bucket = { key: 'busy', capacity: 10_000, refillMs: 60_000, wanted: 1 }
  await query(`SET auto_explain.log_min_duration = -1`)
  // On a busy machine, a single statement would take longer than the limit of this session.
  for (let part = 0; part < 20; part++) {
    await query(`DO $$ BEGIN
      FOR n IN 1..300 LOOP PERFORM take_tokens('${JSON.stringify([bucket])}'); COMMIT; END LOOP;
    END $$`)
  }
  await query(`SET auto_explain.log_min_duration = 0`)
  notices.length = 0
  expect(await takeTokens(query, [bucket])).toMatchObject([{ taken: 1 }])
  noSeqScan()
  const blocks = nodes().map((node) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0))
  expect(Math.max(...blocks)).toBeLessThan(30)
  expect(rowsRead()).toBeLessThan(10)
})

const deploying = 'docs/deploying.md'
const blocks = takeBlocks(import.meta.filename)

test('the queries of the guides run', async () => {
  const queries = blocks.filter(({ page }) => page !== deploying)
  expect(queries.length).toBeGreaterThan(7)
  for (const { code } of queries) await connection.query(code)
})

test('the statements of the guide that create the database run', async () => {
  const [block, ...others] = blocks.filter(({ page }) => page === deploying)
  expect(others).toEqual([])
  const statements = block?.code.replaceAll(/\bwabakit\b/g, 'guide').match(/[^;]+(?=;)/g) ?? []
  expect(statements).toHaveLength(3)
  // A database is created outside of a transaction.
  for (const statement of [...statements, 'DROP DATABASE guide', 'DROP ROLE guide'])
    await connection.query(statement)
})
