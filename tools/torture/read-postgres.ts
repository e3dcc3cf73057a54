import type { Contents } from './contents.ts'
import { runSql } from './postgres-sql.ts'

const kinds = ['taken', 'given up', 'settled'] as const

/** Reads a PostgreSQL database with its own SQL. */
export const readPostgres = async (address: string): Promise<Contents> => {
  const groups = await runSql(address, 'SELECT client_custom_group_id AS id FROM wabakit.groups')
  const summaries = await runSql(
    address,
    "SELECT call_id, summary ->> 'recap' AS recap FROM wabakit.summaries",
  )
  const events = await runSql(
    address,
    "SELECT id, name, subject, payload FROM wabakit.events WHERE channel <> 'OPERATIONS' ORDER BY position",
  )
  const health = await runSql(
    address,
    "SELECT payload FROM wabakit.events WHERE channel = 'OPERATIONS' ORDER BY position",
  )
  const subscriptions = await runSql(address, 'SELECT id, is_reported FROM wabakit.subscriptions')
  const deliveries = await runSql(
    address,
    `SELECT e.id, wabakit.shard_of(d.subscription) AS shard, d.state, d.attempts,
       count(a.number) + d.succeeded AS recorded, count(*) FILTER (WHERE a.succeeded) + d.succeeded AS succeeded
     FROM (
       SELECT subscription, event, state, attempts, 0 AS succeeded FROM wabakit.unfinished_deliveries
       UNION ALL SELECT subscription, event, state, attempts, (started_at IS NOT NULL)::integer FROM wabakit.deliveries
     ) AS d
     JOIN wabakit.events e ON e.position = d.event
     LEFT JOIN wabakit.attempts a USING (subscription, event)
     GROUP BY e.id, d.subscription, d.state, d.attempts, d.succeeded`,
  )
  const figures = await runSql(address, 'SELECT subscription_id, counts FROM wabakit.figures')
  const log = await runSql(
    address,
    'SELECT shard, kind, process, at, lease_left_ms, lost_ms FROM torture.log ORDER BY position',
  )
  return {
    groupIds: new Set(groups.map(({ id }) => String(id))),
    summaries: new Map(summaries.map(({ call_id, recap }) => [String(call_id), String(recap)])),
    events: events.map((row) => ({
      id: String(row.id),
      name: String(row.name),
      subject: String(row.subject),
      payload: String(row.payload),
    })),
    health: health.map(({ payload }) => JSON.parse(String(payload))),
    reported: new Map(subscriptions.map((row) => [String(row.id), row.is_reported === true])),
    deliveries: deliveries.map((row) => ({
      eventId: String(row.id),
      shard: Number(row.shard),
      status: String(row.state),
      attempts: Number(row.attempts),
      recorded: Number(row.recorded),
      succeeded: Number(row.succeeded),
    })),
    figures: figures.map((row) => ({
      subscriptionId: String(row.subscription_id),
      counts: JSON.parse(JSON.stringify(row.counts)),
    })),
    log: log.map((row) => ({
      shard: Number(row.shard),
      kind: kinds.find((kind) => kind === row.kind) ?? 'settled',
      process: String(row.process),
      at: Number(row.at),
      leaseLeftMs: Number(row.lease_left_ms),
      lostMs: row.lost_ms === null ? undefined : Number(row.lost_ms),
    })),
  }
}
