import { openPostgres, postgresStore } from '@wabakit/server/postgres'
import { createCluster } from '../../../server/test/postgres-cluster.ts'
import { type Contents, type Engine, formatDigitsSql, payloadSql } from './backlog.ts'

/** So many are inserted at a time. What the triggers see of one insert is kept in a temporary file. */
const chunk = 500_000

/** Ranges of numbers, the last included, of at most {@link chunk} each. */
const listChunks = (count: number): (readonly [first: number, last: number])[] =>
  Array.from({ length: Math.ceil(count / chunk) }, (_, index) => [
    index * chunk + 1,
    Math.min(count, (index + 1) * chunk),
  ])

const formatFillSql = ({
  deliveries,
  subscriptions,
  subject,
  subscription,
  status,
  dueAt,
}: Contents): string[] => [
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
      ${payloadSql}, NULL, NULL, n FROM generate_series(${first}, ${last}) n`,
    `INSERT INTO wabakit.deliveries
      (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at, finished_at, attempts)
    SELECT 'acme', subscription, n, 'GROUP_PARTICIPANT_JOINED', subject, status, status = 'pending',
      CASE status WHEN 'pending' THEN due_at END, CASE status WHEN 'delivered' THEN n END,
      (status = 'delivered')::integer
    FROM (
      SELECT n, ${subscription} AS subscription, ${subject} AS subject, ${status} AS status, ${dueAt} AS due_at
      FROM generate_series(${first}, ${last}) n
    ) AS filled`,
  ]),
  `INSERT INTO wabakit.attempts
  SELECT subscription, event, 1, 0, 12, 'https://receiver.example/', 200, NULL, 'ok', true
  FROM wabakit.deliveries WHERE status = 'delivered'`,
  'VACUUM (ANALYZE) wabakit.events',
  'VACUUM (ANALYZE) wabakit.deliveries',
  'VACUUM (ANALYZE) wabakit.attempts',
  'CHECKPOINT',
]

/** Creates databases on a private PostgreSQL, with every commit synced. */
export const createPostgresEngine = async (): Promise<Engine> => {
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
