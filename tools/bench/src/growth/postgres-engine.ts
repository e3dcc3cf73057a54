import { openPostgres, postgresStore } from '@wabakit/server/postgres'
import { createCluster } from '../../../../packages/server/test/postgres-cluster.ts'
import { type Contents, formatDigitsSql, type GrowthEngine, payloadSql } from './backlog.ts'

/** Number of rows per insert. */
const chunk = 500_000

/** Lists inclusive ranges of at most {@link chunk} numbers. */
const listChunks = (count: number): (readonly [first: number, last: number])[] =>
  Array.from({ length: Math.ceil(count / chunk) }, (_, index) => [
    index * chunk + 1,
    Math.min(count, (index + 1) * chunk),
  ])

const formatFillSql = (contents: Contents): string[] => {
  const { deliveries, subscriptions, subject, subscription, status, dueAt } = contents
  return [
    `INSERT INTO wabakit.organizations (id, revision, call_summaries, integrations, pstn_numbers, created_at)
  VALUES ('acme', 1, 'manual', '[]', '[]', 0)`,
    `INSERT INTO wabakit.subscriptions
    (id, organization_id, revision, channel, number, digits, url, secret, created_at, updated_at)
  SELECT 'sub_' || n, 'acme', 1, 'WHATSAPP', '+' || ${formatDigitsSql('n')}, ${formatDigitsSql('n')}, 'https://receiver.example/', 'whsec_', 0, 0
  FROM generate_series(1, ${subscriptions}) n`,
    `SELECT setval('wabakit.event_positions', ${deliveries + 1})`,
    ...listChunks(deliveries).flatMap(([first, last]) => [
      `INSERT INTO wabakit.events
    SELECT n, 'old_' || n, 'acme', 'GROUP_PARTICIPANT_JOINED', ${subject}, 'WHATSAPP', ${formatDigitsSql(`(${subscription})`)},
      ${payloadSql}, NULL, NULL, n, false FROM generate_series(${first}, ${last}) n`,
      ...[
        `INSERT INTO wabakit.unfinished_deliveries (subscription, event, organization_id, lane, waits, due_at)
      SELECT subscription, n, 'acme', wabakit.lane_of(subscription, subject), false, due_at`,
        `INSERT INTO wabakit.deliveries
        (subscription, event, organization_id, state, version, attempts, failures, deferrals, deferred_ms, finished_at,
         started_at, duration_ms, url, status, response_body)
      SELECT subscription, n, 'acme', 'delivered', 1, 1, 0, 0, 0, n, 0, 12, 'https://receiver.example/', 200, 'ok'`,
      ].map(
        (insert, index) => `${insert} FROM (
        SELECT n, (${subscription})::bigint AS subscription, ${subject} AS subject, ${status} AS status, ${dueAt} AS due_at
        FROM generate_series(${first}, ${last}) n
      ) AS filled WHERE status ${index === 0 ? '<>' : '='} 'delivered'`,
      ),
    ]),
    'VACUUM (ANALYZE) wabakit.events',
    'VACUUM (ANALYZE) wabakit.unfinished_deliveries',
    'VACUUM (ANALYZE) wabakit.deliveries',
    'CHECKPOINT',
  ]
}

/** Starts a private PostgreSQL that syncs every commit, and creates backlogs on it. */
export const createPostgresEngine = async (): Promise<GrowthEngine> => {
  const cluster = await createCluster({
    settings: { fsync: 'on', shared_buffers: '1GB', max_wal_size: '4GB', maintenance_work_mem: '256MB' },
  })
  return {
    name: 'PostgreSQL',
    fill: async (contents) => {
      const url = await cluster.createDatabase()
      const database = await openPostgres({ url, statementTimeoutMs: 3_600_000 })
      for (const statement of formatFillSql(contents)) await database.query(statement)
      return {
        database: url,
        store: postgresStore(database),
        remove: async () => {
          await database.close()
          await cluster.query(`DROP DATABASE ${new URL(url).pathname.slice(1)}`)
        },
      }
    },
    close: cluster.remove,
  }
}
