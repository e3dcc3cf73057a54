import { isHead } from '../../packages/server/src/stores/postgres/functions/lanes.ts'
import type { Race } from './race.ts'

/** The rules that hold after each order. Each statement selects the rows that break its rule. */
const rules: Readonly<Record<string, string>> = {
  'a delivery is pending or finished, not both':
    'SELECT subscription, event FROM wabakit.unfinished_deliveries JOIN wabakit.deliveries USING (subscription, event)',
  'every event has one delivery for each subscription that exists': `SELECT e.id, s.id AS subscription FROM wabakit.events e
    JOIN wabakit.subscriptions s ON s.channel = e.channel AND s.organization_id = e.organization_id AND s.revision > 0
    WHERE (SELECT count(*) FROM wabakit.unfinished_deliveries p WHERE p.event = e.position AND p.subscription = s.position)
      + (SELECT count(*) FROM wabakit.deliveries f WHERE f.event = e.position AND f.subscription = s.position) <> 1`,
  'nothing is left of a subscription or an event that was removed': `SELECT d.* FROM (
      SELECT subscription, event FROM wabakit.unfinished_deliveries UNION ALL SELECT subscription, event FROM wabakit.deliveries
      UNION ALL SELECT subscription, event FROM wabakit.attempts
    ) AS d
    WHERE NOT EXISTS (SELECT FROM wabakit.subscriptions s WHERE s.position = d.subscription AND s.revision > 0)
      OR NOT EXISTS (SELECT FROM wabakit.events e WHERE e.position = d.event)`,
  'nothing is left of a call or a group that was removed': `SELECT call_id AS id FROM wabakit.summaries s
    WHERE NOT EXISTS (SELECT FROM wabakit.calls c WHERE c.organization_id = s.organization_id AND c.call_id = s.call_id)
    UNION ALL SELECT group_id FROM wabakit.participants p WHERE NOT EXISTS (
      SELECT FROM wabakit.groups g WHERE g.organization_id = p.organization_id AND g.client_custom_group_id = p.group_id
    )`,
  'nothing is unfinished in a disabled subscription': `SELECT p.event FROM wabakit.unfinished_deliveries p
    JOIN wabakit.subscriptions s ON s.position = p.subscription WHERE s.disabled_reason IS NOT NULL`,
  'every attempt is recorded once': `SELECT d.subscription, d.event FROM (
      SELECT subscription, event, attempts, 0 AS own FROM wabakit.unfinished_deliveries
      UNION ALL SELECT subscription, event, attempts, (started_at IS NOT NULL)::integer FROM wabakit.deliveries
    ) AS d WHERE d.attempts <> d.own + (
      SELECT count(*) FROM wabakit.attempts a WHERE a.subscription = d.subscription AND a.event = d.event
    )`,
  'a lane has one head, or something else in it blocks it': `SELECT p.lane FROM wabakit.unfinished_deliveries p GROUP BY p.lane
    HAVING count(*) FILTER (WHERE ${isHead}) > 1
      OR NOT bool_or(${isHead}) AND bool_and(p.state = 'fresh')`,
  'the events of a subject are committed in the order of their positions': `SELECT a.id, b.id AS later FROM wabakit.events a
    JOIN wabakit.events b ON b.organization_id = a.organization_id AND b.subject = a.subject AND b.position > a.position
    WHERE pg_xact_commit_timestamp(a.xmin) > pg_xact_commit_timestamp(b.xmin)`,
  'the former owner of a shard settles nothing after it was taken': `SELECT f.event FROM wabakit.deliveries f
    JOIN wabakit.shards h ON h.shard = wabakit.shard_of(f.subscription) AND h.owner = 'new owner'
    WHERE f.state <> 'skipped' AND pg_xact_commit_timestamp(f.xmin) > pg_xact_commit_timestamp(h.xmin)`,
}

const list = (columns: string, from: string): string =>
  `(SELECT coalesce(json_agg(row_to_json(r) ORDER BY row_to_json(r)::text), '[]') FROM (SELECT ${columns} FROM ${from}) AS r)`

/** All rows, without the columns in which orders may differ: positions and transactions. */
const state = `json_build_object(
  'organizations', ${list('id, revision', 'wabakit.organizations')},
  'subscriptions', ${list('id, revision, disabled_reason, failing_since, is_reported, pace', 'wabakit.subscriptions')},
  'events', ${list('organization_id, subject, array_agg(id ORDER BY position) AS ids', "wabakit.events WHERE channel <> 'OPERATIONS' GROUP BY 1, 2")},
  'pending', ${list('e.id, p.state, p.version, p.attempts, p.failures, p.webhook_id', 'wabakit.unfinished_deliveries p JOIN wabakit.events e ON e.position = p.event')},
  'deliveries', ${list('e.id, f.state, f.version, f.attempts, f.webhook_id, f.status', 'wabakit.deliveries f JOIN wabakit.events e ON e.position = f.event')},
  'attempts', ${list('e.id, a.number, a.status', 'wabakit.attempts a JOIN wabakit.events e ON e.position = a.event')},
  'calls', ${list('call_id, revision', 'wabakit.calls')},
  'summaries', ${list('call_id, summary', 'wabakit.summaries')},
  'groups', ${list('client_custom_group_id', 'wabakit.groups')},
  'participants', ${list('group_id, digits, revision', 'wabakit.participants')},
  'shards', ${list('shard, epoch, owner', "wabakit.shards WHERE owner IS DISTINCT FROM 'former owner'")},
  'workers', ${list('id', 'wabakit.workers')}
)`

const broken = `json_build_object(${Object.entries(rules)
  .map(([rule, sql]) => `'${rule}', (SELECT json_agg(row_to_json(r)) FROM (${sql}) AS r)`)
  .join(', ')})`

export type FinalState = {
  /** The rows as text, for comparison. */
  readonly state: string
  /** Broken rules, with the rows that break them. */
  readonly broken: readonly string[]
}

/** Reads the database after all operations have ended. */
export const readFinalState = async (race: Race): Promise<FinalState> => {
  const [row] = await race.query<{ state: string; broken: Record<string, unknown> }>(
    `SELECT ${state}::text AS state, ${broken} AS broken`,
  )
  return {
    state: row?.state ?? '',
    broken: Object.entries(row?.broken ?? {}).flatMap(([rule, found]) =>
      found === null ? [] : `${rule}: ${JSON.stringify(found)}`,
    ),
  }
}
